/** Text from outside as one harmless line: control bytes and escape sequences cannot move the cursor or forge a line. */
export function terminalText(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => (character === '\n' || character === '\t' ? ' ' : '�'));
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

/** Cuts a text to a number of cells, with an ellipsis where something was cut. */
export function cutTo(text: string, cells: number): string {
  if (cellWidth(text) <= cells) return text;
  let out = '';
  for (const character of text) {
    if (cellWidth(out) + cellsOf(character) > cells - 1) break;
    out += character;
  }
  return `${out}…`;
}

/** Pads a text on the right to a number of cells. */
export function pad(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - cellWidth(text)));
}
