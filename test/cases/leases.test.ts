import { describe, expect, it } from 'vitest';
import type { WireFate } from '../../src/testing/simulator/fault-plan.ts';
import { LEASE_MS, openSmallWorld, type Script, type SmallWorld } from './support/small-world.ts';

const SECOND_MS = 1_000;
const LONG: WireFate = { kind: 'answered', thereMs: 1, backMs: 60_000 };
const LOOKUP = `reconcile: { http: { method: GET, url: 'http://provider/charge?key=\${ effect.key }' }, found: size(response.body.items) > 0, output: '\${ response.body.items[0] }', absent: final, every: 1s, giveUp: 10m }, `;

/** Kinds of providers: what they promise, how the action says it, and where a lost answer ends. */
const KINDS = [
  ['that honours keys', 'honoured', 'idempotency: { header: Idempotency-Key, remembers: 24h }, ', 'COMPLETED'],
  ['that can only be asked', 'ignored', `idempotency: none, ${LOOKUP}`, 'COMPLETED'],
  ['that can do neither', 'ignored', 'idempotency: none, ', 'HELD'],
] as const;

const charge = (promise: string): string =>
  `pawl: 1\nworkflow: lease\nversion: 1\ntimeout: 10d\nactions:\n  charge: { http: { method: POST, url: 'http://provider/charge' }, ${promise}timeout: 200s, settlesWithin: 4s, compensate: none }\nsteps:\n  - { id: charge, call: charge, with: {} }\n`;

/** A world in which a charge is answered after a minute, and every first byte is counted. */
function slowWorld(
  keys: 'honoured' | 'ignored',
  more: Partial<Script> = {},
): SmallWorld & { readonly sent: readonly number[] } {
  const sent: number[] = [];
  const small: SmallWorld = openSmallWorld({
    provider: { keys, settlesWithinMs: 4_000 },
    wire: () => (sent.length === 0 ? LONG : { kind: 'answered', thereMs: 1, backMs: 1 }),
    onByte: () => void sent.push(small.elapsedMs()),
    ...more,
  });
  return { ...small, sent };
}

describe('bugs 84 and 94 work that takes longer than the lease', () => {
  it.each(KINDS)(
    'a provider %s: is carried by the heartbeat and sent once, whoever else comes and goes',
    async (_name, keys, promise) => {
      const small = slowWorld(keys);
      small.worker();
      const run = await small.begin(charge(promise));
      await small.pass(SECOND_MS);
      expect(small.sent.length).toBe(1);
      for (let round = 0; round < 5; round += 1) {
        const other = small.worker();
        await small.pass(10 * SECOND_MS);
        other.kill();
      }
      expect((await small.show(run)).effects).toMatchObject([{ state: 'REQUESTED', attempt: 1 }]);
      await small.pass(20 * SECOND_MS);
      const view = await small.show(run);
      expect(view.status).toBe('COMPLETED');
      expect(view.effects).toMatchObject([{ state: 'CONFIRMED', sent: 1 }]);
      expect([small.sent.length, small.happened().length]).toEqual([1, 1]);
    },
  );
});

describe('bug 85 a worker that stands still after its request has left', () => {
  it.each(KINDS)(
    'a provider %s: the one who takes over settles it, and what the first knows is evidence',
    async (_name, keys, promise, end) => {
      const small = slowWorld(keys);
      const first = small.worker();
      const run = await small.begin(charge(promise));
      await small.pass(SECOND_MS);
      first.pause(3 * LEASE_MS);
      small.worker();
      await small.pass(2 * LEASE_MS + 20 * SECOND_MS);
      expect((await small.show(run)).status).toBe(end);
      const before = small.sent.length;
      await small.pass(4 * LEASE_MS);
      expect(small.sent.length).toBe(before);
      expect(before).toBe(keys === 'honoured' ? 2 : 1);
      expect(small.happened()).toEqual(['charge']);
      const view = await small.show(run);
      expect(view.effects).toMatchObject([{ state: 'CONFIRMED' }]);
      expect(view.status).toBe('COMPLETED');
      expect(first.isAlive()).toBe(true);
      const { observations } = await small.history(run);
      expect(observations.map(({ source }) => source)).toContain('late-answer');
    },
  );

  it.each(KINDS)(
    'a provider %s: a worker that dies there leaves a doubt, never a second act',
    async (_name, keys, promise, end) => {
      const small = slowWorld(keys);
      const first = small.worker();
      const run = await small.begin(charge(promise));
      await small.pass(SECOND_MS);
      first.kill();
      small.worker();
      await small.pass(2 * LEASE_MS);
      const view = await small.show(run);
      expect(view.status).toBe(end);
      expect(small.happened()).toEqual(['charge']);
      if (end === 'HELD') expect(view.incidents).toMatchObject([{ kind: 'unknown', step: 'charge' }]);
    },
  );
});

describe('bug 86 a deploy', () => {
  const work = charge(KINDS[0][2]);

  it('finishes what ends within the grace, and takes nothing new', async () => {
    const small = slowWorld('honoured', { wire: () => ({ kind: 'answered', thereMs: 1, backMs: 5 * SECOND_MS }) });
    const first = small.worker();
    const run = await small.begin(work);
    await small.pass(SECOND_MS);
    first.terminate(10 * SECOND_MS);
    const later = await small.begin(work);
    await small.pass(8 * SECOND_MS);
    expect((await small.show(run)).status).toBe('COMPLETED');
    expect((await small.show(later)).effects).toMatchObject([{ state: 'AUTHORIZED' }]);
    expect(small.sent.length).toBe(1);
    small.worker();
    await small.pass(8 * SECOND_MS);
    expect((await small.show(later)).status).toBe('COMPLETED');
  });

  it.each([
    ['released in time', true, 3 * SECOND_MS],
    ['killed before it could', false, LEASE_MS + 10 * SECOND_MS],
  ])('what cannot finish is %s: the next worker goes on within seconds, not hours', async (_name, inTime, withinMs) => {
    const small = slowWorld('honoured');
    const first = small.worker();
    const run = await small.begin(work);
    const waiting = await small.begin(
      'pawl: 1\nworkflow: rest\nversion: 1\ntimeout: 1d\nsteps:\n  - { id: rest, wait: 12s }\n',
    );
    await small.pass(SECOND_MS);
    if (inTime) first.terminate(8 * SECOND_MS);
    await small.pass(10 * SECOND_MS);
    first.kill();
    small.worker();
    await small.pass(withinMs);
    expect((await small.show(run)).status).toBe('COMPLETED');
    expect((await small.show(waiting)).status).toBe('COMPLETED');
    expect(small.happened()).toEqual(['charge']);
  });
});

describe('bug 87 a run that kills each worker that touches it', () => {
  it('is parked for a person with its count, while twenty healthy ones complete', async () => {
    const kills: (() => void)[] = [];
    const small: SmallWorld = openSmallWorld({
      onByte: (operation) => {
        if (operation === 'poison') for (const kill of kills.splice(0)) kill();
      },
    });
    const healthy: string[] = [];
    const bad = await small.begin(
      charge(KINDS[0][2]).replaceAll(/charge|workflow: lease/g, (word) => word.replace(/charge|lease/, 'poison')),
    );
    for (let no = 0; no < 20; no += 1) healthy.push(await small.begin(charge(KINDS[0][2])));
    let deaths = 0;
    for (let round = 0; round < 12; round += 1) {
      const worker = small.worker();
      kills.push(() => {
        deaths += 1;
        worker.kill();
      });
      await small.pass(2 * LEASE_MS);
      if (worker.isAlive()) kills.length = 0;
      worker.kill();
    }
    const view = await small.show(bad);
    expect(view.status).toBe('HELD');
    expect(view.incidents).toMatchObject([{ kind: 'poison' }]);
    expect(deaths).toBeLessThanOrEqual(5);
    for (const run of healthy) expect((await small.show(run)).status).toBe('COMPLETED');
  });
});
