/** How a node is written; decides how offsets inside its text map to the file. */
export type NodeStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded' | 'map' | 'list' | 'empty';

/** A piece of a scalar's source: one character, or an escape that stands for some units of the text. */
interface Piece {
  readonly at: number;
  /** Null for an escape: it matches whatever the parser made of it. */
  readonly letter: string | null;
  readonly units: number;
}

function isBlank(letter: string | undefined): boolean {
  return letter === ' ' || letter === '\t' || letter === '\n';
}

/** The escape that begins with the backslash at `at`. */
function escapeLength(source: string, at: number): { length: number; units: number } {
  const letter = source[at + 1];
  if (letter === 'x') return { length: 4, units: 1 };
  if (letter === 'u') return { length: 6, units: 1 };
  if (letter === 'U') return { length: 10, units: Number.parseInt(source.slice(at + 2, at + 10), 16) > 0xffff ? 2 : 1 };
  return { length: 2, units: 1 };
}

/** Blanks from `from` on: as they are inside a line; of a line break only the breaks count. */
function blankPieces(source: string, from: number): { pieces: Piece[]; next: number } {
  let next = from;
  while (isBlank(source[next])) next += 1;
  const run = source.slice(from, next);
  const pieces: Piece[] = [];
  for (let index = 0; index < run.length; index += 1) {
    const letter = run.charAt(index);
    if (letter === '\n' || !run.includes('\n')) pieces.push({ at: from + index, letter, units: 1 });
  }
  return { pieces, next };
}

function escapePiece(source: string, at: number): { pieces: Piece[]; next: number } {
  if (source[at + 1] === '\n') {
    let next = at + 2;
    while (source[next] === ' ' || source[next] === '\t') next += 1;
    return { pieces: [], next };
  }
  const { length, units } = escapeLength(source, at);
  return { pieces: [{ at, letter: null, units }], next: at + length };
}

/** Pieces of a plain or quoted scalar. */
function flowPieces(source: string, style: NodeStyle): Piece[] {
  const pieces: Piece[] = [];
  const quoted = style === 'single' || style === 'double';
  const end = quoted ? source.length - 1 : source.length;
  let at = quoted ? 1 : 0;
  while (at < end) {
    let step = { pieces: [{ at, letter: source.charAt(at), units: 1 }], next: at + 1 } as {
      pieces: Piece[];
      next: number;
    };
    if (isBlank(source[at])) step = blankPieces(source, at);
    else if (style === 'double' && source[at] === '\\') step = escapePiece(source, at);
    else if (style === 'single' && source[at] === "'") step = { ...step, next: at + 2 };
    pieces.push(...step.pieces);
    at = step.next;
  }
  return pieces;
}

/** How many blanks begin the first line that has anything else. */
function leadOf(text: string): number {
  return /^ *(?=[^ \n])/m.exec(text)?.[0].length ?? 0;
}

/** Pieces of a block scalar: what is left of its lines without their indentation (what the text has of it belongs to it). */
function blockPieces(source: string, text: string): Piece[] {
  const header = source.indexOf('\n') + 1;
  const indent = leadOf(source.slice(header)) - leadOf(text);
  const pieces: Piece[] = [];
  let column = 0;
  for (let at = header; at < source.length; at += 1) {
    const letter = source.charAt(at);
    if (letter === '\n' || column >= indent) pieces.push({ at, letter, units: 1 });
    column = letter === '\n' ? 0 : column + 1;
  }
  return pieces;
}

/** Whether a piece is the next unit of the text; a folded line break is a blank there. */
function matches(piece: Piece, letter: string | undefined): boolean {
  return piece.letter === null || piece.letter === letter || (piece.letter === '\n' && letter === ' ');
}

/**
 * For each UTF-16 unit of a scalar's decoded text (and one past its end) the offset in its source: escapes, doubled
 * quotes, folded lines and block indentation are stepped over.
 */
export function scalarOffsets(source: string, text: string, style: NodeStyle): readonly number[] {
  const pieces = style === 'literal' || style === 'folded' ? blockPieces(source, text) : flowPieces(source, style);
  const offsets: number[] = [];
  let last = 0;
  for (const piece of pieces) {
    if (offsets.length >= text.length) break;
    if (!matches(piece, text[offsets.length])) continue;
    for (let unit = 0; unit < piece.units; unit += 1) offsets.push(piece.at);
    last = piece.at + (piece.letter === null ? escapeLength(source, piece.at).length : 1);
  }
  while (offsets.length <= text.length) offsets.push(Math.min(last, source.length));
  return offsets;
}
