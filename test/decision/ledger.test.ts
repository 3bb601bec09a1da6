import { describe, expect, it } from 'vitest';
import { Ledger } from '../../src/decision/ledger.ts';
import { nextGeneration } from '../../src/decision/compensation-plan.ts';
import { isOpen } from '../../src/decision/effect-lifecycle.ts';
import { nextAtOnce } from '../../src/decision/next-at-once.ts';
import type { Effect } from '../../src/model/effect.ts';
import type { EffectKey } from '../../src/model/ids.ts';
import type { EffectState } from '../../src/model/statuses.ts';
import { authorized, authorizedUndo } from './ledger-fixtures.ts';
import { Play, workflow } from './support/play.ts';

const done = (step: string, receiptNo: number): Effect => ({ ...authorized(step), state: 'CONFIRMED', receiptNo });
const undo = (step: string, state: EffectState): Effect => ({ ...authorizedUndo(authorized(step).key, step), state });
const mapOf = (...rows: readonly Effect[]): ReadonlyMap<EffectKey, Effect> =>
  new Map(rows.map((row) => [row.key, row]));
const told = (ledger: Ledger) => ({
  rows: [...ledger].map(([key, { state }]) => [key, state]),
  live: [...ledger.live()].map(({ key }) => key),
  undo: ledger.undoOf(authorized('a').key)?.state,
});

describe('a ledger', () => {
  it('keeps what it held when others come from it, in whatever order they are read', () => {
    const a = authorized('a');
    const first = Ledger.of(mapOf(a));
    const written = [done('a', 1), undo('a', 'AUTHORIZED'), undo('a', 'FAILED'), nextGeneration(undo('a', 'FAILED'))];
    const all = [first];
    for (const row of written) all.push((all.at(-1) ?? first).with(row));
    const copies = all.map((_, count) => told(Ledger.of(mapOf(a, ...written.slice(0, count)))));
    for (const at of [4, 0, 3, 1, 2, 4]) expect(told(all.at(at) ?? first)).toEqual(copies[at]);
    expect([first.size, first.has(a.key), [...first.keys()]]).toEqual([1, true, [a.key]]);
    const visited: unknown[] = [];
    first.forEach((row, key) => {
      visited.push([key, row.state]);
    });
    expect(visited).toEqual([[a.key, 'AUTHORIZED']]);
  });

  it('knows a plan by the receipts of what it undoes, without what was undone before', () => {
    const rows = ['a', 'b', 'c'].flatMap((step, no) => [done(step, no + 1), undo(step, 'PROPOSED')]);
    const [c, b, a] = [undo('c', 'PROPOSED').key, undo('b', 'PROPOSED').key, undo('a', 'PROPOSED').key];
    const keys = [c, b, a];
    const ledger = Ledger.of(mapOf(...rows));
    const whole = ledger.spansOf(keys);
    expect([whole, ledger.keysOf(whole)]).toEqual([[[3, 1]], keys]);
    const parts = ledger.with(undo('b', 'CONFIRMED')).spansOf([c, a]);
    expect([parts, ledger.keysOf(parts)]).toEqual([
      [
        [3, 3],
        [1, 1],
      ],
      [c, a],
    ]);
  });

  it('reads a plan that was stored before there were pairs, also where more was added to it', () => {
    const rows = ['a', 'b', 'c'].flatMap((step, no) => [done(step, no + 1), undo(step, 'PROPOSED')]);
    const [c, b, a] = [undo('c', 'PROPOSED').key, undo('b', 'PROPOSED').key, undo('a', 'PROPOSED').key];
    expect(Ledger.of(mapOf(...rows)).keysOf([b, a, [3, 3]])).toEqual([b, a, c]);
  });

  it('R07 of many rows of one step is asked in what order they are undone as if they were few', () => {
    // R07: "a compensation starts when those of all steps that read its step's output, and those its own `after` names, are confirmed"
    const forward = Array.from({ length: 100 }, (_, no) => authorized('a', [['m', `item-${no}`]]));
    const undos = forward.map(({ key }): Effect => ({ ...authorizedUndo(key, 'a'), state: 'PROPOSED' }));
    let asked = 0;
    const never = (): boolean => {
      asked += 1;
      return false;
    };
    const order = { isReverse: false, excludes: never, precedes: never, awaits: never };
    const keys = undos.map(({ key }) => key);
    const next = nextAtOnce(keys, mapOf(...forward, ...undos), { order, onFailure: () => 'hold' });
    expect(next.authorize).toEqual(keys);
    expect(asked).toBeLessThanOrEqual(300);
  });

  it('of thousands of rows is not read through by a decision that concerns one', () => {
    const text = workflow(
      '  - { id: m, map: input.list, key: item, steps: [{ id: a, call: do.a, with: { of: =item } }] }',
    );
    const list = Array.from({ length: 40 }, (_, no) => `item-${no}`);
    const words = [...Array<'ok'>(39).fill('ok'), 'declined'] as const;
    const run = new Play(text, { input: { list }, script: { 'do.a': words }, compares: false });
    const next = (): void => {
      const input = run.answerNext();
      if (input !== null) run.decide([input]);
    };
    for (let count = 0; count < 20; count += 1) next();
    const forward = countReads(run);
    next();
    expect(forward()).toBe(0);
    for (let count = 0; count < 30; count += 1) next();
    expect(run.state.phase).toBe('compensating');
    const undoing = countReads(run);
    // The first decision in a process looks where its plan stands.
    next();
    const before = undoing();
    next();
    expect(undoing() - before).toBeLessThan(20);
  });
});

/** Counts from now on how often anything of a settled row is read. */
function countReads(run: Play): () => number {
  let reads = 0;
  const counted = [...run.state.effects.values()].map((row) =>
    isOpen(row.state)
      ? row
      : new Proxy(row, {
          get: (target, name) => {
            reads += 1;
            return Reflect.get(target, name) as unknown;
          },
        }),
  );
  run.state = { ...run.state, effects: Ledger.of(mapOf(...counted)) };
  reads = 0;
  return () => reads;
}
