import { describe, expect, it } from 'vitest';
import { openLiveRegion } from '../../src/cli/live-region.ts';

function stream(isTTY: boolean): {
  readonly written: string[];
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): void;
} {
  const written: string[] = [];
  return { written, isTTY, columns: 20, write: (text) => void written.push(text) };
}

describe('a live region', () => {
  it('draws again over its own lines on a terminal', () => {
    const out = stream(true);
    const region = openLiveRegion(out);
    region.draw(['one', 'two']);
    region.draw(['one', 'three']);
    expect(out.written).toEqual(['\u001b[0Jone\ntwo\n', '\u001b[2A\r\u001b[0Jone\nthree\n']);
  });

  it('writes nothing when nothing changed', () => {
    const out = stream(true);
    const region = openLiveRegion(out);
    region.draw(['one']);
    region.draw(['one']);
    expect(out.written.length).toBe(1);
  });

  it('cuts lines to the terminal, so that it never scrolls what it will redraw', () => {
    const out = stream(true);
    openLiveRegion(out).draw(['a'.repeat(50)]);
    expect(out.written[0]).toBe(`\u001b[0J${'a'.repeat(18)}…\n`);
  });

  it('appends only new lines where there is no terminal, without any escape', () => {
    const out = stream(false);
    const region = openLiveRegion(out);
    region.draw(['one', 'two']);
    region.draw(['one', 'two', 'three']);
    expect(out.written).toEqual(['one\n', 'two\n', 'three\n']);
  });
});
