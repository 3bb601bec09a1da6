import { expect, it } from 'vitest';
import { standingWords } from '../../src/cli/standing-words.ts';

const TOLD = { effectKey: 'eff_1', step: 'tell', action: 'mail.send', output: null };

it.each([
  ['finally', 'what `finally` has done is not undone'],
  ['waived', 'its undo was waived'],
  ['none', '`compensate: none`'],
  ['undeclared', 'it says no `compensate`'],
] as const)('What an undo leaves done says why: %s', (why, words) => {
  expect(standingWords({ ...TOLD, why })).toBe(`! tell  mail.send stays done: ${words}`);
});

it('What an undo leaves done names the item and the turn that it was done for, safe for a terminal', () => {
  const words = standingWords({ ...TOLD, item: 'sku\u001b[2J', turn: '1/2', why: 'none' });
  expect(words).toMatch(/^! tell \[sku.*, turn 1\/2\] {2}mail\.send stays done/);
  expect(words).not.toContain('\u001b');
});
