import { describe, expect, it } from 'vitest';
import { observeLate } from '../../src/engine/observe-late.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { DecisionInput } from '../../src/decision/decision-input.ts';
import { StoreError } from '../../src/model/errors.ts';
import type { EffectKey } from '../../src/model/ids.ts';
import type { AttemptReport } from '../../src/model/outcome.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { Play, workflow } from '../decision/support/play.ts';
import { outcome } from '../decision/support/provider.ts';
import { keepingLogger } from './support/house.ts';
import { openSmallHouse, type SmallHouse } from './support/small-house.ts';
import { sagaOf } from './support/workflows.ts';

const SAGA = sagaOf('http://shop.test', ['charge']);

function untilDone({ until, store }: SmallHouse): Promise<void> {
  return until(() => [...store.peek().runs.values()].every(({ head }) => head.status === 'COMPLETED'));
}

describe('a run in the hands of a worker', () => {
  it('is let go of, loudly, when sending it breaks in a way that is a bug: the next holder sends the same key again', async () => {
    const house = openSmallHouse();
    const sent: string[] = [];
    const send = (order: { readonly effect: { readonly key: string } }): AttemptReport => {
      sent.push(order.effect.key);
      if (sent.length === 1) throw new Error('a bug');
      return answered(200, { id: 'x' });
    };
    const worker = house.process({ works: true, outside: { send } });
    const run = await house.begin(worker.verbs, SAGA);
    await untilDone(house);
    expect(worker.logged.filter(({ event }) => event === 'run.dropped')).toMatchObject([
      { facts: { runId: run, message: 'Error: a bug' } },
    ]);
    expect(sent).toEqual([sent[0], sent[0]]);
  });

  it('is let go of in the same way when its commit breaks', async () => {
    const house = openSmallHouse();
    const worker = house.process({ works: true });
    let commits = 0;
    worker.watched.hooks = {
      around: (verb, _args, run) => {
        if (verb !== 'commit' || commits > 0) return run();
        commits += 1;
        return Promise.reject(new Error('a bug'));
      },
    };
    await house.begin(worker.verbs, SAGA);
    await untilDone(house);
    expect(worker.logged.map(({ event }) => event)).toContain('run.dropped');
  });

  it('E08 that it has lost while it slept hears of the answer that came to it: a person looks, because it names another act', async () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite"
    const house = openSmallHouse();
    const { world, process, until, settled } = house;
    const later = (): Promise<AttemptReport> =>
      new Promise((resolve) => {
        world.after(12_000, null, () => resolve(answered(200, { id: 'late' })));
      });
    const sleeper = process({ works: true, outside: { send: later } });
    const run = await house.begin(sleeper.verbs, SAGA);
    sleeper.pause(8_000);
    const second = process({ works: true });
    await untilDone(house);
    await until(() => [...house.store.peek().runs.values()].every(({ head }) => head.status === 'HELD'));
    const { effects, incidents } = await settled(second.verbs.show(run));
    expect(effects).toMatchObject([{ state: 'CONFIRMED', externalId: 'x-1' }]);
    expect(incidents).toMatchObject([{ kind: 'late-proof', message: expect.stringContaining('happened twice') }]);
    expect((await settled(second.verbs.history(run))).observations).toMatchObject([{ source: 'late-answer' }]);
    expect(sleeper.logged.map(({ event }) => event)).toContain('seat.lost');
  });

  it('E05 is not sent when its commit took too long: it goes again after a second, and that one counts', async () => {
    // E05: "else the attempt is settled unavailable (not sent), which does not count against `attempts`: back to AUTHORIZED, not before 1 s."
    const house = openSmallHouse();
    const { world, process } = house;
    const worker = process({ works: true });
    let late = true;
    worker.watched.hooks = {
      around: async (verb, _args, run) => {
        const result = await run();
        if (verb === 'start' && late) {
          late = false;
          await new Promise<void>((resolve) => {
            world.after(700, null, resolve);
          });
        }
        return result;
      },
    };
    const run = await house.begin(worker.verbs, SAGA);
    await untilDone(house);
    expect((await house.settled(worker.verbs.show(run))).effects).toMatchObject([{ sent: 1, unsent: 1 }]);
  });
});

describe('what a holder knows that may not write any more', () => {
  const run = new Play(workflow('  - { id: a, call: do.a }'));
  const [effect] = [...run.state.effects.values()];
  const effectKey = effect?.key ?? ('' as EffectKey);
  const attempt = (kind: 'confirmed' | 'rejected'): DecisionInput => ({
    type: 'attempt.settled',
    effectKey,
    attempt: 1,
    outcome: outcome(kind),
  });
  const query = (kind: 'confirmed' | 'absent'): DecisionInput => ({
    type: 'query.settled',
    effectKey,
    query: 2,
    outcome: outcome(kind),
  });

  async function observed(inputs: readonly DecisionInput[], error: Error | null = null) {
    const delivered: unknown[] = [];
    const filed: unknown[] = [];
    const logger = keepingLogger();
    const store = {
      deliver: (_part: number, rows: readonly unknown[]) => Promise.resolve(void delivered.push(...rows)),
      observe: (rows: readonly unknown[]) =>
        error === null ? Promise.resolve(void filed.push(...rows)) : Promise.reject(error),
    };
    await observeLate({ store, logger } as unknown as Engine, run.state, inputs);
    return { delivered, filed, lines: logger.lines };
  }

  it('E08 is told to the run where it says that something happened, and filed where it proves nothing', async () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite"
    const inputs = [attempt('confirmed'), attempt('rejected'), query('confirmed'), query('absent')];
    const { delivered, filed, lines } = await observed(inputs);
    expect(delivered).toMatchObject([
      { eventId: `${effectKey}:attempt:1:fence:1`, payload: { type: 'proof', observedBy: 'response' } },
      { eventId: `${effectKey}:query:2:fence:1`, payload: { type: 'proof', observedBy: 'query' } },
    ]);
    expect(filed).toMatchObject([
      { source: 'late-answer', sourceId: 'attempt:1:fence:1', detail: { kind: 'rejected' } },
      { source: 'late-query', sourceId: 'query:2:fence:1', detail: { kind: 'absent' } },
    ]);
    expect(lines).toMatchObject([{ event: 'effect.late-answer', facts: { count: 4 } }]);
  });

  it('is nothing where nothing left or nothing was asked', async () => {
    const unsent: DecisionInput = {
      type: 'attempt.settled',
      effectKey,
      attempt: 1,
      outcome: outcome('unavailable', { sent: false }),
    };
    expect(await observed([{ type: 'due' }, unsent])).toEqual({ delivered: [], filed: [], lines: [] });
  });

  it.each([
    [new StoreError('PAWL_STORE_UNAVAILABLE', 'no connection'), 'PAWL_STORE_UNAVAILABLE'],
    [new Error('a bug'), null],
  ])('is logged where it cannot be stored: %s', async (error, code) => {
    const { lines } = await observed([attempt('rejected')], error);
    expect(lines).toMatchObject([{ event: 'effect.late-answer-lost', facts: { code, count: 1 } }]);
  });
});
