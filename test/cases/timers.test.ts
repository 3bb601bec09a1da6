import { describe, expect, it } from 'vitest';
import { EPOCH_MS, LEASE_MS, openSmallWorld, type SmallWorld } from './support/small-world.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const HEAD = 'pawl: 1\nworkflow: timer\nversion: 1\ntimeout: 36500d\n';
const EVENT = 'events: { paid: { schema: { type: object } } }\n';

/** Operations that a key is remembered for. */
function actions(...names: readonly string[]): string {
  const lines = names.map(
    (name) =>
      `  ${name}: { http: { method: POST, url: 'http://provider/${name}' }, idempotency: { header: Idempotency-Key, remembers: 24h }, compensate: none }\n`,
  );
  return `actions:\n${lines.join('')}`;
}

const rest = (wait: string): string =>
  `${HEAD}${actions('note')}steps:\n  - { id: rest, wait: ${wait} }\n  - { id: note, call: note, with: {} }\n`;

/** Database times at which the steps of a run were taken, milliseconds since the world began. */
async function firings(small: SmallWorld, run: string): Promise<readonly number[]> {
  const { journal } = await small.history(run);
  return journal.filter(({ event }) => event.type === 'timer').map(({ atMs }) => atMs - EPOCH_MS);
}

describe('bug 17 a wait that a 32-bit timer cannot hold', () => {
  it.each([
    ['24d', 24 * DAY_MS],
    ['25d', 25 * DAY_MS],
    ['30d', 30 * DAY_MS],
    ['365d', 365 * DAY_MS],
    ['400d', 400 * DAY_MS],
    ['2147483648ms', 2 ** 31],
    ['4294972296ms', 2 ** 32 + 5_000],
    ['36499d', 36_499 * DAY_MS],
  ])('of %s is over at its time and not before, with a new worker every few days', async (text, ms) => {
    const small = openSmallWorld();
    const run = await small.begin(rest(text));
    const [blocker] = (await small.show(run)).waitingFor;
    const dueMs = Date.parse(blocker?.until ?? '') - EPOCH_MS;
    expect(dueMs - ms).toBeLessThan(SECOND_MS);
    for (let day = 0; day < 9; day += 1) {
      const worker = small.worker();
      const before = small.world.events();
      await small.pass(10 * SECOND_MS);
      expect(small.world.events() - before).toBeLessThan(2_000);
      worker.kill();
      small.stepClock(Math.floor(ms / 10));
    }
    small.worker();
    await small.pass(MINUTE_MS);
    expect(small.happened()).toEqual([]);
    small.stepClock(dueMs - small.elapsedMs() - 2 * SECOND_MS);
    await small.pass(SECOND_MS);
    expect((await small.show(run)).status).toBe('WAITING');
    await small.pass(3 * SECOND_MS);
    expect((await small.show(run)).status).toBe('COMPLETED');
    expect(small.happened()).toEqual(['note']);
    const [firedAtMs = 0, ...more] = await firings(small, run);
    expect(more).toEqual([]);
    expect(firedAtMs).toBeGreaterThanOrEqual(dueMs);
    expect(firedAtMs).toBeLessThan(dueMs + SECOND_MS);
  });
});

describe('bug 22 a delay that outlives its process', () => {
  const limits = [
    ['a wait', rest('60s')],
    [
      'the time-out of an event',
      `${HEAD}${EVENT}${actions('note')}steps:\n  - { id: rest, await: paid, timeout: 60s, catch: [{ on: [timeout], do: [{ id: note, call: note, with: {} }] }] }\n`,
    ],
    [
      'the expiry of an approval',
      `${HEAD}${actions('note')}steps:\n  - { id: rest, approve: 'Well?', subject: {}, from: ['role:approver'], expires: 60s }\n  - { id: note, call: note, with: {} }\n`,
    ],
  ] as const;

  it.each(limits)('of %s is neither lost nor granted anew by restarts', async (_name, text) => {
    const small = openSmallWorld();
    const run = await small.begin(text);
    const first = small.worker();
    await small.pass(30 * SECOND_MS);
    const due = (await small.show(run)).waitingFor.map(({ until }) => until);
    first.kill();
    await small.pass(15 * SECOND_MS);
    const second = small.worker();
    await small.pass(5 * SECOND_MS);
    second.kill();
    await small.pass(5 * SECOND_MS);
    small.worker();
    expect((await small.show(run)).waitingFor.map(({ until }) => until)).toEqual(due);
    await small.pass(4 * SECOND_MS);
    expect(await firings(small, run)).toEqual([]);
    await small.pass(3 * SECOND_MS);
    const [firedAtMs = 0, ...more] = await firings(small, run);
    expect(more).toEqual([]);
    expect(firedAtMs).toBeGreaterThanOrEqual(60 * SECOND_MS);
    expect(firedAtMs).toBeLessThan(62 * SECOND_MS);
  });

  it.each(limits)('of %s that passed while nobody worked is taken at once, and once', async (_name, text) => {
    const small = openSmallWorld();
    const run = await small.begin(text);
    const first = small.worker();
    await small.pass(30 * SECOND_MS);
    first.kill();
    await small.pass(60 * SECOND_MS);
    small.worker();
    small.worker();
    await small.pass(2 * SECOND_MS);
    expect((await firings(small, run)).length).toBe(1);
    await small.pass(5 * MINUTE_MS);
    expect((await firings(small, run)).length).toBe(1);
  });

  it('of a retry, too: the provider is not asked earlier, and not later by a whole delay', async () => {
    const sentAt: number[] = [];
    const small: SmallWorld = openSmallWorld({
      word: () => ({ kind: 'status', status: 503 }),
      onByte: () => void sentAt.push(small.elapsedMs()),
    });
    await small.begin(
      `${HEAD}${actions('note')}steps:\n  - { id: note, call: note, with: {}, retry: { attempts: 3, delay: 60s, jitter: 0 } }\n`,
    );
    const first = small.worker();
    await small.pass(30 * SECOND_MS);
    first.kill();
    await small.pass(15 * SECOND_MS);
    small.worker();
    await small.pass(20 * SECOND_MS);
    expect(sentAt.length).toBe(2);
    const [one = 0, two = 0] = sentAt;
    expect(two - one).toBeGreaterThanOrEqual(60 * SECOND_MS);
    expect(two - one).toBeLessThan(62 * SECOND_MS);
  });
});

describe('bug 23 a cycle that was down', () => {
  it('of a wait in a loop begins again once after six periods of downtime, not six times', async () => {
    const small = openSmallWorld();
    const run = await small.begin(
      `${HEAD}${actions('note')}steps:\n  - { id: rest, wait: 5m }\n  - { id: note, call: note, with: {} }\n  - { id: again, choose: [{ when: steps.note.attempts > 0, next: rest }, { else: [] }], maxJumps: 100 }\n`,
    );
    const first = small.worker();
    await small.pass(MINUTE_MS);
    first.kill();
    await small.pass(31 * MINUTE_MS);
    small.worker();
    await small.pass(10 * SECOND_MS);
    expect(small.happened()).toEqual(['note']);
    await small.pass(4 * MINUTE_MS);
    expect(small.happened()).toEqual(['note']);
    await small.pass(MINUTE_MS);
    expect(small.happened()).toEqual(['note', 'note']);
    expect((await small.show(run)).status).toBe('WAITING');
  });
});

describe('bug 26 the time-out and the event', () => {
  const text = `${HEAD}${EVENT}${actions('ship', 'void')}steps:
  - id: payment
    await: paid
    timeout: 5s
    catch: [{ on: [timeout], do: [{ id: stop, call: void, with: {} }], then: end }]
  - { id: ship, call: ship, with: {} }
`;
  const paid = { name: 'paid', data: {}, source: 'psp', eventId: 'paid-1', by: 'psp', waitMs: 2_000 };

  it.each([
    [5_200, ['void']],
    [5_001, ['void']],
    [4_800, ['ship']],
  ])('after %i ms: one of the two is taken, the other is answered with it', async (atMs, happened) => {
    const small = openSmallWorld();
    small.worker();
    const run = await small.begin(text);
    await small.pass(atMs - small.elapsedMs());
    const told = await small.during(small.desk.verbs.signal(run, paid));
    expect(['applied', 'ended', 'kept']).toContain(told.outcome);
    await small.pass(20 * SECOND_MS);
    expect(small.happened()).toEqual(happened);
    expect((await small.show(run)).status).toBe('COMPLETED');
  });

  it('both while nobody works: what the database has first counts, however late it is looked at', async () => {
    for (const [waitMs, happened] of [
      [4_000, ['ship']],
      [6_000, ['void']],
    ] as const) {
      const small = openSmallWorld();
      const run = await small.begin(text);
      await small.pass(waitMs);
      await small.during(small.desk.verbs.signal(run, { ...paid, waitMs: 0 }));
      await small.pass(LEASE_MS);
      small.worker();
      await small.pass(20 * SECOND_MS);
      expect(small.happened()).toEqual(happened);
    }
  });
});
