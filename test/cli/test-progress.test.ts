import { expect, it } from 'vitest';
import { openProgress } from '../../src/cli/test-progress.ts';

const PLAY = { file: 'pay.test.yaml', no: 3, scenario: 'all is well', played: 7, plays: 20 };

/** What is written while plays begin at these times, milliseconds. */
function written(isTTY: boolean, timesMs: readonly number[]): string {
  let nowMs = 0;
  let text = '';
  const stream = { isTTY, columns: 80, rows: 24, write: (more: string) => (text += more) };
  const progress = openProgress(stream, 9, () => nowMs);
  for (const [at, atMs] of timesMs.entries()) {
    nowMs = atMs;
    progress.tell({ ...PLAY, played: at + 1 });
  }
  progress.clear();
  progress.clear();
  return text;
}

it('where lines stay, what takes long says every ten seconds how far it is, and what is soon done says nothing', () => {
  expect(written(false, [0, 5_000, 9_999])).toBe('');
  expect(written(false, [0, 10_000, 15_000, 20_000])).toBe(
    '3 of 9 pay.test.yaml: all is well, 2 of 20 plays\n3 of 9 pay.test.yaml: all is well, 4 of 20 plays\n',
  );
});

it('on a terminal it is one line that is drawn again, and gone at the end', () => {
  expect(written(true, [0, 50, 100])).toBe(
    '3 of 9 pay.test.yaml: all is well, 1 of 20 plays\n' +
      '\u001b[1A\r\u001b[0J3 of 9 pay.test.yaml: all is well, 3 of 20 plays\n' +
      '\u001b[1A\r\u001b[0J',
  );
});
