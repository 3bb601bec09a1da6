import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { INVARIANT_TEXTS } from './effect-invariants.ts';
import { EFFECT_VARIANTS } from './effect-variants.ts';
import { WAKE_UP_VARIANTS } from './wake-up-variants.ts';

const PAGE = readFileSync(new URL('../../../docs/reference/models.md', import.meta.url), 'utf8');

/** The cells of the table of a page whose header begins so. */
function tableOf(header: string): readonly (readonly string[])[] {
  const [, after = ''] = PAGE.split(`\n| ${header} |`);
  const lines = after.split('\n').slice(2);
  return lines.slice(0, lines.indexOf('')).map((line) => line.slice(2, -2).split(' | '));
}

const count = (number: number): string => number.toLocaleString('en');

it('docs/reference/models.md says of every variant what the models are compared with', () => {
  const rows = EFFECT_VARIANTS.map(({ id, says, violated, offTable, full, small, isCapped }) => [
    id,
    says,
    violated.join(' ') || 'none',
    offTable.join(', ') || 'none',
    `${count(full.states)}${isCapped ? ' (limit)' : ''}`,
    count(small.states),
  ]);
  expect(tableOf('variant | what it is | violated')).toEqual(rows);
  const wakeUps = WAKE_UP_VARIANTS.map(({ id, says, states, stuck }) => [
    id,
    says,
    count(states),
    `${stuck || 'none'}`,
  ]);
  expect(tableOf('variant | what it is | states')).toEqual(wakeUps);
});

it('docs/reference/models.md says what every invariant means', () => {
  expect(tableOf('invariant')).toEqual(Object.entries(INVARIANT_TEXTS));
});
