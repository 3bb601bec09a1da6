import { describe, expect, it } from 'vitest';
import { digestsOf } from '../../src/definition/digest.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import type { ScheduleView } from '../../src/engine/list-schedules.ts';
import { lower } from '../../src/machine/lower.ts';
import { canonicalJson } from '../../src/model/canonical-json.ts';
import { StoreError } from '../../src/model/errors.ts';
import type { RunId } from '../../src/model/ids.ts';
import type { Json } from '../../src/model/json.ts';
import { displayRunId } from '../../src/model/run-id.ts';
import { scheduleAddress } from '../../src/model/schedule.ts';
import type { StoredVersion } from '../../src/ports/store.ts';
import { NEVER, openSmallHouse, type SmallHouse, type SmallProcess } from './support/small-house.ts';
import type { StoreVerb } from './support/watched-store.ts';

const MINUTE_MS = 60_000;
const SHORT = 'steps:\n  - { id: note, call: note, with: { n: =input.n } }\n';
/** A run that goes on until somebody says so. */
const LONG = 'events: { go: { schema: { type: object } } }\nsteps:\n  - { id: ready, await: go }\n';

interface Text {
  readonly schedule?: string;
  readonly version?: number;
  readonly head?: string;
  readonly steps?: string;
}

/** A workflow that starts every minute, with 1 as its input. */
function minutely({ schedule = '', version = 1, head = '', steps = SHORT }: Text = {}): string {
  return `pawl: 1
workflow: minutely
version: ${version}
timeout: 10d
input: { type: object, required: [n, account], properties: { n: { type: integer }, account: { type: string } } }
schedule: { cron: '* * * * *', input: { n: 1, account: A }${schedule} }
${head}
actions:
  note: { http: { method: POST, url: 'http://127.0.0.1:9/note' }, idempotency: natural, compensate: none }
${steps}`;
}

interface Scene {
  readonly house: SmallHouse;
  readonly person: SmallProcess;
  worker(): SmallProcess;
  publish(text: string): Promise<void>;
  /** Lets so many minutes of the database's clock pass, counted from the beginning of the world. */
  at(minutes: number): Promise<void>;
  /** Keys of the runs, in order: minutes and seconds. */
  keys(): readonly string[];
  view(): Promise<ScheduleView | undefined>;
  /** Status by key. */
  statuses(): Readonly<Record<string, string>>;
  go(key: string): Promise<void>;
}

function clockOf(time: string | null | undefined): string | null {
  return time?.slice(11, 16) ?? null;
}

function openScene(): Scene {
  const house = openSmallHouse();
  const person = house.process({ works: false });
  const { verbs } = person;
  const runs = () => [...house.store.peek().runs.values()].sort((a, b) => (a.run.key < b.run.key ? -1 : 1));
  return {
    house,
    person,
    worker: () => house.process({ works: true }),
    publish: async (text) => void (await house.settled(verbs.publish({ text, file: 'm.pawl.yaml', by: 'ana' }))),
    at: async (minutes) => void (await house.world.run(() => false, minutes * MINUTE_MS)),
    keys: () => runs().map(({ run }) => String(clockOf(run.key))),
    view: async () => (await house.settled(verbs.schedules(10)))[0],
    statuses: () => Object.fromEntries(runs().map(({ run, head }) => [clockOf(run.key), head.status])),
    go: async (key) => {
      const run = runs().find(({ run: one }) => clockOf(one.key) === key)?.run.runId ?? '';
      await house.settled(
        verbs.signal(run, { name: 'go', data: {}, by: 'ana', source: 's', eventId: null, waitMs: 0 }),
      );
    },
  };
}

describe('a schedule', () => {
  it('starts each instant once under many workers, with the instant as its key', async () => {
    const { house, worker, publish, at, keys, view } = openScene();
    const workers = [worker(), worker(), worker()];
    await publish(minutely());
    await at(3.5);
    expect(keys()).toEqual(['00:01', '00:02', '00:03']);
    const [first] = [...house.store.peek().runs.values()];
    expect(first?.run).toMatchObject({
      key: '2030-01-01T00:01:00Z',
      input: { n: 1, account: 'A' },
      startedBy: 'schedule',
      version: 1,
    });
    const late = [...house.store.peek().runs.values()].map(({ run }) => run.startedAtMs - Date.parse(run.key));
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThan(200);
    const last = [...house.store.peek().runs.values()].find(({ run }) => clockOf(run.key) === '00:03')?.run.runId;
    expect(await view()).toEqual({
      workflow: 'minutely',
      version: 1,
      cron: '* * * * *',
      timezone: 'UTC',
      overlap: 'skip',
      catchUp: 'one',
      paused: false,
      next: '2030-01-01T00:04:00.000Z',
      lastFired: '2030-01-01T00:03:00.000Z',
      lastRun: displayRunId(last as RunId),
      lastSkipped: null,
      error: null,
      acts: [],
    });
    const told = workers.flatMap(({ logged }) => logged).filter(({ event }) => event === 'schedule.fired');
    expect(told.length).toBe(3);
  });

  it('says so where its version is damaged, keeps no other one waiting, and goes on with the next version', async () => {
    const { house, worker, publish, at, keys, view } = openScene();
    const { watched } = worker();
    await publish(minutely());
    await publish(minutely().replace('workflow: minutely', 'workflow: other'));
    watched.hooks = {
      around: async (verb, args, go) =>
        verb === 'findVersion' && args[1] === 'minutely' && args[2] === 1
          ? { ...((await go()) as StoredVersion), machine: 'no JSON' }
          : go(),
    };
    await at(2.5);
    const started = [...house.store.peek().runs.values()].map(({ run }) => `${run.workflow} ${clockOf(run.key)}`);
    expect(started.sort()).toEqual(['other 00:01', 'other 00:02']);
    expect(await view()).toMatchObject({
      workflow: 'minutely',
      next: '2030-01-01T00:01:00.000Z',
      error: expect.stringMatching(
        /^the stored version minutely@1 is damaged: .*; publish its source as the next version$/,
      ),
    });
    await publish(minutely({ version: 2 }));
    await at(3.5);
    expect(keys().filter((key) => key === '00:03').length).toBe(2);
  });

  it('is published and listed although the version before is damaged', async () => {
    const { house, person, publish } = openScene();
    await publish(minutely());
    const { verbs, watched } = house.process({ works: false });
    watched.hooks = {
      around: async (verb, _args, go) => {
        const found = await go();
        const isFirst = verb === 'findVersion' && (found as StoredVersion).version === 1;
        return isFirst ? { ...(found as StoredVersion), machine: 'no JSON' } : found;
      },
    };
    const [listed] = await house.settled(verbs.schedules(10));
    expect(listed).toMatchObject({
      cron: null,
      timezone: null,
      error: expect.stringContaining('minutely@1 is damaged'),
    });
    await house.settled(verbs.publish({ text: minutely({ version: 2 }), file: 'm.pawl.yaml', by: 'ana' }));
    expect((await house.settled(person.verbs.schedules(10)))[0]).toMatchObject({
      version: 2,
      cron: '* * * * *',
      error: null,
    });
  });

  it.each([
    ['claimSchedules', 'before'],
    ['claimSchedules', 'after'],
    ['start', 'before'],
    ['start', 'after'],
    ['settleSchedule', 'before'],
    ['settleSchedule', 'after'],
  ] as const)('loses nothing and starts nothing twice when a worker dies with its %s, %s', async (verb, when) => {
    for (const catchUp of ['one', 'all', 'none']) {
      const { house, worker, publish, at, keys } = openScene();
      await publish(minutely({ schedule: `, catchUp: ${catchUp}` }));
      await at(0.9);
      const dying = worker();
      diesAt(dying, verb, when, () => house.world.nowMs() >= MINUTE_MS);
      await at(1.02);
      expect(dying.isAlive()).toBe(false);
      worker();
      worker();
      await at(3.5);
      expect(keys()).toEqual(['00:01', '00:02', '00:03']);
      expect([...house.store.peek().runs.values()].map(({ head }) => head.status)).toEqual(
        Array.from({ length: 3 }, () => 'COMPLETED'),
      );
    }
  });

  it.each([
    ['one', ['00:10', '00:11']],
    ['all', Array.from({ length: 11 }, (_, no) => `00:${String(no + 1).padStart(2, '0')}`)],
    ['none', ['00:11']],
  ] as const)('makes up for what passed while nobody worked as catchUp says: %s', async (catchUp, expected) => {
    const { worker, publish, at, keys } = openScene();
    await publish(minutely({ schedule: `, catchUp: ${catchUp}, overlap: allow` }));
    await at(10.7);
    const [first, second] = [worker(), worker()];
    await at(11.5);
    expect(keys()).toEqual(expected);
    const passed = [...first.logged, ...second.logged].filter(({ event }) => event === 'schedule.passed');
    expect(passed.length).toBe(catchUp === 'none' ? 1 : 0);
  });

  it('catchUp: none starts an instant that nobody took for less than a lease, and one whose taker died', async () => {
    const { worker, publish, at, keys } = openScene();
    await publish(minutely({ schedule: ', catchUp: none' }));
    await at(1.03);
    const dying = worker();
    diesAt(dying, 'start', 'before', () => true);
    await at(1.5);
    expect(keys()).toEqual([]);
    worker();
    await at(1.7);
    expect(keys()).toEqual(['00:01']);
  });
});

describe('a run of a schedule that is not over when the next one comes', () => {
  it('overlap: skip leaves the next one out and says so, until it is over', async () => {
    const { worker, publish, at, keys, view, statuses, go } = openScene();
    const { logged } = worker();
    await publish(minutely({ steps: LONG }));
    await at(2.5);
    expect(statuses()).toEqual({ '00:01': 'WAITING' });
    const before = await view();
    expect([before?.lastFired, before?.lastSkipped, before?.next].map(clockOf)).toEqual(['00:01', '00:02', '00:03']);
    expect(logged.map(({ event }) => event)).toContain('schedule.skipped');
    await go('00:01');
    await at(3.5);
    expect(keys()).toEqual(['00:01', '00:03']);
  });

  it('overlap: queue has the next one wait behind it, in the order of instants', async () => {
    const { house, person, worker, publish, at, statuses, go } = openScene();
    worker();
    await publish(minutely({ steps: LONG, schedule: ', overlap: queue' }));
    await at(3.5);
    expect(statuses()).toEqual({ '00:01': 'WAITING', '00:02': 'QUEUED', '00:03': 'QUEUED' });
    const [lock] = await house.settled(person.verbs.locks(null));
    expect(lock).toMatchObject({ name: 'schedule/minutely', held: 1, waiting: 2 });
    await go('00:01');
    await at(3.6);
    expect(statuses()).toEqual({ '00:01': 'COMPLETED', '00:02': 'WAITING', '00:03': 'QUEUED' });
  });

  it('overlap: allow starts the next one beside it', async () => {
    const { worker, publish, at, statuses } = openScene();
    worker();
    await publish(minutely({ steps: LONG, schedule: ', overlap: allow' }));
    await at(2.5);
    expect(statuses()).toEqual({ '00:01': 'WAITING', '00:02': 'WAITING' });
  });
});

describe('the schedule of a workflow', () => {
  it('is that of its highest version: published again it moves nothing, replaced it counts from now, left out it ends', async () => {
    const { house, worker, publish, at, keys, view } = openScene();
    worker();
    await publish(minutely());
    await at(1.5);
    await publish(minutely());
    expect(clockOf((await view())?.next)).toBe('00:02');
    await publish(minutely({ version: 2 }).replace('* * * * *', '*/3 * * * *').replace('n: 1,', 'n: 2,'));
    expect([(await view())?.version, clockOf((await view())?.next)]).toEqual([2, '00:03']);
    await at(3.5);
    expect(keys()).toEqual(['00:01', '00:03']);
    const [, second] = [...house.store.peek().runs.values()];
    expect([second?.run.version, second?.run.input]).toEqual([2, { n: 2, account: 'A' }]);
    await publish(minutely({ version: 3 }).replace(/^schedule.*$/m, ''));
    await at(9);
    expect([keys(), await view()]).toEqual([['00:01', '00:03'], undefined]);
  });

  it('that a higher version replaces while an instant is late starts that instant, by the higher version', async () => {
    const { house, worker, publish, at, keys } = openScene();
    await publish(minutely({ schedule: ', catchUp: all' }));
    await at(3.5);
    await publish(minutely({ version: 2, schedule: ', catchUp: all' }).replace('* * * * *', '*/2 * * * *'));
    worker();
    await at(4.5);
    // Times of the higher version count since it was published.
    expect(keys()).toEqual(['00:01', '00:04']);
    expect([...house.store.peek().runs.values()].map(({ run }) => run.version)).toEqual([2, 2]);
  });

  it.each([
    ['one', ['00:03', '00:04']],
    ['all', ['00:01', '00:02', '00:03', '00:04']],
  ] as const)(
    'that is published again with the same times while instants are late loses none of them: catchUp %s',
    async (catchUp, expected) => {
      const { house, worker, publish, at, keys } = openScene();
      await publish(minutely({ schedule: `, catchUp: ${catchUp}, overlap: allow` }));
      await at(3.5);
      await publish(minutely({ version: 2, schedule: `, catchUp: ${catchUp}, overlap: allow` }));
      worker();
      await at(4.5);
      expect(keys()).toEqual(expected);
      expect(new Set([...house.store.peek().runs.values()].map(({ run }) => run.version))).toEqual(new Set([2]));
    },
  );

  it('goes on where an instant was started by a lower version with another input, and its mover died', async () => {
    const { house, worker, publish, at, keys, view } = openScene();
    await publish(minutely());
    await at(0.9);
    const dying = worker();
    diesAt(dying, 'settleSchedule', 'before', () => true);
    await at(1.01);
    expect([dying.isAlive(), keys()]).toEqual([false, ['00:01']]);
    await publish(minutely({ version: 2 }).replace('n: 1,', 'n: 2,'));
    worker();
    await at(2.5);
    expect(keys()).toEqual(['00:01', '00:02']);
    expect([...house.store.peek().runs.values()].map(({ run }) => run.version)).toEqual([1, 2]);
    expect(clockOf((await view())?.next)).toBe('00:03');
  });

  it('that cannot start an instant keeps it due, says why, and starts it when a mended version is there', async () => {
    const { worker, publish, at, keys, view } = openScene();
    const { logged } = worker();
    await publish(minutely({ head: 'lock: =input.account' }).replace('account: A', "account: ''"));
    await at(2.5);
    const told = await view();
    expect([keys(), clockOf(told?.next)]).toEqual([[], '00:01']);
    expect(told?.error).toContain('the lock of the workflow must give a text');
    expect(logged.map(({ event }) => event)).toContain('schedule.failed');
    await publish(minutely({ version: 2, head: 'lock: =input.account' }));
    await at(2.9);
    expect([keys(), (await view())?.error]).toEqual([['00:01'], null]);
  });

  it('is stopped and goes on by a person, who says why; what came meanwhile is not made up for', async () => {
    const { house, person, worker, publish, at, keys, view } = openScene();
    const { verbs } = person;
    worker();
    await publish(minutely({ schedule: ', catchUp: all' }));
    await at(1.5);
    await house.settled(verbs.orderSchedule('minutely', { act: 'pause', by: 'ops', reason: 'audit' }));
    await publish(minutely({ version: 2, schedule: ', catchUp: all' }));
    await at(4.5);
    expect(await view()).toMatchObject({ paused: true, next: null, version: 2 });
    await house.settled(verbs.orderSchedule('minutely', { act: 'resume', by: 'ana', reason: 'done' }));
    await at(5.5);
    expect(keys()).toEqual(['00:01', '00:05']);
    expect((await view())?.acts.map(({ act, by, reason }) => [act, by, reason])).toEqual([
      ['resume', 'ana', 'done'],
      ['pause', 'ops', 'audit'],
    ]);
  });

  it('goes on as it is told, however many others there are', async () => {
    const { house, person, publish } = openScene();
    const others = Array.from({ length: 1_000 }, (_, no) => `a${no}`);
    await publish(minutely());
    const { store } = house;
    const [version] = store.peek().versions.values();
    if (version === undefined) throw new Error('nothing is published');
    for (const workflow of others)
      await store.publish({ ...version, workflow }, { part: 0, dueAtMs: MINUTE_MS, timesOf: null });
    const act = { by: 'ops', reason: 'audit' };
    const paused = await house.settled(person.verbs.orderSchedule('minutely', { act: 'pause', ...act }));
    const resumed = await house.settled(person.verbs.orderSchedule('minutely', { act: 'resume', ...act }));
    expect([paused, resumed].map(({ workflow, next }) => [workflow, clockOf(next)])).toEqual([
      ['minutely', null],
      ['minutely', '00:01'],
    ]);
  });

  it('of a zone that a worker does not know keeps its instant due, says why, and keeps no other from starting', async () => {
    const { house, worker, publish, at, keys, person } = openScene();
    await publish(minutely());
    const { definition } = validateWorkflow(minutely().replace('minutely', 'martian'), 'm.pawl.yaml');
    if (definition?.schedule === undefined) throw new Error('it has no schedule');
    const machine = lower({ ...definition, schedule: { ...definition.schedule, timezone: 'Mars/Base' } });
    const { digest, parts: digests } = digestsOf(machine);
    const [known] = house.store.peek().versions.values();
    if (known === undefined) throw new Error('nothing is published');
    await house.store.publish(
      { ...known, workflow: 'martian', digest, digests, machine: canonicalJson(machine as unknown as Json) },
      { ...scheduleAddress(known.tenant, 'martian', house.store.parts), dueAtMs: MINUTE_MS, timesOf: null },
    );
    const { logged } = worker();
    await at(2.5);
    expect(keys()).toEqual(['00:01', '00:02']);
    const [martian] = await house.settled(person.verbs.schedules(10));
    expect(martian).toMatchObject({ workflow: 'martian', error: expect.stringContaining('no time zone "Mars/Base"') });
    expect(logged.map(({ event }) => event)).not.toContain('loop.fault');
  });

  it.each(['nobody', 'plain'])('is not that of %s: whoever asks for it is told', async (workflow) => {
    const { house, person, publish } = openScene();
    await publish(
      minutely()
        .replace('minutely', 'plain')
        .replace(/^schedule.*$/m, ''),
    );
    const asked = person.verbs.orderSchedule(workflow, { act: 'pause', by: 'ops', reason: 'audit' });
    await expect(house.settled(asked)).rejects.toMatchObject({ code: 'PAWL_SCHEDULE_NOT_FOUND' });
  });

  it('waits for a database that does not answer, and says so as every loop does', async () => {
    const { worker, publish, at, keys } = openScene();
    await publish(minutely());
    const one = worker();
    let isDown = true;
    one.watched.hooks = {
      around: (verb, _args, run) => (verb === 'start' && isDown ? Promise.reject(unavailable()) : run()),
    };
    await at(1.5);
    expect([keys(), one.logged.some(({ event }) => event === 'loop.fault')]).toEqual([[], true]);
    isDown = false;
    await at(1.9);
    expect(keys()).toEqual(['00:01']);
  });
});

function unavailable(): StoreError {
  return new StoreError('PAWL_STORE_UNAVAILABLE', 'the connection broke');
}

/** A process that dies with a call, before the store has done it or after. */
function diesAt(process: SmallProcess, at: StoreVerb, when: 'before' | 'after', isTime: () => boolean): void {
  process.watched.hooks = {
    around: async (verb, _args, run) => {
      if (verb !== at || !isTime()) return run();
      if (when === 'after') await run();
      process.kill();
      return NEVER;
    },
  };
}
