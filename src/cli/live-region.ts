import { cutTo } from './terminal-text.ts';

/** Lines at the bottom of a terminal that are drawn again in place. */
export interface LiveRegion {
  /** Replaces what is shown; nothing is written when nothing changed. */
  draw(lines: readonly string[]): void;
  /** Leaves the last picture where it stands. */
  end(): void;
}

/** What a live region needs of a stream. */
export interface LiveStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const ERASE_DOWN = '\u001b[0J';

/**
 * On a terminal the lines are redrawn in place; elsewhere only lines that are new are appended, so that a log stays a log.
 * Lines that hold colour are not cut: callers keep them short of `columns`.
 */
export function openLiveRegion(stream: LiveStream): LiveRegion {
  return stream.isTTY === true ? redrawn(stream) : appended(stream);
}

function redrawn(stream: LiveStream): LiveRegion {
  let shown: readonly string[] = [];
  return {
    draw(lines) {
      if (lines.length === shown.length && lines.every((line, index) => line === shown[index])) return;
      const up = shown.length === 0 ? '' : `\u001b[${shown.length}A\r`;
      stream.write(`${up}${ERASE_DOWN}${lines.map((line) => `${cut(line, stream.columns)}\n`).join('')}`);
      shown = lines;
    },
    end() {
      shown = [];
    },
  };
}

function cut(line: string, columns: number | undefined): string {
  const isPlain = !line.includes('\u001b');
  return isPlain && columns !== undefined ? cutTo(line, columns - 1) : line;
}

function appended(stream: LiveStream): LiveRegion {
  const written = new Set<string>();
  return {
    draw(lines) {
      for (const line of lines) {
        if (line.trim() === '' || written.has(line)) continue;
        written.add(line);
        stream.write(`${line}\n`);
      }
    },
    end() {
      written.clear();
    },
  };
}
