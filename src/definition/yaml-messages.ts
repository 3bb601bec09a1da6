import type { Finding } from './report-problem.ts';
import type { ProblemCode } from './problem-codes.ts';
import type { RawDocument, RawError, RawNode } from './read-yaml.ts';

/** What the parser says, where, and the text it says it of. */
interface Complaint {
  readonly error: RawError;
  readonly text: string;
  readonly document: RawDocument;
}

/** A mistake in words; offsets are of the text. */
interface Words {
  readonly code: ProblemCode;
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly help: string;
  /** Set where going on would only find consequences. */
  readonly isLast?: true;
}

/** A syntax mistake, and whether it makes sense to look for more after it. */
export interface ExplainedSyntax {
  readonly finding: Finding;
  readonly isLast: boolean;
}

const QUOTE_HELP = 'quote the whole value';
const COLON_HELP = 'quote the whole value, or move the parts to lines of their own';
const COLON_FLOW_HELP = 'quote it, use `=path`, or put each key on its own line';

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Offset of the first colon that a blank or line end follows, in a stretch of text; -1 where there is none. */
function colonIn(text: string, from: number, to: number): number {
  const found = /:(?=\s|$)/.exec(text.slice(from, to));
  return found === null ? -1 : from + found.index;
}

/** The nodes that may still be open at an offset, innermost first: each is the last that began in the one around it. */
function nodesAround({ document }: Complaint, at: number): readonly RawNode[] {
  const path: RawNode[] = [];
  let node = document.root;
  while (node !== null && node.start < at) {
    path.unshift(node);
    node = childrenOf(node).findLast(({ start }) => start < at) ?? null;
  }
  return path;
}

/** How much white space a text begins with. */
function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

function firstLine(text: string): string {
  return text.replace(/\n.*$/s, '').trim();
}

function childrenOf(node: RawNode): readonly RawNode[] {
  if (node.kind === 'map') return node.entries.flatMap(({ key, value }) => [key, value]);
  return node.kind === 'list' ? node.items : [];
}

function tagWords({ error, text }: Complaint): Words | null {
  const from = lineStart(text, error.start);
  const tag = /(?<=^|[\s:,[{])![^\s,[\]{}]*/.exec(text.slice(from, error.start));
  if (tag === null) return null;
  const start = from + tag.index;
  return {
    code: 'PAWL-009',
    start,
    end: start + tag[0].length,
    message: `\`${tag[0]}\` is a YAML tag, no part of the value`,
    help: '`!` begins a YAML tag, quote the expression',
  };
}

function colonWords({ error, text }: Complaint): Words | null {
  if (error.code !== 'BLOCK_AS_IMPLICIT_KEY' && error.code !== 'BLOCK_IN_FLOW') return null;
  const isFlow = error.code === 'BLOCK_IN_FLOW';
  const colon = colonIn(text, error.start, isFlow ? error.end : lineEnd(text, error.start));
  const ends = colon !== -1 && /^:\s*(?:#.*)?$/.test(text.slice(colon, lineEnd(text, colon)));
  if (colon === -1 || (ends && !isFlow)) return deeperLine(text, error.start);
  return {
    code: 'PAWL-005',
    start: colon,
    end: colon + 1,
    message: isFlow
      ? 'a colon and a blank inside an expression in `{ }` or `[ ]`'
      : 'a colon and a blank inside an expression',
    help: isFlow ? COLON_FLOW_HELP : COLON_HELP,
  };
}

/** The value of one line goes on, deeper, on the next: an indentation that no key asked for. */
function deeperLine(text: string, at: number): Words {
  const next = lineEnd(text, at) + 1;
  const start = next + indentOf(text.slice(next));
  return {
    code: 'PAWL-006',
    start,
    end: Math.max(start + 1, lineEnd(text, start)),
    message: 'this line is indented deeper than the one above, which has its value already',
    help: 'indent it like the keys it belongs to',
  };
}

function templateInFlow({ error, text }: Complaint): Words | null {
  const brace = text.indexOf('{', error.start);
  const at = text[error.start] === '{' ? error.start : brace === error.start + 1 ? brace : -1;
  if (at === -1 || text[at - 1] !== '$') return null;
  return {
    code: 'PAWL-024',
    start: at - 1,
    end: at + 1,
    message: 'an expression inside `{ }` or `[ ]` is not quoted',
    help: "quote it: '${ … }', use `=path`, or put each key on its own line",
  };
}

/** Whether the bracket at an offset has its partner somewhere below, texts in quotes aside. */
function isClosed(text: string, start: number): boolean {
  const bare = text.slice(start).replace(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g, '');
  const open: string[] = [];
  for (const letter of bare) {
    if (letter === '{') open.push('}');
    else if (letter === '[') open.push(']');
    else if ((letter === '}' || letter === ']') && open.pop() !== letter) return false;
    if (open.length === 0) return true;
  }
  return false;
}

function unclosedWords(complaint: Complaint): Words | null {
  const { error, text } = complaint;
  if (/^Missing closing/.test(error.message)) {
    const open = nodesAround(complaint, error.start).find(
      (node) => node.kind === 'scalar' && /single|double/.test(node.style),
    );
    const start = open?.start ?? lineStart(text, error.start);
    return {
      code: 'PAWL-007',
      start,
      end: start + 1,
      message: 'this quote is never closed',
      help: 'close it at the end of the value',
    };
  }
  if (!/^Flow (?:map|sequence) in|must end with a|Expected flow/.test(error.message)) return null;
  const open = nodesAround(complaint, error.start).filter(
    (node) => node.kind !== 'scalar' && /[[{]/.test(text.charAt(node.start)),
  );
  const start = (open.find((node) => !isClosed(text, node.start)) ?? open[0])?.start ?? error.start;
  const closer = text[start] === '{' ? '}' : ']';
  if (!isClosed(text, start)) {
    return {
      code: 'PAWL-007',
      start,
      end: start + 1,
      message: `this \`${text[start]}\` is never closed`,
      help: `close it with \`${closer}\``,
    };
  }
  const line = lineEnd(text, start) + 1;
  const first = line + indentOf(text.slice(line));
  return {
    code: 'PAWL-006',
    start: first,
    end: Math.max(lineEnd(text, first), first + 1),
    message: `the lines inside \`${text[start]} ${closer}\` must be indented deeper than the key`,
    help: 'indent them',
    isLast: true,
  };
}

function reservedWords({ error, text }: Complaint): Words | null {
  if (error.code !== 'BAD_SCALAR_START') return null;
  const letter = text.charAt(error.start);
  return {
    code: 'PAWL-022',
    start: error.start,
    end: error.start + 1,
    message: `a value cannot begin with \`${letter}\` unless it is quoted`,
    help: QUOTE_HELP,
  };
}

/** A key without a colon, or without the blank after it. */
function keyWords({ error, text }: Complaint): Words | null {
  if (error.code !== 'MULTILINE_IMPLICIT_KEY' && !/Implicit map keys/.test(error.message)) return null;
  const from = lineStart(text, error.start);
  const line = text.slice(from, lineEnd(text, error.start));
  const start = from + line.length - line.replace(/^\s*(?:- +)*/, '').length;
  const end = from + line.trimEnd().length;
  if (/^\s*- /.test(line)) {
    return {
      code: 'PAWL-006',
      start,
      end,
      message: 'a list item stands between the keys of a map',
      help: 'indent the list under its key',
    };
  }
  const glued = /^\s*[A-Za-z_][\w.-]*:(?=\S)/.exec(line);
  if (glued !== null) {
    const colon = from + glued[0].length - 1;
    return {
      code: 'PAWL-003',
      start: colon,
      end: colon + 1,
      message: 'a blank is missing after the colon',
      help: 'write `key: value`',
    };
  }
  return {
    code: 'PAWL-003',
    start,
    end,
    message: 'this line is no `key: value`',
    help: 'write a key with a colon and a blank, or quote the value above it',
  };
}

function indentWords({ error, text }: Complaint): Words | null {
  const places = /must start at the same column|must be indented|less indented|Sequence item without/;
  if (!places.test(error.message)) return null;
  const from = lineStart(text, error.start);
  const start = from + indentOf(text.slice(from));
  return {
    code: 'PAWL-006',
    start,
    end: Math.max(lineEnd(text, start), start + 1),
    message: 'this line is indented unlike the lines it belongs to',
    help: 'keys of one map, and items of one list, begin at the same column',
  };
}

/** Something follows where a value has ended. */
function trailingWords({ error, text }: Complaint): Words | null {
  const { start, end } = error;
  const before = text.slice(lineStart(text, start), start).trimEnd();
  if (/Comments must be separated/.test(error.message)) {
    return {
      code: 'PAWL-015',
      start,
      end,
      message: 'a comment begins right after the value',
      help: 'write a blank before `#`, or quote the whole value',
    };
  }
  if (/on same line with key/.test(error.message)) {
    return {
      code: 'PAWL-003',
      start,
      end,
      message: 'a list begins on the line of its key',
      help: 'put each `- item` on a line of its own, or quote a value that begins with `-`',
    };
  }
  if (before === '' && /at node end|YAML stream/.test(error.message)) {
    const message = 'this line is indented unlike the lines it belongs to';
    const help = 'keys of one map, and items of one list, begin at the same column';
    return { code: 'PAWL-006', start, end: lineEnd(text, start), message, help, isLast: true };
  }
  if (/^[}\]]/.test(text.slice(start))) {
    const message = `\`${text.charAt(start)}\` closes nothing`;
    return { code: 'PAWL-026', start, end: start + 1, message, help: 'take it out, or open it before' };
  }
  if (/["'\]}]$/.test(before)) {
    const closer = before.slice(-1);
    const message = `the value ends at \`${closer}\`, and something follows`;
    return {
      code: 'PAWL-026',
      start,
      end: lineEnd(text, start),
      message,
      help: 'quote the whole value, with the other kind of quotes if it holds some',
    };
  }
  if (/[>|][-+0-9]*$/.test(before) || /Block scalar header/.test(error.message)) {
    return {
      code: 'PAWL-022',
      start,
      end,
      message: 'a value cannot begin with `>` or `|` unless it is quoted',
      help: QUOTE_HELP,
    };
  }
  return null;
}

function smallWords({ error, text }: Complaint): Words | null {
  const { start, end } = error;
  const shown = firstLine(text.slice(start, Math.max(end, start + 1)));
  if (error.code === 'BAD_DQ_ESCAPE') {
    return {
      code: 'PAWL-003',
      start,
      end,
      message: `\`${shown}\` is no escape in double quotes`,
      help: 'use single quotes, or write `\\\\` for a backslash',
    };
  }
  if (error.code === 'BAD_ALIAS' || error.code === 'ALIAS_PROPS') {
    return {
      code: 'PAWL-011',
      start,
      end,
      message: '`*` begins a YAML alias',
      help: 'quote a value that begins with `*`',
    };
  }
  if (error.code === 'BAD_DIRECTIVE') {
    return {
      code: 'PAWL-020',
      start,
      end,
      message: 'a line that begins with `%` is a YAML directive',
      help: 'take it out',
    };
  }
  return null;
}

/** The mistake's line begins with a tab: whatever else the parser says follows from it. */
function tabWords({ error, text }: Complaint): Words | null {
  const from = lineStart(text, error.start);
  const indent = /^[ ]*\t[ \t]*/.exec(text.slice(from, lineEnd(text, error.start)))?.[0] ?? '';
  if (indent === '') return null;
  const start = from + indent.indexOf('\t');
  return {
    code: 'PAWL-004',
    start,
    end: from + indent.length,
    message: 'a tab in the indentation',
    help: 'indent with blanks: in YAML a tab is no indentation',
  };
}

const RULES = [
  tabWords,
  tagWords,
  templateInFlow,
  colonWords,
  unclosedWords,
  reservedWords,
  keyWords,
  indentWords,
  smallWords,
  trailingWords,
];

function otherWords({ error, text }: Complaint): Words {
  const shown = firstLine(text.slice(error.start, Math.max(error.end, error.start + 1)));
  return {
    code: error.warning ? 'PAWL-020' : 'PAWL-003',
    start: error.start,
    end: Math.max(error.end, error.start + 1),
    message: shown === '' ? 'this cannot be read as YAML' : `\`${shown}\` does not belong here`,
    help: `${QUOTE_HELP}, or check the brackets and the indentation before it (YAML: ${error.message})`,
  };
}

/** Complaints that the tree reader tells better: tags and anchors have marks of their own. */
function isToldByTree(error: RawError): boolean {
  return (
    error.code === 'TAG_RESOLVE_FAILED' ||
    error.code === 'BAD_COLLECTION_TYPE' ||
    error.code === 'MULTIPLE_TAGS' ||
    error.code === 'TAB_AS_INDENT'
  );
}

/**
 * The first syntax mistake of a document in words that a person understands; null when there is none.
 * @param text the text that was parsed.
 */
export function explainSyntax(document: RawDocument, text: string): ExplainedSyntax | null {
  const error = document.errors.find((candidate) => !isToldByTree(candidate));
  if (error === undefined) return null;
  const complaint = { error, text, document };
  let words: Words | null = null;
  for (const rule of RULES) words ??= rule(complaint);
  const { code, start, end, message, help, isLast = false } = words ?? otherWords(complaint);
  return { finding: { code, pointer: '', offsets: [start, end], message, help }, isLast };
}
