import { describe, expect, it } from 'vitest';
import { answered } from '../../src/testing/simulator/answered.ts';
import { openSmallHouse } from './support/small-house.ts';
import { httpAction, sagaOf } from './support/workflows.ts';

const ALL = { workflow: null, statuses: null, q: null, limit: 10 } as const;
const SAGA = sagaOf('http://shop.test', ['charge']);

function workflow(name: string, lines: readonly string[]): string {
  return ['pawl: 1', `workflow: ${name}`, 'version: 1', 'timeout: 1h', ...lines, ''].join('\n');
}

describe('what people can see from any process', () => {
  it('what only a person can do is listed, a line each: approvals that are asked for, and incidents', async () => {
    const { process, begin, settled, until, store } = openSmallHouse();
    const worker = process({
      works: true,
      outside: { send: () => ({ kind: 'broken', byteWritten: true, reason: 'reset' }) },
    });
    const asking = ["  - { id: sign, approve: 'Go on?', from: ['role:boss'], expires: 1h }"];
    await begin(worker.verbs, workflow('asking', ['steps:', ...asking]));
    const keyless = httpAction('http://shop.test', 'charge', ['compensate: none']).replace(
      /idempotency: .*/,
      'idempotency: none',
    );
    const run = await begin(
      worker.verbs,
      workflow('doubting', ['actions:', keyless, 'steps:', '  - { id: charge, call: shop.charge }']),
    );
    await until(() => [...store.peek().runs.values()].some(({ head }) => head.status === 'HELD'));
    expect(await settled(worker.verbs.needs(ALL))).toMatchObject([
      {
        kind: 'unknown',
        workflow: 'doubting',
        step: 'charge',
        acts: ['confirmed', 'absent', 'rejected', 'keep-waiting'],
      },
      { kind: 'approval', workflow: 'asking', step: 'sign', from: ['role:boss'], acts: ['approve', 'deny'] },
    ]);
    const view = await settled(worker.verbs.why(run));
    expect(view.reasons[0]).toMatchObject({ kind: 'unknown', step: 'charge' });
  });

  it('P05 a run that nobody moves is counted by whoever looks, told by why, and alarmed once by each worker', async () => {
    // P05: "A run that should have moved and has no holder is alarmed by any living process."
    const { process, begin, settled, until, world, store } = openSmallHouse();
    const watcher = process({ works: false });
    const run = await begin(watcher.verbs, SAGA);
    expect(await settled(watcher.verbs.pulse())).toEqual({ overdue: 0, workers: 0, recoverySince: null });
    await world.run(() => false, world.nowMs() + 4_000);
    expect(await settled(watcher.verbs.pulse())).toMatchObject({ overdue: 1, workers: 0 });
    const kinds = async (): Promise<readonly string[]> =>
      (await settled(watcher.verbs.why(run))).reasons.map(({ kind }) => kind);
    expect(await kinds()).toEqual(['no-worker', 'overdue', 'worker']);
    const idle = process({ works: true });
    idle.watched.hooks = { around: (verb, _args, go) => (verb === 'claim' ? Promise.resolve([]) : go()) };
    const sweeps = (): number => idle.watched.calls.filter(({ verb }) => verb === 'sweep').length;
    await until(() => sweeps() > 3);
    expect(idle.logged.filter(({ event }) => event === 'run.overdue')).toMatchObject([{ facts: { runId: run } }]);
    expect(await settled(watcher.verbs.pulse())).toMatchObject({ overdue: 1, workers: 1 });
    expect(await kinds()).toEqual(['overdue', 'worker']);
    idle.watched.hooks = {};
    await until(() => [...store.peek().runs.values()].every(({ head }) => head.status === 'COMPLETED'));
  });

  it('a wait says until when, an event by whom and how it is given, a question and a resend when', async () => {
    const { process, begin, settled, until, store } = openSmallHouse();
    const quiet = { kind: 'broken', byteWritten: true, reason: 'reset' } as const;
    const worker = process({ works: true, outside: { send: () => quiet, query: () => answered(500, {}) } });
    const waits = await begin(worker.verbs, workflow('waiting', ['steps:', '  - { id: pause, wait: 30m }']));
    const events = 'events: { paid: { schema: { type: object } } }';
    const awaits = await begin(
      worker.verbs,
      workflow('awaiting', [events, 'steps:', '  - { id: money, await: paid, timeout: 20m }']),
    );
    const asked = httpAction('http://shop.test', 'charge', [
      'reconcile:',
      "  http: { method: GET, url: 'http://shop.test/charge' }",
      '  found: size(response.body.items) > 0',
      '  absent: final',
      '  every: 10m',
      'compensate: none',
    ]).replace(/idempotency: .*/, 'idempotency: none');
    const asks = await begin(
      worker.verbs,
      workflow('asking', ['actions:', asked, 'steps:', '  - { id: charge, call: shop.charge }']),
    );
    const resends = await begin(worker.verbs, sagaOf('http://shop.test', ['pay']));
    await until(() =>
      [...store.peek().runs.values()].every(({ effects }) =>
        [...effects.values()].every((row) => row.state === 'UNKNOWN'),
      ),
    );
    await until(() => [...store.peek().runs.values()].every(({ lease }) => lease === null));
    const first = async (run: string) => (await settled(worker.verbs.show(run))).waitingFor[0];
    expect(await first(waits)).toMatchObject({
      kind: 'timer',
      step: 'pause',
      until: expect.stringMatching(/^2030-01-01T00:30:/),
    });
    expect(await first(awaits)).toMatchObject({
      kind: 'event',
      step: 'money',
      by: ['paid'],
      until: expect.stringMatching(/^2030-01-01T00:20:/),
    });
    expect(await first(asks)).toMatchObject({ kind: 'query', step: 'charge', by: ['time'] });
    expect(await first(resends)).toMatchObject({ kind: 'resend', step: 'pay', by: ['time'] });
  });

  it('P14 recovery mode is told by why, and ended by whoever has compared the window, once', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode: nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const { process, begin, settled, store } = openSmallHouse();
    const watcher = process({ works: false });
    const run = await begin(watcher.verbs, SAGA);
    await store.witness('worker');
    store.become({ systemIdentifier: 'another', timeline: 2 });
    expect((await settled(watcher.verbs.why(run))).reasons.map(({ kind }) => kind)).toContain('recovery');
    const act = { by: 'ana', reason: 'the statement of the bank was compared' };
    expect([await settled(watcher.verbs.endRecovery(act)), await settled(watcher.verbs.endRecovery(act))]).toEqual([
      true,
      false,
    ]);
  });

  it('versions are listed, found by number or the highest, and a missing one is named', async () => {
    const { process, begin, settled } = openSmallHouse();
    const { verbs } = process({ works: false });
    await begin(verbs, workflow('waiting', ['steps:', '  - { id: pause, wait: 30m }']));
    expect((await settled(verbs.versions())).map(({ workflow: name }) => name)).toEqual(['waiting']);
    expect((await settled(verbs.version('waiting', null))).version).toBe(1);
    await expect(settled(verbs.version('waiting', 2))).rejects.toThrow('no version 2 of waiting');
    await expect(settled(verbs.version('other', null))).rejects.toThrow('no version at all of other');
  });

  it('those who look for the newest version at the same time ask the store once', async () => {
    const { process, begin, settled } = openSmallHouse();
    const starter = process({ works: false });
    await begin(starter.verbs, SAGA);
    const other = process({ works: false });
    const ask = { workflow: 'saga', version: null, input: {}, by: 'starter' };
    await settled(Promise.all([other.verbs.start(ask), other.verbs.start(ask)]));
    expect(other.watched.calls.filter(({ verb }) => verb === 'findVersion')).toHaveLength(1);
    await expect(settled(other.verbs.start({ ...ask, workflow: 'none' }))).rejects.toThrow(
      'no version none is published',
    );
    await expect(settled(other.verbs.start({ ...ask, version: 9 }))).rejects.toThrow('no version saga@9 is published');
  });
});
