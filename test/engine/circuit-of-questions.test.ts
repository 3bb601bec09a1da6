import { describe, expect, it } from 'vitest';
import type { AttemptReport } from '../../src/model/outcome.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { type Outside, openSmallHouse } from './support/small-house.ts';

/** A workflow of one call of `shop.act` that is tried every 200 ms. */
function workflow(action: readonly string[]): string {
  return [
    'pawl: 1',
    'workflow: saga',
    'version: 1',
    'timeout: 1h',
    'actions:',
    '  shop.act:',
    ...action.map((line) => `    ${line}`),
    'steps:',
    '  - { id: act, call: shop.act }',
    '',
  ].join('\n');
}

const BROKEN: AttemptReport = { kind: 'broken', byteWritten: true, reason: 'reset' };

/** A host that is away until it is called often enough; `calls` are those that reached for it, at what time of the world. */
function awayFor(calls: number[], nowMs: () => number, times: number): () => AttemptReport {
  return () => {
    calls.push(nowMs());
    return calls.length <= times ? BROKEN : answered(200, { id: 'x', items: [{ id: 'x' }] });
  };
}

async function play(text: string, outsideOf: (away: () => AttemptReport) => Outside) {
  const { world, process, begin, until, settled, store } = openSmallHouse();
  const calls: number[] = [];
  const worker = process({ works: true, outside: outsideOf(awayFor(calls, world.nowMs, 5)) });
  const run = await begin(worker.verbs, text);
  await until(() => [...store.peek().runs.values()].every(({ head }) => head.status === 'COMPLETED'));
  const events = worker.logged.map(({ event }) => event).filter((event) => event.startsWith('circuit.'));
  return { view: await settled(worker.verbs.show(run)), calls, events };
}

describe('the circuit of a host', () => {
  it('E14 a read is held back by it, and does not count while it is', async () => {
    // E14: "A circuit per host and worker process opens after repeated unavailable, is visible, probes with one request; runs wait, nothing is lost, no retry storm (jitter from a hash)."
    const text = workflow([
      "http: { method: GET, url: 'http://shop.test/act' }",
      'effect: read',
      'retry: { attempts: 6, delay: 200ms, factor: 1, jitter: 0 }',
    ]);
    const { view, calls, events } = await play(text, (away) => ({ read: away }));
    expect(view.steps).toMatchObject([{ id: 'act', status: 'completed', attempts: 6 }]);
    expect(events).toEqual(['circuit.opened', 'circuit.closed']);
    expect(calls).toHaveLength(6);
    const [, , , , fifth = 0, probe = 0] = calls;
    expect(probe - fifth).toBeGreaterThanOrEqual(1_000);
  });

  it('E14 so is a question about what happened, which is put at its next time', async () => {
    // E14: "A circuit per host and worker process opens after repeated unavailable, is visible, probes with one request; runs wait, nothing is lost, no retry storm (jitter from a hash)."
    const text = workflow([
      "http: { method: POST, url: 'http://shop.test/act' }",
      'idempotency: none',
      'timeout: 1s',
      'settlesWithin: 1s',
      'reconcile:',
      "  http: { method: GET, url: 'http://shop.test/act?key=${ effect.key }' }",
      '  found: size(response.body.items) > 0',
      "  output: '${ response.body.items[0] }'",
      '  absent: final',
      '  every: 300ms',
      'compensate: none',
    ]);
    const { view, calls, events } = await play(text, (away) => ({ send: away, query: away }));
    expect(view.effects).toMatchObject([{ state: 'CONFIRMED', sent: 1, observedBy: 'query' }]);
    expect(events).toEqual(['circuit.opened', 'circuit.closed']);
    expect(calls).toHaveLength(6);
    expect(view.effects[0]?.queries).toBeGreaterThan(5);
  });
});
