import type { ProblemCode } from './problem-codes.ts';
import type { RawDocument, RawError, RawNode } from './read-yaml.ts';

/** What the parser says, where, and the text it says it of. */
export interface Complaint {
  readonly error: RawError;
  readonly text: string;
  readonly document: RawDocument;
}

/** A mistake in words; offsets are of the text. */
export interface Words {
  readonly code: ProblemCode;
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly help: string;
  /** Set where going on would only find consequences. */
  readonly isLast?: true;
}

/** The mend of what YAML reads as something else. */
export const QUOTE_HELP = 'quote the whole value';

/** Offset of the first letter of the line that holds an offset. */
export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Offset of the line break after an offset, or of the end of the text. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Where a comment begins in a stretch of text, texts in quotes aside; -1 where there is none that fits. */
export function commentIn(text: string, [from, to]: readonly [number, number], fits = /^/): number {
  const pieces = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?<=\s)#[^\n]*/g;
  for (const piece of text.slice(from, to).matchAll(pieces))
    if (piece[0].startsWith('#') && fits.test(piece[0])) return from + piece.index;
  return -1;
}

/** The words for a comment that cuts a value off. */
export function commentWords(text: string, start: number): Words {
  return {
    code: 'PAWL-015',
    start,
    end: lineEnd(text, start),
    message: 'the value ends here: ` #` begins a comment',
    help: 'quote the whole value if `#` belongs to it; else write the comment on a line of its own',
  };
}

/** How much white space a text begins with. */
export function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** The nodes that may still be open at an offset, innermost first: each is the last that began in the one around it. */
export function nodesAround({ document }: Complaint, at: number): readonly RawNode[] {
  const path: RawNode[] = [];
  let node = document.root;
  while (node !== null && node.start < at) {
    path.unshift(node);
    node = childrenOf(node).findLast(({ start }) => start < at) ?? null;
  }
  return path;
}

function childrenOf(node: RawNode): readonly RawNode[] {
  if (node.kind === 'map') return node.entries.flatMap(({ key, value }) => [key, value]);
  return node.kind === 'list' ? node.items : [];
}
