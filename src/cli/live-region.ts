import { cutTo, paintedWidth } from './terminal-text.ts';

/** Lines at the bottom of a terminal that are drawn again in place. */
export interface LiveRegion {
  /** Replaces what is shown; nothing is written when nothing changed. */
  draw(lines: readonly string[]): void;
  /** Writes a line that stays, above what is drawn. */
  note(line: string): void;
  /** Leaves the last picture where it stands, whole. */
  end(): void;
}

/** What a live region needs of a stream. */
export interface LiveStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const ERASE_DOWN = '\u001b[0J';
/** A terminal that does not say how large it is: it says nothing, or zero. */
const COLUMNS = 80;
const ROWS = 24;

/** Columns or rows of a terminal, as it says them. */
function sizeOf(said: number | undefined, usual: number): number {
  return said === undefined || said <= 0 ? usual : said;
}

/** How wide a terminal is, cells. */
export function columnsOf({ columns }: Pick<LiveStream, 'columns'>): number {
  return sizeOf(columns, COLUMNS);
}

/**
 * On a terminal the lines are redrawn in place, cut to its width and height; elsewhere only lines that are new since the
 * last picture are appended, so that a log stays a log.
 */
export function openLiveRegion(stream: LiveStream): LiveRegion {
  return stream.isTTY === true ? redrawn(stream) : appended(stream);
}

function redrawn(stream: LiveStream): LiveRegion {
  let lines: readonly string[] = [];
  let shown: readonly string[] = [];
  const columns = (): number => columnsOf(stream);
  /** A terminal that became narrower has wrapped what stands there. */
  const height = (): number =>
    shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(paintedWidth(line) / columns())), 0);
  const erase = (): string => (shown.length === 0 ? '' : `\u001b[${height()}A\r${ERASE_DOWN}`);
  const put = (above: string, picture: readonly string[]): void => {
    const before = erase();
    shown = picture.map((line) => cutTo(line, Math.max(1, columns() - 1)));
    stream.write(`${before}${above}${shown.map((line) => `${line}\n`).join('')}`);
  };
  return {
    draw(next) {
      if (next.length === lines.length && next.every((line, index) => line === lines[index])) return;
      lines = next;
      put('', fitted(lines, sizeOf(stream.rows, ROWS)));
    },
    note: (line) => put(`${line}\n`, fitted(lines, sizeOf(stream.rows, ROWS))),
    end() {
      const isWhole = shown.length === lines.length && shown.every((line, index) => line === lines[index]);
      if (!isWhole) stream.write(`${erase()}${lines.map((line) => `${line}\n`).join('')}`);
      lines = [];
      shown = [];
    },
  };
}

/** The cursor cannot go back above the first row: of a picture that is too high the head and the end are shown. */
function fitted(lines: readonly string[], rows: number): readonly string[] {
  const room = Math.max(3, rows - 1);
  if (lines.length <= room) return lines;
  const tail = lines.slice(lines.length - (room - 2));
  return [...lines.slice(0, 1), `  … ${lines.length - 1 - tail.length} more`, ...tail];
}

function appended(stream: LiveStream): LiveRegion {
  let last: ReadonlySet<string> = new Set();
  return {
    draw(lines) {
      for (const line of lines) if (line.trim() !== '' && !last.has(line)) stream.write(`${line}\n`);
      last = new Set(lines);
    },
    note: (line) => void stream.write(`${line}\n`),
    end() {
      last = new Set();
    },
  };
}
