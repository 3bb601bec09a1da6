import { describe, expect, it } from 'vitest';
import type { AttemptReport } from '../../src/model/outcome.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { openSmallHouse } from '../engine/support/small-house.ts';

const TEXT = [
  'pawl: 1\nworkflow: desk\nversion: 1\ntimeout: 5d\nevents: { stop: {} }\nactions:',
  '  do.open:',
  "    http: { method: POST, url: 'http://shop.test/open' }",
  '    idempotency: { header: Idempotency-Key, remembers: 24h }',
  '    timeout: 60s',
  '    compensate: none',
  'machine:',
  '  initial: opening',
  '  states:',
  '    opening: { on: { stop: stopped }, invoke: { id: open, src: do.open, input: {}, onDone: open } }',
  '    open: { on: { stop: stopped } }',
  '    stopped: { type: final }',
  '',
].join('\n');

/** A run whose request is under way when the copy is made, and whose worker has taken a `stop` after that. */
async function begun() {
  const house = openSmallHouse();
  const { store, until, settled } = house;
  let answer: (report: AttemptReport) => void = () => undefined;
  const first = new Promise<AttemptReport>((resolve) => {
    answer = resolve;
  });
  let sent = 0;
  const send = (): AttemptReport | Promise<AttemptReport> => {
    sent += 1;
    return sent === 1 ? first : answered(200, { id: 'x-1' });
  };
  const worker = house.process({ works: true, outside: { send } });
  const run = await house.begin(worker.verbs, TEXT);
  const rows = () => [...store.peek().runs.values()].at(0);
  await until(() => sent === 1);
  const copy = store.peek();
  const stop = { name: 'stop', data: {}, source: 'shop', by: 'shop', waitMs: 0, eventId: 'stop-1' };
  await settled(worker.verbs.signal(run, stop));
  await until(() => [...(rows()?.inbox.values() ?? [])].some(({ outcome }) => outcome === 'applied'));
  return { ...house, worker, run, rows, copy, answer: () => answer(answered(200, { id: 'x-1' })) };
}

describe('a worker whose database is set back', () => {
  it.each([
    ['a follower', true],
    ['an older copy that an operator names', false],
  ])('P14 by %s drops what it holds: nothing that was forgotten comes back from its hands', async (_, isOther) => {
    // P14: "A changed timeline or system identifier opens recovery mode: nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const { store, world, worker, run, rows, copy, answer, until, settled } = await begun();
    store.become(
      isOther ? { systemIdentifier: 'follower', timeline: 2 } : (await store.witness('reader')).identity,
      copy,
    );
    if (!isOther) await settled(worker.verbs.beginRecovery(null, { by: 'ana', reason: 'put back' }));
    await until(() => worker.logged.some(({ event }) => event === 'recovery.opened'));
    answer();
    await world.run(() => false, world.nowMs() + 60_000);
    await settled(worker.verbs.endRecovery({ by: 'ana', reason: 'compared' }));
    await world.run(() => false, world.nowMs() + 60_000);
    expect([...(rows()?.journal.values() ?? [])].map(({ event }) => event.type)).not.toContain('signal');
    expect([...(rows()?.inbox.values() ?? [])].filter(({ source }) => source.startsWith('signal'))).toEqual([]);
    expect((await settled(worker.verbs.show(run))).status).toBe('WAITING');
    expect((await settled(worker.verbs.verifyStore())).faults).toEqual([]);
  });
});
