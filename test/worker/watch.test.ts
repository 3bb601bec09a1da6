import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OPENS_AFTER } from '../../src/engine/circuits.ts';
import type { Witness } from '../../src/ports/witness-store.ts';
import { begin, type House, openHouse, type Process, untilRun, untilStatus } from '../engine/support/house.ts';
import { httpAction } from '../engine/support/workflows.ts';
import { runSql } from '../support/postgres.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => {
  house.provider.setScript({ charge: 'ok' });
  return house.rest();
});
afterAll(() => house.close());

const events = (process: Process): readonly string[] => process.logger.lines.map(({ event }) => event);

/** One call of an action; `keys` is how its provider treats them. */
function call(keys: string, step = ''): string {
  const action = httpAction(house.provider.url, 'charge', ['compensate: none']);
  const lines = keys === '' ? action : action.replace(/idempotency: .*/, keys);
  return `pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\nactions:\n${lines}\nsteps:\n  - { id: charge, call: shop.charge${step} }\n`;
}

describe('what a worker watches', () => {
  it('E14 a host that is unavailable again and again is left alone, the run waits with the reason, and goes on once it answers', async () => {
    // E14: "A circuit per host and worker process opens after repeated unavailable, is visible, probes with one request; runs wait, nothing is lost, no retry storm (jitter from a hash)."
    const process = await house.process();
    await process.app.runWorker();
    house.provider.setScript({ charge: '503' });
    const run = await begin(process, call('', `, retry: { attempts: ${OPENS_AFTER + 1}, delay: 10ms, factor: 1 }`));
    const waits = await untilRun(process, run, (view) => view.effects[0]?.code === 'circuit-open');
    expect(waits.effects[0]).toMatchObject({ state: 'AUTHORIZED', sent: OPENS_AFTER, unsent: 1 });
    expect(events(process)).toContain('circuit.opened');
    expect((await process.app.why(run)).reasons[0]).toMatchObject({ kind: 'circuit', step: 'charge' });
    house.provider.setScript({ charge: 'ok' });
    const done = await untilStatus(process, run, 'COMPLETED');
    expect(done.effects[0]).toMatchObject({ state: 'CONFIRMED', sent: OPENS_AFTER + 1 });
    expect(events(process)).toContain('circuit.closed');
    expect(house.happened()).toEqual(['charge']);
  });

  it('P14 on another database nothing but a remembered key is sent, and the run says why, until an operator ends it', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode: nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const process = await house.process();
    const identity = { systemIdentifier: '7', timeline: 2 };
    const was = { systemIdentifier: '7', timeline: 1 };
    const lastSeenMs = await house.store.nowMs();
    const changed: Witness = { identity, recovery: { sinceMs: lastSeenMs, was, lastSeenMs }, window: null };
    process.watched.hooks = {
      around: (verb, _args, run) => (verb === 'witness' ? Promise.resolve(changed) : run()),
    };
    await process.app.runWorker();
    expect(events(process)).toContain('recovery.opened');
    const keyed = await begin(process, call(''));
    await untilStatus(process, keyed, 'COMPLETED');
    const keyless = await begin(process, call('idempotency: none'));
    const waits = await untilRun(process, keyless, (view) => view.effects[0]?.code === 'recovery');
    expect(waits.effects[0]).toMatchObject({ state: 'AUTHORIZED', sent: 0, unsent: 1 });
    expect((await process.app.why(keyless)).reasons[0]).toMatchObject({ kind: 'recovery' });
    expect(house.happened()).toEqual(['charge']);
    await process.app.cancel(keyless, { by: 'ana', reason: 'the test is over' });
  });

  it('P05 a run that should have moved and that nobody holds is alarmed by any living worker, once', async () => {
    // P05: "A run that should have moved and has no holder is alarmed by any living process."
    const process = await house.process({ numbers: { leaseMs: 1_500 } });
    const run = await begin(process, call(''));
    const { runId, part } = await process.app.find(run);
    // Due for a minute, and nobody claims it.
    await runSql(house.url, "UPDATE pawl.ready SET due_at = due_at - interval '1 minute' WHERE run_id = $1", [runId]);
    process.watched.hooks = {
      around: (verb, args, go) => (verb === 'claim' && args[0] === part ? Promise.resolve([]) : go()),
    };
    await process.app.runWorker();
    const alarms = () => process.logger.lines.filter(({ event }) => event === 'run.overdue');
    while (alarms().length === 0) await process.watched.next();
    const sweeps = () => process.watched.calls.filter(({ verb, args }) => verb === 'sweep' && args[0] === part).length;
    const seen = sweeps();
    while (sweeps() < seen + 2) await process.watched.next();
    expect(alarms()).toMatchObject([{ level: 'error', facts: { runId, part } }]);
    process.watched.hooks = {};
    await untilStatus(process, run, 'COMPLETED');
  });
});
