import { describe, expect, it } from 'vitest';
import { createPauses, PAUSES_KNOWN_MS, PAUSES_SURE_MS } from '../../src/engine/pauses.ts';
import type { Outlet } from '../../src/engine/outlet.ts';
import type { RunId } from '../../src/model/ids.ts';
import { fitsGlob } from '../../src/model/api-key.ts';
import { StoreError } from '../../src/model/errors.ts';
import { type Pause, type PauseSubject, pauseOf, SEND_PAUSED } from '../../src/model/pause.ts';
import type { Store } from '../../src/ports/store.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { keepingLogger } from './support/house.ts';
import { openSmallHouse, type SmallHouse, type SmallProcess } from './support/small-house.ts';
import { sagaOf } from './support/workflows.ts';

const SAGA = sagaOf('http://shop.test:8443', ['reserve', 'charge']);
const BY = { by: 'ana', reason: 'the bank is down' };
const END = { by: 'ana', reason: null };
const SUBJECTS: readonly PauseSubject[] = [
  { kind: 'workflow', name: 'sag*' },
  { kind: 'action', name: 'shop.charge' },
  { kind: 'host', name: 'SHOP.test:8443' },
];

const rowsOf = ({ store }: SmallHouse, run: string) => {
  const rows = store.peek().runs.get(run as RunId);
  if (rows === undefined) throw new Error('there is no such run');
  return rows;
};
const stateOf = (house: SmallHouse, run: string, step: string) =>
  [...rowsOf(house, run).effects.values()].find((effect) => effect.step === step);
const statusOf = (house: SmallHouse, run: string): string => rowsOf(house, run).head.status;

async function pass({ world }: SmallHouse, ms: number): Promise<void> {
  const untilMs = world.nowMs() + ms;
  await world.run(() => world.nowMs() >= untilMs, untilMs);
}

interface Scene extends SmallHouse {
  readonly sent: string[];
  readonly worker: SmallProcess;
}

/** A house with a worker, and somebody who pauses from a process of their own. */
function openScene(
  over: (store: Store) => Store = (store) => store,
): Scene & { readonly verbs: SmallProcess['verbs'] } {
  const house = openSmallHouse();
  const sent: string[] = [];
  const send = ({ effect }: { effect: { step: string; action: string } }) => {
    sent.push(effect.action);
    return answered(200, { id: `x-${effect.step}` });
  };
  const worker = house.process({ works: true, outside: { send }, store: over(house.store) });
  return { ...house, sent, worker, verbs: house.process({ works: false }).verbs };
}

/** The store in which some verbs are others. */
function withVerbs(inner: Store, verbs: Partial<Store>): Store {
  return new Proxy(inner, { get: (target, name) => Reflect.get(name in verbs ? verbs : target, name) as unknown });
}

describe('a pause of a workflow, an action or a host', () => {
  it.each(SUBJECTS)(
    'keeps back all that would be sent of it, whoever holds the run, fails nothing, and lets it go on at once: $kind',
    async (subject) => {
      const house = openScene();
      const { settled, until, sent, verbs } = house;
      await settled(verbs.publish({ text: SAGA, file: 't.pawl.yaml', by: 'ana' }));
      const pause = await settled(verbs.beginPause({ ...subject, ...BY }));
      expect(await settled(verbs.pauses())).toEqual([pause]);
      const run = await house.begin(verbs, SAGA);
      const step = subject.kind === 'action' ? 'charge' : 'reserve';
      await until(() => stateOf(house, run, step)?.code === SEND_PAUSED);
      await pass(house, 30_000);
      expect(sent).toEqual(subject.kind === 'action' ? ['shop.reserve'] : []);
      expect(stateOf(house, run, step)).toMatchObject({
        state: 'AUTHORIZED',
        countedAttempts: 0,
        firstRequestedAtMs: null,
      });
      expect(statusOf(house, run)).toBe('WAITING');
      const [reason] = (await settled(verbs.why(run))).reasons;
      const name = { workflow: 'workflow sag*', action: 'shop.charge', host: 'host shop.test:8443' }[subject.kind];
      const command = { workflow: "--workflow 'sag*'", action: '--action shop.charge', host: '--host shop.test:8443' };
      expect(reason).toMatchObject({
        kind: 'pause',
        step,
        text: `not sent: ${name} is paused by ana since ${pause.since}: the bank is down`,
        since: pause.since,
        by: ['role:operator'],
        command: `pawl resume ${command[subject.kind]}`,
      });
      expect((await settled(verbs.verifyStore())).faults).toEqual([]);
      await settled(verbs.endPause(pause.id, END));
      const endedAtMs = house.world.nowMs();
      await until(() => statusOf(house, run) === 'COMPLETED');
      expect(house.world.nowMs() - endedAtMs).toBeLessThan(2_000);
      expect(sent).toEqual(['shop.reserve', 'shop.charge']);
      expect(stateOf(house, run, step)).toMatchObject({ countedAttempts: 1 });
    },
  );

  it('is known to a worker within its bound, though that has looked just before', async () => {
    const house = openScene();
    const { settled, sent, verbs } = house;
    await house.begin(verbs, SAGA);
    await house.until(() => sent.length === 2);
    await settled(verbs.beginPause({ kind: 'workflow', name: 'saga', ...BY }));
    await pass(house, PAUSES_SURE_MS);
    const { run } = await settled(verbs.start({ workflow: 'saga', version: 1, input: {}, by: 'ana' }));
    await pass(house, 30_000);
    expect(sent.length).toBe(2);
    expect(stateOf(house, run.runId, 'reserve')?.code).toBe(SEND_PAUSED);
  });

  it('leaves alone what is not of it, and what has left: an answer is written down, and a doubt asked about', async () => {
    const text = SAGA.replace(
      "/reserve' }\n    idempotency: { header: Idempotency-Key, remembers: 24h }",
      [
        "/reserve' }",
        '    idempotency: none',
        "    reconcile: { http: { method: GET, url: 'http://shop.test:8443/book' }, found: response.status == 200, absent: final, every: 1s, giveUp: 10m }",
      ].join('\n'),
    );
    const house = openSmallHouse();
    const sent: string[] = [];
    let answers = false;
    const lost = { kind: 'broken', byteWritten: true, reason: 'reset' } as const;
    const outside = {
      send: ({ effect }: { effect: { action: string } }) => {
        sent.push(effect.action);
        return lost;
      },
      query: () => (answers ? answered(200, { id: 'seen' }) : lost),
    };
    const { verbs } = house.process({ works: true, outside });
    const run = await house.begin(verbs, text);
    await house.until(() => sent.length === 1);
    await house.settled(verbs.beginPause({ kind: 'host', name: 'shop.test:8443', ...BY }));
    await house.settled(verbs.beginPause({ kind: 'action', name: 'shop.other', ...BY }));
    await pass(house, PAUSES_SURE_MS);
    answers = true;
    await house.until(() => stateOf(house, run, 'charge')?.code === SEND_PAUSED);
    expect([stateOf(house, run, 'reserve')?.state, sent]).toEqual(['CONFIRMED', ['shop.reserve']]);
  });

  it('keeps back undoing too: a compensation waits, and none is given up', async () => {
    const house = openScene();
    const { settled, until, sent, verbs } = house;
    const text = SAGA.replace('output:', '  - { id: rest, wait: 1h }\noutput:').replace('timeout: 1h', 'timeout: 1d');
    const run = await house.begin(verbs, text);
    await until(() => sent.length === 2 && statusOf(house, run) === 'WAITING');
    const pause = await settled(verbs.beginPause({ kind: 'workflow', name: 'saga', ...BY }));
    await pass(house, PAUSES_SURE_MS);
    await settled(verbs.cancel(run, { by: 'ana', reason: 'no more' }));
    await pass(house, 30_000);
    expect([sent.length, statusOf(house, run)]).toEqual([2, 'COMPENSATING']);
    expect((await settled(verbs.why(run))).reasons[0]?.kind).toBe('pause');
    await settled(verbs.endPause(pause.id, END));
    await until(() => statusOf(house, run) === 'CANCELLED');
    expect(sent.slice(2)).toEqual(['shop.uncharge', 'shop.unreserve']);
  });

  it('lets go on at once what stands beside something that is in flight', async () => {
    const line = (name: string): string =>
      `  do.${name}: { http: { method: POST, url: 'http://shop.test/${name}' }, idempotency: { header: Idempotency-Key, remembers: 24h }, compensate: none, timeout: 10m }`;
    const text = [
      'pawl: 1\nworkflow: beside\nversion: 1\ntimeout: 1d\nactions:',
      line('slow'),
      line('kept'),
      'steps:\n  - id: both\n    parallel:',
      '      a: [{ id: slow, call: do.slow, with: {} }]\n      b: [{ id: kept, call: do.kept, with: {} }]\n',
    ].join('\n');
    const house = openSmallHouse();
    const sent: string[] = [];
    const send = ({ effect }: { effect: { step: string } }) => {
      sent.push(effect.step);
      return effect.step === 'slow' ? new Promise<never>(() => undefined) : answered(200, {});
    };
    const { verbs } = house.process({ works: true, outside: { send } });
    const { id } = await house.settled(verbs.beginPause({ kind: 'action', name: 'do.kept', ...BY }));
    const run = await house.begin(verbs, text);
    await house.until(() => stateOf(house, run, 'kept')?.code === SEND_PAUSED);
    await house.settled(verbs.endPause(id, END));
    const endedAtMs = house.world.nowMs();
    await house.until(() => sent.includes('kept'));
    expect(house.world.nowMs() - endedAtMs).toBeLessThan(2_000);
    expect(rowsOf(house, run).lease).not.toBeNull();
  });

  it('wakes, soon, what was being written down as kept back while somebody ended the pause', async () => {
    let end: (() => Promise<unknown>) | null = null;
    const house = openScene((store) =>
      withVerbs(store, {
        commit: async (part, worker, commits) => {
          const isKept = commits.some(({ effects }) => effects.some(({ effect }) => effect.code === SEND_PAUSED));
          const ending = isKept ? end : null;
          if (ending !== null) end = null;
          await ending?.();
          return store.commit(part, worker, commits);
        },
      }),
    );
    const { settled, until, verbs } = house;
    const { id } = await settled(verbs.beginPause({ kind: 'action', name: 'shop.reserve', ...BY }));
    end = () => house.store.endPause({ tenant: 'default', pauseId: id }, END);
    const run = await house.begin(verbs, SAGA);
    await until(() => end === null);
    const endedAtMs = house.world.nowMs();
    await until(() => statusOf(house, run) === 'COMPLETED');
    expect(house.world.nowMs() - endedAtMs).toBeLessThan(15_000);
  });

  it('is begun once, and only of a workflow that is there; ended once', async () => {
    const { settled, verbs } = openScene();
    const begin = (kind: PauseSubject['kind'], name: string) => settled(verbs.beginPause({ kind, name, ...BY }));
    await expect(begin('workflow', 'nowhere')).rejects.toMatchObject({ code: 'PAWL_VERSION_NOT_FOUND' });
    await expect(begin('host', 'two words')).rejects.toMatchObject({ code: 'PAWL_INPUT_INVALID' });
    const { id } = await begin('action', 'shop.charge');
    await expect(begin('action', 'shop.charge')).rejects.toMatchObject({
      code: 'PAWL_PAUSED_ALREADY',
      message: expect.stringMatching(/^shop\.charge is paused by ana since .*Z: the bank is down$/),
    });
    await settled(verbs.endPause(id, END));
    await expect(settled(verbs.endPause(id, END))).rejects.toMatchObject({ code: 'PAWL_PAUSE_NOT_FOUND' });
  });
});

describe('what is not sent by this process', () => {
  const PRINT = [
    'pawl: 1\nworkflow: print\nversion: 1\ntimeout: 9d\nactions:',
    '  label.print: { worker: printers, idempotency: { remembers: 24h }, settlesWithin: 6m, timeout: 5m, compensate: none }',
    'steps: [{ id: label, call: label.print }]\n',
  ].join('\n');

  it('is not handed out to remote workers while it is paused', async () => {
    const house = openSmallHouse();
    const { verbs } = house.process({ works: false });
    const run = await house.begin(verbs, PRINT);
    const { id } = await house.settled(verbs.beginPause({ kind: 'action', name: 'label.*', ...BY }));
    const ask = { queue: 'printers', limit: 1, leaseMs: 60_000, waitMs: 0, by: 'w1' };
    expect(await house.settled(verbs.pullAttempts(ask))).toEqual([]);
    expect((await house.settled(verbs.why(run))).reasons.map(({ kind }) => kind)).toContain('pause');
    await house.settled(verbs.endPause(id, END));
    expect(await house.settled(verbs.pullAttempts({ ...ask, waitMs: 10_000 }))).toMatchObject([{ step: 'label' }]);
  });

  it('is no statement that is carried out while it is paused', async () => {
    const tries = { count: 0 };
    const report = answered(null, { rows: [], rowCount: 1 });
    const statements = async () => {
      tries.count += 1;
      return { report, keep: () => undefined };
    };
    const house = openSmallHouse({ statements });
    const { verbs } = house.process({ works: true });
    const { id } = await house.settled(verbs.beginPause({ kind: 'action', name: 'stock.take', ...BY }));
    const text =
      'pawl: 1\nworkflow: books\nversion: 1\ntimeout: 1d\nactions: { stock.take: { sql: UPDATE stock SET left = 0, expectRows: 1, compensate: none } }\nsteps: [{ id: take, call: stock.take }]\n';
    const run = await house.begin(verbs, text);
    await pass(house, 60_000);
    expect([tries.count, stateOf(house, run, 'take')?.code]).toEqual([0, SEND_PAUSED]);
    await house.settled(verbs.endPause(id, END));
    await house.until(() => statusOf(house, run) === 'COMPLETED');
    expect(tries.count).toBe(1);
  });
});

describe('what a process knows of pauses', () => {
  const PAUSE: Pause = { ...{ pauseId: 'p', tenant: 'default', kind: 'host', name: '*.test' }, ...BY, atMs: 0 };
  const PASS: Outlet = { ask: () => ({ kind: 'pass', heard: () => undefined }) };
  const ACT = { tenant: 'default', workflow: 'saga', action: 'shop.charge', host: 'shop.test' };

  function known() {
    const world = { ms: 0, pauses: [] as readonly Pause[], looks: 0, takesMs: 0, isGone: false, woken: 0 };
    const store = {
      pauses: async () => {
        world.looks += 1;
        const { pauses } = world;
        if (world.isGone) throw new StoreError('PAWL_STORE_UNAVAILABLE', 'gone');
        world.ms += world.takesMs;
        return pauses;
      },
      wakePaused: async () => {
        world.woken += 1;
      },
    };
    const pauses = createPauses(store, { monotonicMs: () => world.ms }, keepingLogger());
    const { hold } = pauses.over(PASS);
    return { world, pauses, hold: async (act = ACT) => (await hold?.({ act, seed: 'k', turn: 1 }))?.lacks };
  }

  it('is at most so old, asked once by all who ask meanwhile, and asked anew before it is said that something is paused', async () => {
    const { world, hold } = known();
    expect(await Promise.all([hold(), hold(), hold()])).toEqual([undefined, undefined, undefined]);
    expect(world.looks).toBeLessThan(3);
    const before = world.looks;
    world.pauses = [PAUSE];
    world.ms += PAUSES_KNOWN_MS;
    expect([await hold(), world.looks]).toEqual([undefined, before]);
    world.ms += 1;
    expect(await hold()).toBe('pause');
    world.pauses = [];
    // Whoever is woken by the end of a pause is not told of it once more.
    expect(await hold()).toBeUndefined();
  });

  it('counts for nothing where the store does not answer, or not in time: then nothing leaves', async () => {
    const { world, pauses } = known();
    const { hold } = pauses.over(PASS);
    const ask = () => hold?.({ act: ACT, seed: 'k', turn: 1 });
    world.isGone = true;
    expect(await ask()).toMatchObject({ kind: 'unsent', reason: expect.stringContaining('could not be found out') });
    world.isGone = false;
    world.takesMs = PAUSES_SURE_MS + 1;
    expect(await ask()).toMatchObject({ kind: 'unsent' });
    world.takesMs = PAUSES_SURE_MS;
    expect(await ask()).toBeNull();
  });

  it('is tended only where something was kept back, and until that was woken once the pause has ended', async () => {
    const { world, pauses, hold } = known();
    await pauses.tend();
    expect(world.looks).toBe(0);
    world.pauses = [PAUSE];
    await hold();
    world.ms += 60_000;
    await pauses.tend();
    expect(world.woken).toBe(0);
    world.pauses = [];
    await pauses.tend();
    await pauses.tend();
    expect(world.woken).toBe(1);
  });

  it('is of one tenant, and of names that fit', () => {
    const other = { ...ACT, tenant: 'other' };
    expect([pauseOf([PAUSE], ACT), pauseOf([PAUSE], other), pauseOf([PAUSE], { ...ACT, host: null })]).toEqual([
      PAUSE,
      null,
      null,
    ]);
    expect(fitsGlob('shop.*', 'shop.charge')).toBe(true);
  });
});
