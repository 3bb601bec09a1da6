import {
  commentIn,
  commentWords,
  type Complaint,
  indentOf,
  lineEnd,
  lineStart,
  nodesAround,
  type Words,
} from './yaml-complaint.ts';

/** An expression inside `{ }` or `[ ]` that is not quoted. */
export function templateInFlow({ error, text }: Complaint): Words | null {
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

/** A value, texts in quotes included, and after a blank the key that follows it. */
const KEY_AFTER_VALUE = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^,?{}[\]"'])*?\s([A-Za-z_][\w.-]*):(?=\s)/s;
const KEY_OR_VALUE = /^(?:([A-Za-z_][\w.-]*):\s|["'[{])/;

/** Two keys or items inside `{ }` or `[ ]` with no comma between them. */
export function commaWords(complaint: Complaint): Words | null {
  const { error, text } = complaint;
  const isInside = nodesAround(complaint, error.start + 1).some(
    (node) => node.kind !== 'scalar' && /[[{]/.test(text.charAt(node.start)) && node.end > error.start,
  );
  if (!isInside) return null;
  if (error.code === 'BLOCK_IN_FLOW' || error.code === 'MULTILINE_IMPLICIT_KEY') {
    const [value, key] = KEY_AFTER_VALUE.exec(text.slice(error.start, error.end + 2)) ?? [];
    return value === undefined || key === undefined ? null : missingComma(error.start + value.length, key);
  }
  if (!/^Missing ,|at node end/.test(error.message)) return null;
  const [next, key] = KEY_OR_VALUE.exec(text.slice(error.start)) ?? [];
  if (next === undefined) return null;
  if (key !== undefined) return missingComma(error.start + key.length + 1, key);
  const message = 'a comma is missing before this value';
  return { code: 'PAWL-026', start: error.start, end: error.start + 1, message, help: 'write a comma between the two' };
}

function missingComma(end: number, key: string): Words {
  return {
    code: 'PAWL-026',
    start: end - key.length - 1,
    end,
    message: `a comma is missing before \`${key}:\``,
    help: `write \`, ${key}:\`, or quote the whole value if \`${key}:\` is part of it`,
  };
}

/** Whether the bracket at an offset has its partner somewhere below, texts in quotes and comments aside. */
function isClosed(text: string, start: number): boolean {
  const bare = text.slice(start).replace(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?<=\s)#[^\n]*/g, '');
  const open: string[] = [];
  for (const letter of bare) {
    if (letter === '{') open.push('}');
    else if (letter === '[') open.push(']');
    else if ((letter === '}' || letter === ']') && open.pop() !== letter) return false;
    if (open.length === 0) return true;
  }
  return false;
}

/** A quote or bracket that is never closed, or whose lines are not indented. */
export function unclosedWords(complaint: Complaint): Words | null {
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
    const comment = commentIn(text, [start, Math.max(error.start, start + 1)], /[}\]]/);
    if (comment !== -1) return commentWords(text, comment);
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
