import type { Finding } from './report-problem.ts';
import type { RawDocument, RawError } from './read-yaml.ts';
import {
  commentIn,
  commentWords,
  type Complaint,
  indentOf,
  lineEnd,
  lineStart,
  QUOTE_HELP,
  type Words,
} from './yaml-complaint.ts';
import { commaWords, templateInFlow, unclosedWords } from './yaml-flow-messages.ts';

/** A syntax mistake, and whether it makes sense to look for more after it. */
export interface ExplainedSyntax {
  readonly finding: Finding;
  /** Where it begins in the text. */
  readonly at: number;
  readonly isLast: boolean;
}

const COLON_HELP = 'quote the whole value, or move the parts to lines of their own';
const COLON_FLOW_HELP = 'quote it, use `=path`, or put each key on its own line';

/** Offset of the first colon that a blank or line end follows, in a stretch of text; -1 where there is none. */
function colonIn(text: string, from: number, to: number): number {
  const found = /:(?=\s|$)/.exec(text.slice(from, to));
  return found === null ? -1 : from + found.index;
}

function firstLine(text: string): string {
  return text.replace(/\n.*$/s, '').trim();
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

/** A list item further left than the items it belongs to: to YAML it is a key of the map around the list. */
function leftItem({ error, text }: Complaint): Words | null {
  if (error.code !== 'BLOCK_AS_IMPLICIT_KEY') return null;
  const start = error.start + indentOf(text.slice(error.start));
  if (!/^-\s/.test(text.slice(start, start + 2)) || text.slice(lineStart(text, start), start).trim() !== '')
    return null;
  return {
    code: 'PAWL-006',
    start,
    end: lineEnd(text, start),
    message: 'this line is indented unlike the lines it belongs to',
    help: 'items of one list begin at the same column',
    isLast: true,
  };
}

/** A text that goes on after a comment: the comment has ended it. */
function cutWords({ error, text }: Complaint): Words | null {
  if (!/^Missing ,|must start at the same column/.test(error.message)) return null;
  const from = lineStart(text, error.start);
  const line = text.slice(from, lineEnd(text, from)).trim();
  if (from === 0 || /^-\s|^[}\]]|:(?=\s|$)/.test(line) || text.slice(from, error.start).trim() !== '') return null;
  const comment = commentIn(text, [lineStart(text, from - 1), from - 1]);
  const isCut = comment !== -1 && /[^\s:,"'[\]{}-]\s+$/.test(text.slice(lineStart(text, comment), comment));
  return isCut ? commentWords(text, comment) : null;
}

/** What a value in which a colon surprises is called. */
function valueWord(text: string, start: number): string {
  return /\$\{|[:,[{]\s+=|\s\?\s|&&|\|\|/.test(text.slice(lineStart(text, start), lineEnd(text, start)))
    ? 'an expression'
    : 'a value';
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
    message: `a colon and a blank inside ${valueWord(text, error.start)}${isFlow ? ' in `{ }` or `[ ]`' : ''}`,
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

function reservedWords({ error, text }: Complaint): Words | null {
  const start = error.code === 'BAD_SCALAR_START' ? error.start : loneMark(error, text);
  if (start === -1) return null;
  const message = `a value cannot begin with \`${text.charAt(start)}\` unless it is quoted`;
  return { code: 'PAWL-022', start, end: start + 1, message, help: QUOTE_HELP };
}

/** Where a `-` or `?` stands with a blank after it, in place of a value; -1 where it is something else that is wrong. */
function loneMark({ code, message, start }: RawError, text: string): number {
  if (code === 'BLOCK_IN_FLOW' || code === 'BLOCK_AS_IMPLICIT_KEY')
    return /^[-?](?:\s|$)/.test(text.slice(start, start + 2)) ? start : -1;
  const before = /^Missing ,/.test(message) ? text.slice(lineStart(text, start), start) : '';
  const mark = /[:,[]\s+[-?](?=\s*$)/.exec(before);
  return mark === null ? -1 : lineStart(text, start) + mark.index + mark[0].length - 1;
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
  leftItem,
  reservedWords,
  commaWords,
  cutWords,
  colonWords,
  unclosedWords,
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
  return { finding: { code, pointer: '', offsets: [start, end], message, help }, at: start, isLast };
}
