import { expect, it } from 'vitest';
import { EFFECT_MOVES } from '../../../src/decision/effect-lifecycle.ts';
import { EffectProtocol } from './effect-protocol.ts';
import { type EffectRules, rulesOf } from './effect-rules.ts';
import { isInTable } from './effect-state.ts';
import { EFFECT_VARIANTS } from './effect-variants.ts';
import { type Exploration, explore } from './explore.ts';
import { judgeEffects, namesOf } from './judge-variant.ts';

/** States of the variants that are explored here; the larger ones are by `npm run models`. */
const SMALL_MAX = 25_000;
const SMALL = EFFECT_VARIANTS.filter(({ small }) => small.states <= SMALL_MAX);

const exploreRules = (rules: Partial<EffectRules>): Exploration & { readonly moves: readonly string[] } => {
  const protocol = new EffectProtocol(rulesOf(rules));
  const found = explore(protocol, { statesMax: 100_000 });
  return { ...found, moves: protocol.moves };
};

/** Moves of the engine's table that no commit of the model makes, and why. */
const BEYOND_THE_MODEL: Readonly<Record<string, string>> = {
  'PROPOSED>AUTHORIZED': 'approvals come before the first sending; a row of the model is born REQUESTED',
  'PROPOSED>REFUSED': 'as above',
  'PROPOSED>CANCELLED': 'as above',
  'PROPOSED>CONFIRMED': 'an act that another run did (E11); the model has one run',
  'PROPOSED>FAILED': 'as above',
  'AUTHORIZED>CANCELLED': 'as above: nothing has been sent',
  'AUTHORIZED>FAILED': 'a deadline; the model has no timers',
  'AUTHORIZED>UNKNOWN': 'a word about commits that the database has lost; the model loses none here',
  'REQUESTED>AUTHORIZED': 'definitely not happened: as if the attempt had never been',
  'FAILED>WAIVED': 'a person lets a compensation go: as an end, the same as doing it by hand',
  'REFUSED>WAIVED': 'a person lets a compensation go that nobody approved: as an end, the same as doing it by hand',
  'FAILED>CONFIRMED': 'resolves what I3 says cannot be',
  'ABSENT>CONFIRMED': 'resolves what I3 says cannot be',
};

it.each(SMALL)('$id ($says) has the states and breaks the invariants that are known of it', (variant) => {
  expect(judgeEffects(variant, 'small').differences).toEqual([]);
});

it('every move of the engine’s table is made by a variant that holds, or is named with the reason why not', () => {
  const quarantine = exploreRules({ effects: 1, lookup: true, isBounded: true });
  const none = exploreRules({ effects: 1, isBounded: true });
  const keys = exploreRules({ effects: 1, workers: 1, keys: true });
  for (const { violations } of [quarantine, none, keys]) expect(violations).toEqual([]);
  const made = new Set([quarantine, none, keys].flatMap(({ moves }) => moves));
  expect([...made].filter((move) => !isInTable(move))).toEqual([]);
  const table = EFFECT_MOVES.map(({ from, to }) => `${from}>${to}`);
  expect(table.filter((move) => !made.has(move))).toEqual(Object.keys(BEYOND_THE_MODEL));
});

it('E15 a refusal after a doubt is no proof, and taking it as one settles what has happened as FAILED', () => {
  // E15: "Once an attempt was UNKNOWN, `rejected` from a later attempt settles the row only if the action's own `outcome` names"
  const rules = { effects: 1, workers: 1, exists: true } as const;
  expect(exploreRules(rules).violations).toEqual([]);
  const found = exploreRules({ ...rules, mutant: 'refusal after doubt is proof' });
  expect(namesOf(found.violations)).toBe('I3 I5');
  expect(found.violations[0]?.steps).toContain('marks UNKNOWN');
  expect(found.violations[0]?.steps.at(-1)).toMatch(/^hears a refusal/);
});

it.each([
  ['ends before losers settle', 'I4'],
  ['undoes before losers settle', 'I5'],
] as const)('R08 losers: keep waits for its losers; a run that %s is caught', (mutant, broken) => {
  // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
  const rules = { workers: 1, hasCancel: false, isBounded: true, hasLoser: true } as const;
  expect(exploreRules(rules).violations).toEqual([]);
  const found = exploreRules({ ...rules, mutant });
  expect(namesOf(found.violations)).toBe(broken);
  expect(found.violations[0]?.steps).toContain('the first effect loses the race');
});

it('a variant that is not as it is known says in what', () => {
  const [variant] = EFFECT_VARIANTS.filter(({ id }) => id === 'A8');
  const other = variant && {
    ...variant,
    violated: ['I1'],
    offTable: ['new>FAILED'],
    small: { changes: {}, states: 1 },
  };
  expect(other && judgeEffects(other, 'small').differences).toEqual([
    'violates: I12, not I1',
    'moves off the table: none, not new>FAILED',
    'states: 6760, not 1',
  ]);
});
