import { describe, expect, it } from 'vitest';
import { queueWords } from '../../src/engine/list-locks.ts';
import { StoreError } from '../../src/model/errors.ts';
import type { RunId } from '../../src/model/ids.ts';
import { lockAddress } from '../../src/model/lock.ts';
import { displayRunId } from '../../src/model/run-id.ts';
import type { Store } from '../../src/ports/store.ts';
import { openSmallHouse, type SmallHouse, type SmallProcess } from './support/small-house.ts';

/** A workflow whose runs hold one lock an account until somebody says go. */
function gated({ limit = 1, head = 'timeout: 10d' }: { limit?: number; head?: string }): string {
  return `
pawl: 1
workflow: gated
version: 1
lock: { name: 'account/\${ input.account }', limit: ${limit} }
input: { type: object, required: [account], properties: { account: { type: string } } }
events: { go: { schema: { type: object } } }
${head}
actions:
  bank.note: { http: { method: POST, url: 'http://127.0.0.1:9/note' }, idempotency: natural, compensate: none }
steps:
  - { id: note, call: bank.note, with: { account: =input.account } }
  - { id: ready, await: go }
`;
}

interface Scene {
  readonly house: SmallHouse;
  readonly person: SmallProcess;
  start(account?: string): Promise<string>;
  status(run: string): Promise<string>;
  go(run: string): Promise<void>;
  /** Lets time pass until a run stands so. */
  stands(run: string, status: string): Promise<void>;
  why(run: string): Promise<string | undefined>;
}

async function openScene(of: { limit?: number; head?: string; store?: (store: Store) => Store } = {}): Promise<Scene> {
  const house = openSmallHouse();
  const person = house.process({ works: false, store: of.store?.(house.store) ?? house.store });
  const { verbs } = person;
  await house.settled(verbs.publish({ text: gated(of), file: 'gated.pawl.yaml', by: 'ana' }));
  return {
    house,
    person,
    start: async (account = 'a') => {
      const { run } = await house.settled(
        verbs.start({ workflow: 'gated', version: 1, input: { account }, by: 'ana' }),
      );
      return run.runId;
    },
    status: async (run) => (await house.settled(verbs.show(run))).status,
    go: async (run) => {
      const ask = { name: 'go', data: {}, by: 'ana', source: 'signal', eventId: null, waitMs: 0 };
      await house.settled(verbs.signal(run, ask));
    },
    stands: (run, wanted) => house.until(() => house.store.peek().runs.get(run as RunId)?.head.status === wanted),
    why: async (run) => (await house.settled(verbs.why(run))).reasons.find(({ kind }) => kind === 'lock')?.text,
  };
}

/** A store of which one verb never comes through. */
function without(verb: 'joinLock' | 'leaveLock' | 'deliver'): (store: Store) => Store {
  return (store) => ({
    ...store,
    [verb]: () => Promise.reject(new StoreError('PAWL_STORE_UNAVAILABLE', 'the connection broke')),
  });
}

const gone = { by: 'ana', reason: 'not needed' };

describe('lock', () => {
  it('QUEUED: at most one unfinished run holds a lock, the others begin in the order of their starts', async () => {
    const { house, start, status, stands, go } = await openScene();
    const [first, second, third] = [await start(), await start(), await start()];
    const other = await start('b');
    house.process({ works: true });
    await stands(first, 'WAITING');
    await stands(other, 'WAITING');
    expect([await status(second), await status(third)]).toEqual(['QUEUED', 'QUEUED']);
    await go(first);
    await stands(second, 'WAITING');
    expect([await status(first), await status(third)]).toEqual(['COMPLETED', 'QUEUED']);
    await go(second);
    await stands(third, 'WAITING');
    await go(third);
    await stands(third, 'COMPLETED');
    await go(other);
    await stands(other, 'COMPLETED');
    // A name that nobody asks for leaves nothing behind.
    expect([...house.store.peek().locks.keys()]).toEqual([]);
  });

  it('QUEUED: as many as the limit says hold it, and a run that is HELD keeps it', async () => {
    const { house, person, start, status, stands } = await openScene({ limit: 2, head: 'onFailure: hold' });
    const runs = [await start(), await start(), await start()];
    const [first = '', second = '', third = ''] = runs;
    house.process({ works: true });
    await stands(second, 'WAITING');
    await house.settled(person.verbs.terminate(second, gone));
    await stands(third, 'WAITING');
    expect(await Promise.all(runs.map(status))).toEqual(['WAITING', 'TERMINATED', 'WAITING']);
    expect(await status(first)).toBe('WAITING');
  });

  it('QUEUED: a run is cancelled in the queue without any effect, and those behind it move up', async () => {
    const { house, person, start, status, stands, why, go } = await openScene();
    const [first, second, third] = [await start(), await start(), await start()];
    house.process({ works: true });
    await stands(first, 'WAITING');
    expect(await why(third)).toBe(
      `waits for the lock account/a, position 2 of 2, held by ${displayRunId(first as RunId)}`,
    );
    await house.settled(person.verbs.cancel(second, gone));
    await stands(second, 'CANCELLED');
    expect((await house.settled(person.verbs.show(second))).effects).toEqual([]);
    expect(await why(third)).toContain('position 1 of 1');
    await go(first);
    await stands(third, 'WAITING');
    expect(await status(second)).toBe('CANCELLED');
  });

  it('QUEUED: the deadline of a run ends it in the queue', async () => {
    const { house, start, stands } = await openScene({ head: 'timeout: 1m' });
    const [first, second] = [await start(), await start()];
    house.process({ works: true });
    await stands(second, 'FAILED');
    await stands(first, 'COMPENSATED').catch(() => stands(first, 'FAILED'));
    expect([...house.store.peek().places.values()]).toEqual([]);
  });

  it('QUEUED: a starter that dies before it has queued its run loses nobody: whoever claims the run queues it', async () => {
    const { house, person, start, stands, why } = await openScene({ store: without('joinLock') });
    const run = await start();
    expect(person.logged.map(({ event }) => event)).toContain('lock.later');
    expect(await why(run)).toBe('waits for the lock account/a: a worker is to put it into the queue');
    house.process({ works: true });
    await stands(run, 'WAITING');
  });

  it('QUEUED: a process that dies between an end and the next beginning keeps nobody waiting', async () => {
    const { house, start, stands, go } = await openScene({ store: without('leaveLock') });
    const [first, second] = [await start(), await start()];
    house.process({ works: true, store: without('leaveLock')(house.store) });
    await stands(first, 'WAITING');
    await go(first);
    await stands(first, 'COMPLETED');
    const worker = house.process({ works: true });
    await stands(second, 'WAITING');
    await house.until(() => worker.logged.some(({ event }) => event === 'lock.swept'));
  });

  it('QUEUED: a run that was given the lock and never told of it is told when it is looked at', async () => {
    const { house, start, stands, why } = await openScene({ store: without('deliver') });
    const run = await start();
    expect(await why(run)).toBe('holds the lock account/a: a worker is to begin it');
    house.process({ works: true });
    await stands(run, 'WAITING');
  });

  it('QUEUED: a run that is given its lock by a process that dies before it says so is told by the sweep', async () => {
    const { house, start, stands, why } = await openScene();
    const [first, second] = [await start(), await start()];
    house.process({ works: true });
    await stands(first, 'WAITING');
    // Somebody has looked whether it is in the queue: from now on nothing but its turn wakes it.
    await house.until(() => house.store.peek().runs.get(second as RunId)?.wakeUp === null);
    const dying = house.process({ works: false, store: without('deliver')(house.store) });
    await house.settled(dying.verbs.terminate(first, gone));
    expect(await why(second)).toBe('holds the lock account/a: a worker is to begin it');
    await stands(second, 'WAITING');
  });

  it('QUEUED: a grant that comes after the end gives the lock to the next one', async () => {
    const { house, start, stands } = await openScene({ store: without('deliver') });
    const [first, second] = [await start(), await start()];
    const other = house.process({ works: false, store: without('leaveLock')(house.store) });
    await house.settled(other.verbs.cancel(first, gone));
    house.process({ works: true });
    await stands(second, 'WAITING');
  });

  it('QUEUED: an operator changes a limit, which is kept with who and why; whoever holds the lock keeps it', async () => {
    const { house, person, start, status, stands, go } = await openScene();
    const { verbs } = person;
    const runs = [await start(), await start(), await start(), await start()];
    const [first = '', second = '', third = '', fourth = ''] = runs;
    house.process({ works: true });
    await stands(first, 'WAITING');
    await house.settled(verbs.limitLock('account/a', { limit: 3, by: 'ops', reason: 'month end' }));
    await stands(third, 'WAITING');
    expect(await status(fourth)).toBe('QUEUED');
    await house.settled(verbs.limitLock('account/a', { limit: null, by: 'ops', reason: 'over' }));
    await go(first);
    await stands(first, 'COMPLETED');
    await go(second);
    await stands(second, 'COMPLETED');
    const [lock] = await house.settled(verbs.locks('account/a'));
    expect(lock).toMatchObject({ held: 1, waiting: 1, setLimit: null });
    expect(lock?.acts.map(({ by, reason, limit }) => [by, reason, limit])).toEqual([
      ['ops', 'over', null],
      ['ops', 'month end', 3],
    ]);
    await go(third);
    await stands(fourth, 'WAITING');
  });

  it.each([0, 1.5, 10_001, Number.NaN])('A limit of %s is refused', async (limit) => {
    const { house, person } = await openScene();
    await expect(house.settled(person.verbs.limitLock('a', { limit, by: 'ops', reason: 'x' }))).rejects.toMatchObject({
      code: 'PAWL_USAGE',
    });
  });

  it('A lock without a name is refused with the start, and nothing is started', async () => {
    const house = openSmallHouse();
    const { verbs } = house.process({ works: false });
    const text = gated({}).replace("'account/${ input.account }'", '=input.account');
    await house.settled(verbs.publish({ text, file: 'gated.pawl.yaml', by: 'ana' }));
    const start = verbs.start({ workflow: 'gated', version: 1, input: { account: '' }, by: 'ana' });
    await expect(house.settled(start)).rejects.toMatchObject({ code: 'PAWL_INPUT_INVALID' });
    expect(house.store.peek().runs.size).toBe(0);
  });

  it('A lock lives in one place, whatever the parts of its runs', () => {
    expect(lockAddress('default', 'a', 4)).toEqual(lockAddress('default', 'a', 4));
    expect(lockAddress('default', 'a', 4).part).toBeLessThan(4);
    expect(queueWords('a', null, { runId: 'x' as RunId }).by).toEqual(['a worker']);
  });
});
