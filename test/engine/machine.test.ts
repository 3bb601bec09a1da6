import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunCommit } from '../../src/model/run-commit.ts';
import { begin, type House, openHouse, type Process, untilRun, untilStatus } from './support/house.ts';
import { httpAction } from './support/workflows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const SHORT = { leaseMs: 1_500, sendWithinMs: 1_000, sendMarginMs: 50 };

function text(url: string): string {
  const machine = {
    initial: 'reserving',
    states: {
      reserving: {
        invoke: { id: 'reserve', src: 'shop.reserve', input: { no: 1 }, onDone: 'waiting', onError: 'lost' },
        on: { stop: 'stopped' },
      },
      waiting: { on: { paid: 'charging' }, after: { '1h': 'lost' } },
      charging: { invoke: { id: 'charge', src: 'shop.charge', onDone: 'done' } },
      done: { type: 'final' },
      stopped: { type: 'final', meta: { pawl: { fail: 'stopped' } } },
      lost: { type: 'final', meta: { pawl: { fail: 'lost' } } },
    },
  };
  return [
    'pawl: 1',
    'workflow: saga',
    'version: 1',
    'timeout: 2h',
    'events: { paid: {}, stop: {} }',
    'actions:',
    httpAction(url, 'reserve', ['compensate: { call: shop.release, with: { id: =effect.output.id } }']),
    httpAction(url, 'release', ['compensate: none']),
    httpAction(url, 'charge', ['compensate: none']),
    `machine: ${JSON.stringify(machine)}`,
    '',
  ].join('\n');
}

/** Dies after the answer and before its record. @returns resolves when it is dead. */
function killWhenSettling(process: Process): Promise<void> {
  return new Promise((dead) => {
    process.watched.hooks = {
      around: (verb, args, run) => {
        const commits = verb === 'commit' ? (args[2] as readonly RunCommit[]) : [];
        const isIt = commits.some(({ effects }) => effects.some(({ expect: before }) => before?.state === 'REQUESTED'));
        if (!isIt) return run();
        process.kill();
        dead();
        return new Promise(() => undefined);
      },
    };
  });
}

describe('a machine on PostgreSQL', () => {
  it('is taken over by another process where it was, keeps an event for its state, and verifies', async () => {
    const dying = await house.process({ numbers: SHORT });
    await dying.app.runWorker();
    const dead = killWhenSettling(dying);
    const run = await begin(dying, text(house.provider.url));
    await dead;
    const other = await house.process({ numbers: SHORT });
    expect(
      (await other.app.signal(run, { name: 'paid', data: {}, source: 'shop', eventId: 'p-1', by: 'shop', waitMs: 0 }))
        .outcome,
    ).not.toBe('refused');
    await other.app.runWorker();
    const view = await untilStatus(other, run, 'COMPLETED');
    expect(house.happened()).toEqual(['reserve', 'charge']);
    expect(view.effects.map(({ step, state }) => [step, state])).toEqual([
      ['reserve', 'CONFIRMED'],
      ['charge', 'CONFIRMED'],
    ]);
    expect((await other.app.verify(run)).faults).toEqual([]);
  }, 60_000);

  it('shows where it rests and what would move it', async () => {
    const process = await house.process();
    await process.app.runWorker();
    const run = await begin(process, text(house.provider.url));
    const view = await untilRun(process, run, ({ states = [] }) => states.includes('waiting'));
    expect(view.waitingFor.map(({ kind, step, by }) => [kind, step, by[0]])).toEqual([
      ['timer', 'after_waiting', 'time'],
      ['event', 'waiting', 'paid'],
    ]);
    const why = await process.app.why(run);
    expect(why.reasons.map(({ text: words }) => words)).toContain('waits for an event at waiting');
    expect(why.reasons.at(-1)?.command).toMatch(/^pawl signal run_\w+ paid '/);
    await process.app.cancel(run, { by: 'ana', reason: 'enough' });
    expect((await untilStatus(process, run, 'CANCELLED')).states).toEqual([]);
  });
});
