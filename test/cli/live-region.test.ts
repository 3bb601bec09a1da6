import { describe, expect, it } from 'vitest';
import { openLiveRegion } from '../../src/cli/live-region.ts';

const ESC = '\u001b';

interface Screen {
  readonly written: string[];
  readonly isTTY: boolean;
  columns: number;
  rows: number;
  write(text: string): void;
}

function stream(isTTY: boolean): Screen {
  const written: string[] = [];
  return { written, isTTY, columns: 20, rows: 10, write: (text) => void written.push(text) };
}

describe('a live region', () => {
  it('draws again over its own lines on a terminal', () => {
    const out = stream(true);
    const region = openLiveRegion(out);
    region.draw(['one', 'two']);
    region.draw(['one', 'three']);
    expect(out.written).toEqual(['one\ntwo\n', `${ESC}[2A\r${ESC}[0Jone\nthree\n`]);
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
    expect(out.written[0]).toBe(`${'a'.repeat(18)}…\n`);
  });

  it('takes a terminal that says it has no columns and no rows for one of the usual size', () => {
    const out = stream(true);
    Object.assign(out, { columns: 0, rows: 0 });
    openLiveRegion(out).draw(['a'.repeat(50), 'b', 'c', 'd']);
    expect(out.written[0]).toBe(`${'a'.repeat(50)}\nb\nc\nd\n`);
  });

  it('cuts a coloured line by what is seen and ends its colour', () => {
    const out = stream(true);
    openLiveRegion(out).draw([`${ESC}[32m${'a'.repeat(50)}${ESC}[39m`]);
    expect(out.written[0]).toBe(`${ESC}[32m${'a'.repeat(18)}${ESC}[0m…\n`);
  });

  it('goes up by the rows that its lines take after the terminal became narrower', () => {
    const out = stream(true);
    const region = openLiveRegion(out);
    region.draw(['0123456789', 'x']);
    out.columns = 5;
    region.draw(['y']);
    expect(out.written[1]).toBe(`${ESC}[3A\r${ESC}[0Jy\n`);
  });

  it('shows head and end of a picture that is higher than the terminal, and all of it at the end', () => {
    const out = stream(true);
    out.rows = 6;
    const region = openLiveRegion(out);
    const lines = ['head', ...Array.from({ length: 10 }, (_, index) => `line ${index}`)];
    region.draw(lines);
    expect(out.written[0]).toBe('head\n  … 7 more\nline 7\nline 8\nline 9\n');
    region.end();
    expect(out.written[1]).toBe(`${ESC}[5A\r${ESC}[0J${lines.join('\n')}\n`);
  });

  it('leaves the last picture whole, wrapped by the terminal where it is too wide', () => {
    const out = stream(true);
    const region = openLiveRegion(out);
    region.draw(['a'.repeat(50)]);
    region.end();
    expect(out.written[1]).toBe(`${ESC}[1A\r${ESC}[0J${'a'.repeat(50)}\n`);
  });

  it('writes a note above the picture, which stays whole', () => {
    const out = stream(true);
    const region = openLiveRegion(out);
    region.draw(['one']);
    region.note('something happened');
    expect(out.written[1]).toBe(`${ESC}[1A\r${ESC}[0Jsomething happened\none\n`);
  });

  it('appends only what is new since the last picture where there is no terminal, without any escape', () => {
    const out = stream(false);
    const region = openLiveRegion(out);
    region.draw(['one', 'two']);
    region.draw(['one', 'two', 'three']);
    region.draw(['one', 'three']);
    region.draw(['one', 'two']);
    region.note('note');
    expect(out.written).toEqual(['one\n', 'two\n', 'three\n', 'two\n', 'note\n']);
  });
});
