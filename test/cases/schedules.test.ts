import { describe, expect, it } from 'vitest';
import { EPOCH_MS, openSmallWorld, type SmallWorld } from './support/small-world.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** A worker looks for what is due at least this often. */
const LOOK_MS = 6 * SECOND_MS;

const scheduled = (schedule: string, steps = '  - { id: note, call: note, with: {} }\n'): string => `pawl: 1
workflow: scheduled
version: 1
timeout: 10d
schedule: { ${schedule} }
actions:
  note: { http: { method: POST, url: 'http://provider/note' }, idempotency: { header: Idempotency-Key, remembers: 24h }, compensate: none }
steps:
${steps}`;

/** A world at a time of its database, with this workflow published. */
async function openAt(time: string, text: string): Promise<SmallWorld> {
  const small = openSmallWorld();
  small.stepClock(Date.parse(time) - EPOCH_MS);
  await small.during(small.desk.verbs.publish({ text, file: 'case.pawl.yaml', by: 'author' }));
  return small;
}

/** Keys of the runs that were started, in order: the instants. */
function keysOf(small: SmallWorld): readonly string[] {
  return [...small.store.peek().runs.values()].map(({ run }) => run.key).sort();
}

async function until(small: SmallWorld, time: string, stepMs: number): Promise<void> {
  while (EPOCH_MS + small.elapsedMs() < Date.parse(time)) {
    small.stepClock(stepMs - LOOK_MS);
    await small.pass(LOOK_MS);
  }
}

describe('bug 20 a daily start at half past two', () => {
  it.each([
    ['Europe/Berlin', 'autumn', '2026-10-24T12:00Z', ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z']],
    ['Europe/Berlin', 'spring', '2027-03-27T12:00Z', ['2027-03-28T01:00:00Z', '2027-03-29T00:30:00Z']],
    ['America/New_York', 'autumn', '2026-10-31T12:00Z', ['2026-11-01T07:30:00Z', '2026-11-02T07:30:00Z']],
    ['America/New_York', 'spring', '2027-03-13T12:00Z', ['2027-03-14T07:00:00Z', '2027-03-15T06:30:00Z']],
  ] as const)(
    'in %s comes once on the day of the change in %s, and where it was on the next',
    async (zone, _season, from, keys) => {
      const small = await openAt(from, scheduled(`cron: '30 2 * * *', timezone: ${zone}, catchUp: all`));
      const first = small.worker();
      const [night = ''] = keys;
      await until(small, night, 30 * MINUTE_MS);
      first.kill();
      small.worker();
      small.worker();
      await until(small, new Date(Date.parse(from) + 48 * 60 * MINUTE_MS).toISOString(), 30 * MINUTE_MS);
      expect(keysOf(small)).toEqual(keys);
      expect(small.happened().length).toBe(2);
    },
  );
});

describe('bug 23 a schedule that was down', () => {
  it.each([
    ['one', ['01:10']],
    ['all', ['00:45', '00:50', '00:55', '01:00', '01:05', '01:10']],
    ['none', []],
  ] as const)(
    'for half an hour makes up for it as catchUp says (%s), and goes on where it should',
    async (catchUp, missed) => {
      const text = scheduled(`cron: '*/5 * * * *', overlap: allow, catchUp: ${catchUp}`);
      const small = await openAt('2026-06-01T00:39:50Z', text);
      const first = small.worker();
      await small.pass(70 * SECOND_MS);
      first.kill();
      await small.pass(31 * MINUTE_MS + 23 * SECOND_MS);
      small.worker();
      small.worker();
      await small.pass(10 * SECOND_MS);
      const at = (clocks: readonly string[]): readonly string[] => clocks.map((clock) => `2026-06-01T${clock}:00Z`);
      expect(keysOf(small)).toEqual(at(['00:40', ...missed]));
      await small.pass(2 * MINUTE_MS);
      expect(keysOf(small)).toEqual(at(['00:40', ...missed]));
      await small.pass(MINUTE_MS);
      expect(keysOf(small)).toEqual(at(['00:40', ...missed, '01:15']));
    },
  );
});

describe('bug 94 a scheduler that is restarted', () => {
  it('beside a run that it has started finds it again: one run, one effect', async () => {
    const steps = '  - { id: rest, wait: 200s }\n  - { id: note, call: note, with: {} }\n';
    const small = await openAt('2026-06-01T00:59:55Z', scheduled("cron: '0 * * * *'", steps));
    let worker = small.worker();
    for (let restart = 0; restart < 5; restart += 1) {
      await small.pass(30 * SECOND_MS);
      worker.kill();
      worker = small.worker();
    }
    await small.pass(2 * MINUTE_MS);
    expect([keysOf(small), small.happened()]).toEqual([['2026-06-01T01:00:00Z'], ['note']]);
  });

  it('whose clock was set back starts nothing a second time', async () => {
    const small = await openAt('2026-06-01T00:58:00Z', scheduled("cron: '* * * * *', catchUp: all"));
    small.worker();
    await small.pass(3 * MINUTE_MS + 5 * SECOND_MS);
    small.stepClock(-3 * MINUTE_MS);
    small.worker();
    await small.pass(4 * MINUTE_MS);
    expect(keysOf(small)).toEqual(['00:59', '01:00', '01:01', '01:02'].map((clock) => `2026-06-01T${clock}:00Z`));
    expect(small.happened().length).toBe(4);
  });
});
