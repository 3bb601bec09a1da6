import type { NodeStyle } from './source-map.ts';

/** Length of the escape sequence that starts with the backslash at `at`, and how many UTF-16 units it stands for. */
function escapeAt(source: string, at: number): { length: number; units: number } {
  const letter = source[at + 1];
  if (letter === 'x') return { length: 4, units: 1 };
  if (letter === 'u') return { length: 6, units: 1 };
  if (letter === 'U') return { length: 10, units: Number.parseInt(source.slice(at + 2, at + 10), 16) > 0xffff ? 2 : 1 };
  return { length: 2, units: 1 };
}

function isBlank(letter: string | undefined): boolean {
  return letter === ' ' || letter === '\t' || letter === '\n';
}

/** Where the decoded text begins: after the quote, or after a block scalar's header line and its first indentation. */
function contentStart(source: string, style: NodeStyle): number {
  if (style === 'single' || style === 'double') return 1;
  if (style === 'literal' || style === 'folded') return source.indexOf('\n') + 1;
  return 0;
}

/** One aligned character: where it begins in the source, and where to go on. */
interface Aligned {
  readonly at: number;
  readonly next: number;
  readonly units: number;
}

function alignQuoted(source: string, at: number, style: NodeStyle): Aligned | null {
  if (style === 'single' && source[at] === "'" && source[at + 1] === "'") return { at, next: at + 2, units: 1 };
  if (style === 'double' && source[at] === '\\' && source[at + 1] !== '\n') {
    const escape = escapeAt(source, at);
    return { at, next: at + escape.length, units: escape.units };
  }
  return null;
}

/** Whether the decoded text goes on after the line break(s) at `at` with the break itself (as blank or newline). */
function alignBreak(source: string, from: number, letter: string): Aligned | null {
  let at = from;
  while (isBlank(source[at]) && source[at] !== '\n') at += 1;
  if (source[at] !== '\n') return null;
  return letter === '\n' || letter === ' ' ? { at, next: at + 1, units: 1 } : null;
}

/**
 * For each UTF-16 unit of a scalar's decoded text (and one past its end) the offset in its source: escapes, doubled
 * quotes, folded lines and block indentation are stepped over. Alignment by content, so that one walk serves every style.
 */
export function scalarOffsets(source: string, text: string, style: NodeStyle): readonly number[] {
  const offsets: number[] = [];
  let at = contentStart(source, style);
  let index = 0;
  while (index < text.length) {
    const letter = text[index] ?? '';
    while (style === 'double' && source[at] === '\\' && source[at + 1] === '\n') at = skipBlanks(source, at + 2);
    const quoted = alignQuoted(source, at, style);
    const aligned = quoted ?? (source[at] === letter ? { at, next: at + 1, units: 1 } : alignBreak(source, at, letter));
    if (aligned === null) {
      if (at >= source.length) break;
      at += 1;
      continue;
    }
    for (let unit = 0; unit < aligned.units; unit += 1) offsets.push(aligned.at);
    index += aligned.units;
    at = aligned.next;
    // After a line break the next line's indentation is not part of the text, unless the text itself goes on with a blank there.
    if (source[aligned.at] === '\n' && style !== 'literal') at = skipFolded(source, at, text[index]);
  }
  while (offsets.length <= text.length) offsets.push(Math.min(at, source.length));
  return offsets;
}

function skipBlanks(source: string, from: number): number {
  let at = from;
  while (isBlank(source[at])) at += 1;
  return at;
}

function skipFolded(source: string, from: number, next: string | undefined): number {
  let at = from;
  while (source[at] === ' ' || source[at] === '\t' || (source[at] === '\n' && next !== '\n')) at += 1;
  return at;
}
