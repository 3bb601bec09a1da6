/** What moves a cursor, ends a line, turns the reading direction or is half a character. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Text from outside as one harmless line: control and direction characters are made visible and do nothing. */
export function terminalText(text: string): string {
  return text.replace(UNSAFE, (character) => (character === '\n' || character === '\t' ? ' ' : '�'));
}

/** JSON text whose values cannot act on a terminal either: the same value, with such characters escaped. */
export function terminalJson(value: unknown, indent?: number): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replace(UNSAFE, (found) => (found === '\n' ? found : escaped(found)));
}

/** Cells that a text takes in a terminal: wide characters take two, combining ones none. */
export function cellWidth(text: string): number {
  let cells = 0;
  for (const character of text) cells += cellsOf(character);
  return cells;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
/** Signs that are pictographs by name and one cell wide in terminals. */
const ONE_CELL = /[✔✘↩⏸▶…—–→←↑↓●○◆■□▲△]/u;

function cellsOf(character: string): number {
  if (/\p{Mn}|\p{Cf}/u.test(character)) return 0;
  return WIDE.test(character) && !ONE_CELL.test(character) ? 2 : 1;
}

const ESC = '\u001b';
const COLOUR = new RegExp(`${ESC}\\[[0-9;]*m`, 'g');
/** One colour order of a terminal, or one character. */
const PIECE = new RegExp(`${ESC}\\[[0-9;]*m|.`, 'gsu');
const COLOUR_END = `${ESC}[0m`;

/** Cells of a text that may hold colours. */
export function paintedWidth(text: string): number {
  return cellWidth(text.replace(COLOUR, ''));
}

/** Cuts a text, painted or not, to a number of cells, with an ellipsis where something was cut. */
export function cutTo(text: string, cells: number): string {
  if (paintedWidth(text) <= cells) return text;
  let out = '';
  let width = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    const isColour = piece.startsWith(ESC);
    const more = isColour ? 0 : cellsOf(piece);
    if (width + more > cells - 1) break;
    out += piece;
    width += more;
  }
  return `${out}${out.includes(ESC) ? COLOUR_END : ''}…`;
}

/** Pads a text on the right to a number of cells. */
export function pad(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - cellWidth(text)));
}
