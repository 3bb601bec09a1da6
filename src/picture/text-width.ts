/**
 * Advance widths of a sans-serif font (DejaVu Sans Book, thousandths of an em, rounded up to classes), so that boxes fit
 * their text on every machine without a canvas: the same file gives the same picture everywhere.
 */
const NARROW = new Set("iljI|!.,:;'`");
const SLIM = new Set('frt()[]{}/\\-" ');
const WIDE = new Set('mwMW@%&—');
const CAPITAL = /[A-HJ-LN-VX-Z]/;

/** Width of a text in pixels at a font size in pixels; non-Latin characters count as wide. */
export function textWidth(text: string, fontSizePx: number): number {
  let thousandths = 0;
  for (const character of text) thousandths += glyphWidth(character);
  return (thousandths * fontSizePx) / 1000;
}

function glyphWidth(character: string): number {
  if (NARROW.has(character)) return 318;
  if (SLIM.has(character)) return 412;
  if (WIDE.has(character)) return 950;
  if (CAPITAL.test(character)) return 700;
  if (character.charCodeAt(0) > 0x2fff) return 1000;
  return 620;
}

/** Shortens a text to a number of characters, with an ellipsis where something was cut. */
export function shorten(text: string, charactersMax: number): string {
  const characters = [...text];
  if (characters.length <= charactersMax) return text;
  return `${characters.slice(0, charactersMax - 1).join('')}…`;
}

/** A text in lines of at most so many characters, broken between words where that can be; what the last line cannot hold is cut. */
export function wrapped(text: string, charactersMax: number, linesMax: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (lines.length < linesMax - 1 && [...rest].length > charactersMax) {
    const blank = rest.slice(0, charactersMax + 1).lastIndexOf(' ');
    // A word that is longer than a line is not torn apart: it is cut at its end.
    if (blank <= 0) break;
    lines.push(rest.slice(0, blank));
    rest = rest.slice(blank + 1);
  }
  return [...lines, shorten(rest, charactersMax)];
}
