import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { sagaOf } from '../engine/support/workflows.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { type HouseWorker, openSagaHouse, type SagaHouse, SHORT_LEASE_MS, WITHIN_MS } from './support/saga-house.ts';
import { type OpenWorld, WORLDS } from './support/worlds.ts';

/** Several wait for each other. */
const TEST_MS = 3 * WITHIN_MS;
const WAIT_MS = 400;
const EXPIRES_MS = 700;
/** Runs that are started at a time. */
const STARTS = 8;
/** Of a worker that looks for the dead every 1.5 s. */
const SWEEPING_LEASE_MS = 9_000;

/** A saga whose provider may take its time: a machine that is slow is no answer that was lost. */
function patientSaga(name: string, url: string, steps: readonly string[]): string {
  return sagaOf(url, steps)
    .replace('workflow: saga\n', `workflow: ${name}\n`)
    .replaceAll('timeout: 1s', 'timeout: 20s');
}

/** What people, senders and the time have to do with a run. */
function caseOf(url: string): string {
  const [head = ''] = patientSaga('case', url, ['charge']).split('steps:');
  return `${head.replace('actions:', 'events: { parcel: { schema: { type: object } } }\nactions:')}steps:
  - { id: rest, wait: ${WAIT_MS}ms }
  - { id: parcel, await: parcel, timeout: 30m }
  - { id: decision, approve: Charge it, from: [role:approver], expires: 30m }
  - { id: charge, call: shop.charge, with: { step: charge }, authorizedBy: decision }
`;
}

const EXPIRING = `pawl: 1
workflow: expiring
version: 1
timeout: 1h
steps:
  - { id: decision, approve: Nobody says a word, from: [role:approver], expires: ${EXPIRES_MS}ms }
`;

for (const { name, lacks } of WORLDS) if (lacks !== null) console.warn(`not played: ${name}: ${lacks}`);

describe.each(WORLDS)('$name', ({ lacks, open }) => {
  describe.skipIf(lacks !== null)('sagas go as everywhere', { timeout: TEST_MS }, () => {
    let world: OpenWorld;
    let house: SagaHouse;
    let workers: readonly HouseWorker[];
    let page = 0;
    const openHouse = async (): Promise<SagaHouse> =>
      openSagaHouse({ store: world.storeOf(await createTestDatabase()), workers: world.workers });
    const happened = (): readonly string[] => house.provider.effects().slice(page);
    beforeAll(async () => {
      world = await open(inject('databaseUrl'));
      house = await openHouse();
      workers = [await house.worker(), await house.worker()];
    }, TEST_MS);
    afterEach(async () => {
      expect(await house.faults()).toEqual([]);
      page = house.provider.effects().length;
      house.provider.setScript({ charge: 'ok', ship: 'ok' });
    });
    afterAll(async () => {
      await house.close();
      await world.close();
    });

    it('P13 three steps complete; what is refused is undone in reverse; a lost answer is settled by its key, once', async () => {
      // P13: "Right behind a transaction-mode pooler (no pinning, unnamed statements), without LISTEN/NOTIFY, with a pool of 2. Fences and sequences are integers, never timestamps."
      const { provider } = house;
      const steps = ['reserve', 'charge', 'ship'];
      await house.untilStatus(await house.begin(patientSaga('good', provider.url, steps)), 'COMPLETED');
      provider.setScript({ charge: 'lost-done, ok' });
      const lost = await house.begin(patientSaga('lost', provider.url, steps));
      const { effects } = await house.untilStatus(lost, 'COMPLETED');
      expect(effects[1]).toMatchObject({ step: 'charge', state: 'CONFIRMED', resends: 1 });
      provider.setScript({ ship: 'declined' });
      await house.untilStatus(await house.begin(patientSaga('bad', provider.url, steps)), 'COMPENSATED');
      expect(happened()).toEqual([...steps, ...steps, 'reserve', 'charge', 'uncharge', 'unreserve']);
    });

    it('P13 two workers share the runs, and nothing of a living one is taken over', async () => {
      // P13: as above.
      const text = patientSaga('shared', house.provider.url, ['reserve', 'charge']);
      const runs: string[] = [];
      const deciders = new Set<string>();
      const takesPart = ({ seats }: HouseWorker): boolean => [...seats].some((seat) => deciders.has(seat));
      const untilMs = performance.now() + WITHIN_MS;
      while (!workers.every(takesPart)) {
        expect(performance.now(), 'one of them has never got a run').toBeLessThan(untilMs);
        const more = await Promise.all(Array.from({ length: STARTS }, () => house.begin(text)));
        for (const run of more) await house.untilStatus(run, 'COMPLETED');
        for (const run of more)
          for (const { workerId } of (await house.app.history(run)).journal) deciders.add(workerId);
        runs.push(...more);
      }
      for (const run of runs) {
        const { effects } = await house.app.show(run);
        expect(effects.map(({ state, attempt }) => [state, attempt])).toEqual([
          ['CONFIRMED', 1],
          ['CONFIRMED', 1],
        ]);
      }
    });

    it('V06 a timer, an event and a decision move a run on, none of them early and none of them by the clock of a worker', async () => {
      // V06: "A timer's due time is fixed once from its event's database time. … Never early, at most once …"
      const { app } = house;
      const expiring = await house.begin(EXPIRING);
      const run = await house.begin(caseOf(house.provider.url));
      const waiting = await house.untilRun(run, ({ waitingFor }) => waitingFor.some(({ kind }) => kind === 'event'));
      const letter = { name: 'parcel', data: {}, source: 'carrier', eventId: 'parcel-1', by: 'carrier', waitMs: 0 };
      await app.signal(run, letter);
      const { approvals } = await house.untilRun(run, (view) => view.approvals.some(({ state }) => state === 'open'));
      const subjectHash = approvals[0]?.subjectHash ?? '';
      const vote = { approval: null, decision: 'approve' as const, subjectHash, comment: null };
      await app.vote(run, { ...vote, principal: 'ana', roles: ['approver'] });
      await house.untilStatus(run, 'COMPLETED');
      const [entered = 0, left = 0] = (await app.history(run)).journal.map(({ atMs }) => atMs);
      expect(waiting.revision).toBe(2);
      expect(left - entered).toBeGreaterThanOrEqual(WAIT_MS);
      await house.untilStatus(expiring, 'FAILED');
      const [asked = 0, expired = 0] = (await app.history(expiring)).journal.map(({ atMs }) => atMs);
      expect(expired - asked).toBeGreaterThanOrEqual(EXPIRES_MS);
    });

    it('E03 what a killed worker was about is settled by another one, and has happened once', async () => {
      // E03: "REQUESTED without outcome is UNKNOWN to every other holder."
      const other = await openHouse();
      try {
        const { provider } = other;
        provider.setScript({ charge: 'lost-done, ok' });
        const dying = await other.worker(SHORT_LEASE_MS);
        const run = await other.begin(patientSaga('killed', provider.url, ['reserve', 'charge']));
        await expect.poll(() => provider.effects(), { timeout: WITHIN_MS, interval: 5 }).toContain('charge');
        await dying.kill();
        await other.worker(SWEEPING_LEASE_MS);
        const { effects } = await other.untilStatus(run, 'COMPLETED');
        expect(effects[1]).toMatchObject({ step: 'charge', state: 'CONFIRMED' });
        expect(provider.effects()).toEqual(['reserve', 'charge']);
        expect(await other.faults()).toEqual([]);
      } finally {
        await other.close();
      }
    });
  });
});
