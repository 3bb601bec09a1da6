import { describe, expect, it } from 'vitest';
import type { ChaosHouse } from '../../../src/testing/chaos/chaos-house.ts';
import { Figures } from '../../../src/testing/chaos/figures.ts';
import { countEffects, judge } from '../../../src/testing/chaos/judge.ts';
import type { RunView } from '../../../src/engine/run-view.ts';

type EffectView = RunView['effects'][number];

/** An effect that was confirmed by its first answer, but for what is said. */
function effectOf(given: Partial<EffectView> = {}): EffectView {
  const plain = {
    key: 'k',
    step: 's',
    action: 'do.charge',
    state: 'CONFIRMED',
    compensates: null,
    resends: 0,
    queries: 0,
  };
  return { ...plain, observedBy: 'response', ...given } as EffectView;
}

function runOf(effects: readonly EffectView[], given: Partial<RunView> = {}): RunView {
  return { id: 'run_1', status: 'COMPLETED', incidents: [], effects, ...given } as unknown as RunView;
}

/** What is found when the book has these keys. */
async function judged(runs: readonly RunView[], keys: readonly string[], stored = {}) {
  const book = new Map<string, unknown[]>();
  for (const key of keys) book.set(key, [...(book.get(key) ?? []), {}]);
  const verified = { faults: [], checked: { runs: runs.length, receipts: 1 }, ...stored };
  const house = { book: () => book, app: { verifyStore: () => Promise.resolve(verified) } };
  return judge(house as unknown as Pick<ChaosHouse, 'app' | 'book'>, runs, new Figures());
}

describe('the judge', () => {
  it('finds nothing where every ledger equals the book', async () => {
    const runs = [runOf([effectOf(), effectOf({ key: 'f', state: 'FAILED' })])];
    expect((await judged(runs, ['k'])).faults).toEqual([]);
  });

  it.each([
    ['CONFIRMED', [], 'the ledger says CONFIRMED, the book has nothing'],
    ['CONFIRMED', ['k', 'k'], 'it happened 2 times'],
    ['FAILED', ['k'], 'the ledger says FAILED, the book has it'],
    ['ABSENT', ['k'], 'the ledger says ABSENT, the book has it'],
    ['CANCELLED', ['k'], 'the ledger says CANCELLED, the book has it'],
    ['UNKNOWN', ['k', 'k'], 'it happened 2 times'],
  ])('an effect that is %s with %j in the book: %s', async (state, keys, said) => {
    const runs = [runOf([effectOf({ state })], { status: 'HELD', incidents: [{}] as unknown as RunView['incidents'] })];
    expect((await judged(runs, keys)).faults).toEqual([`run_1 s (lookup): ${said}`]);
  });

  it('what may happen twice by its nature may happen twice', async () => {
    expect((await judged([runOf([effectOf({ action: 'do.pack' })])], ['k', 'k'])).faults).toEqual([]);
  });

  it('a run that has ended has no open row, and one that has not names a review', async () => {
    const open = runOf([effectOf({ state: 'REQUESTED' })]);
    expect((await judged([open], [])).faults).toEqual(['run_1 is COMPLETED and s is REQUESTED']);
    for (const status of ['RUNNING', 'WAITING', 'HELD'] as const)
      expect((await judged([runOf([], { status })], [])).faults).toEqual([
        `run_1 is ${status}: it neither ended nor names a review`,
      ]);
  });

  it('a run is COMPENSATED once each undo is confirmed', async () => {
    const undo = (state: string): RunView =>
      runOf([effectOf({ key: 'u', step: 'u', state, compensates: 'k' })], { status: 'COMPENSATED' });
    expect((await judged([undo('CONFIRMED')], ['u'])).faults).toEqual([]);
    expect((await judged([undo('FAILED')], [])).faults).toEqual(['run_1 is COMPENSATED and the undo of u is FAILED']);
  });

  it('what stands in the book alone, a broken invariant, a run that nobody started and a play without receipts are faults', async () => {
    const runs = [runOf([effectOf()])];
    expect((await judged(runs, ['k', 'x'])).faults).toEqual(['in the book only: x']);
    expect((await judged(runs, ['k'], { faults: [{ check: 'journal' }] })).faults).toEqual([
      'invariant: {"check":"journal"}',
    ]);
    expect((await judged(runs, ['k'], { checked: { runs: 2, receipts: 1 } })).faults).toEqual([
      '1 runs were started, 2 are stored',
    ]);
    expect((await judged(runs, ['k'], { checked: { runs: 1, receipts: 0 } })).faults).toEqual([
      'there is no receipt at all',
    ]);
  });

  it('tells for each kind of provider what its effects are and how often they are in the book', async () => {
    const runs = [
      runOf([
        effectOf(),
        effectOf({ key: 'l' }),
        effectOf({ key: 'n', action: 'do.tip', state: 'ABSENT', observedBy: 'person' }),
      ]),
    ];
    expect((await judged(runs, ['k', 'l'])).table).toEqual([
      'lookup      2 CONFIRMED, 1 in the book',
      'none        1 ABSENT by a person, 0 in the book',
    ]);
  });
});

it('doubts are counted by who settled them: a person, a query, or the key alone', () => {
  const figures = new Figures();
  const effects = [
    effectOf({ resends: 2, action: 'do.reserve' }),
    effectOf({ resends: 1, queries: 1 }),
    effectOf({ observedBy: 'query' }),
    effectOf({ observedBy: 'person', queries: 3 }),
    effectOf({ state: 'UNKNOWN', resends: 5 }),
  ];
  countEffects([runOf(effects)], figures);
  const names = ['key', 'query', 'person'] as const;
  expect(names.map((by) => figures.of(`UNKNOWN settled by ${by}`))).toEqual([1, 1, 1]);
  expect([figures.of('effects key'), figures.of('effects lookup')]).toEqual([1, 3]);
});
