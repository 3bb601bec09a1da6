import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/model/errors.ts';
import type { RunCommit } from '../../src/model/run-commit.ts';
import type { ClaimedRun, Store, StoredRun, StoredVersion } from '../../src/ports/store.ts';
import { openSmallHouse, type SmallHouse, type SmallProcess } from './support/small-house.ts';
import { sagaOf } from './support/workflows.ts';
import type { StoreVerb } from './support/watched-store.ts';

const SAGA = sagaOf('http://shop.test', ['charge']);
const ACT = { by: 'ana', reason: 'not wanted' };

/** A run that waits for a worker, and processes that see its rows otherwise than they are. */
async function waiting(): Promise<SmallHouse & { readonly run: string; readonly starter: SmallProcess }> {
  const house = openSmallHouse();
  const starter = house.process({ works: false });
  return { ...house, starter, run: await house.begin(starter.verbs, SAGA) };
}

function isHeld(store: SmallHouse['store']): boolean {
  return [...store.peek().runs.values()].every(({ head }) => head.status === 'HELD');
}

/** Has a process read other snapshots than are stored; what it gives back is as it was. */
function misread(process: SmallProcess, store: Store, change: (snapshot: string) => string): void {
  const stored = new Map<string, string>();
  const read = (run: StoredRun): StoredRun => {
    const snapshot = change(run.snapshot);
    stored.set(snapshot, run.snapshot);
    return { ...run, snapshot };
  };
  const seen = (verb: StoreVerb, result: unknown): unknown => {
    if (verb === 'claim') return (result as readonly ClaimedRun[]).map((one) => ({ ...one, run: read(one.run) }));
    if (verb !== 'load') return result;
    const page = result as { readonly runs: readonly StoredRun[] };
    return { ...page, runs: page.runs.map(read) };
  };
  const written = ({ head, ...rest }: RunCommit): RunCommit => ({
    ...rest,
    head: head === null ? null : { ...head, snapshot: stored.get(head.snapshot) ?? head.snapshot },
  });
  process.watched.hooks = {
    around: async (verb, args, run) => {
      if (verb !== 'commit') return seen(verb, await run());
      const [part, workerId, commits] = args as Parameters<Store['commit']>;
      return store.commit(part, workerId, commits.map(written));
    },
  };
}

function patched(snapshot: string, patch: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...(JSON.parse(snapshot) as object), ...patch });
}

describe('a run that does not fit a process', () => {
  it.each([
    ['kernel', (snapshot: string) => patched(snapshot, { kernel: 'xstate@4' })],
    ['revision', (snapshot: string) => patched(snapshot, { revision: 99 })],
    ['snapshot', () => 'no JSON'],
  ] as const)('P07 by its %s is parked with that named, and goes on where it fits', async (field, change) => {
    // P07: "The pin (digest, kernel, key algorithm, schemas, function contracts) is checked at load; mismatch: parked with the field named."
    const { process, until, store, settled, starter, run } = await waiting();
    const older = process({ works: true });
    misread(older, store, change);
    await until(() => isHeld(store));
    expect(older.logged.find(({ event }) => event === 'run.set-aside')?.facts).toMatchObject({ why: 'pin', field });
    older.kill();
    const needs = await settled(starter.verbs.needs({ workflow: null, statuses: null, q: null, limit: 10 }));
    expect(needs).toMatchObject([{ kind: 'pin', from: ['role:operator'] }]);
    process({ works: true });
    await settled(starter.verbs.retry(run, 'pin', ACT));
    await until(() => [...store.peek().runs.values()].every(({ head }) => head.status === 'COMPLETED'));
  });

  it('P07 because its version cannot be used is parked; where the version cannot be read now, it is looked at again', async () => {
    // P07: "mismatch: parked with the field named."
    const { process, until, store, settled, starter, run } = await waiting();
    const forgetful = process({ works: true });
    let reads = 0;
    forgetful.watched.hooks = {
      around: async (verb, _args, go) => {
        if (verb !== 'loadVersion') return go();
        reads += 1;
        if (reads === 1) throw new StoreError('PAWL_STORE_UNAVAILABLE', 'no connection');
        if (reads > 2) return null;
        // Somebody has written into the table of versions.
        return { ...((await go()) as StoredVersion), machine: '{"definition":{}}' };
      },
    };
    await until(() => isHeld(store));
    expect(forgetful.logged.find(({ event }) => event === 'run.set-aside')?.facts).toMatchObject({ field: 'digest' });
    forgetful.kill();
    expect((await settled(starter.verbs.show(run))).incidents).toMatchObject([{ id: 'pin:digest', kind: 'pin' }]);
  });

  it.each(['{"definitionz":{}}', '{"definition":{}}', 'null', 'no JSON'])(
    'P07 because its version is damaged to %s is parked with the way out, and why, show and verify tell it',
    async (machine) => {
      // P07: "The pin (digest, kernel, key algorithm, schemas, function contracts) is checked at load; mismatch: parked with the field named."
      const { process, until, store, settled, run } = await waiting();
      const damaged = process({ works: true });
      damaged.watched.hooks = {
        around: async (verb, _args, go) =>
          verb === 'loadVersion' ? { ...((await go()) as StoredVersion), machine } : go(),
      };
      await until(() => isHeld(store));
      const { reasons } = await settled(damaged.verbs.why(run));
      expect(reasons[0]).toMatchObject({ kind: 'parked', by: ['role:operator'] });
      expect(reasons[0]?.text).toMatch(/^parked \(pin\): .*publish saga@1 again from its source, then retry$/);
      const { status, steps, incidents } = await settled(damaged.verbs.show(run));
      expect([status, steps, incidents.map(({ id }) => id)]).toEqual(['HELD', [], ['pin:digest']]);
      const { faults } = await settled(damaged.verbs.verifyStore());
      expect(faults.map(({ check, row }) => [check, row])).toEqual([['pin', 'version saga@1']]);
      damaged.watched.hooks = {};
      await settled(damaged.verbs.retry(run, 'pin', ACT));
      await until(() => [...store.peek().runs.values()].every(({ head }) => head.status === 'COMPLETED'));
    },
  );

  it('P07 nothing new begins on a version whose row is damaged: whoever starts it is told the way out, and that is open', async () => {
    // P07: "The pin (digest, kernel, key algorithm, schemas, function contracts) is checked at load; mismatch: parked with the field named."
    const { process, settled } = await waiting();
    const { verbs, watched } = process({ works: false });
    watched.hooks = {
      around: async (verb, _args, go) =>
        verb === 'findVersion' ? { ...((await go()) as StoredVersion), machine: '{"definitionz":{}}' } : go(),
    };
    const ask = { workflow: 'saga', version: 1, input: {}, by: 'starter' };
    await expect(settled(verbs.start(ask))).rejects.toMatchObject({
      code: 'PAWL_VERSION_DAMAGED',
      message: expect.stringMatching(
        /^the stored version saga@1 is damaged: .*; publish its source as the next version$/,
      ),
    });
  });

  it('P07 is left alone by a process without a worker, which only stores events, and cannot be previewed there', async () => {
    // P07: "A process that cannot decide only stores events."
    const { process, settled, store, run, starter } = await waiting();
    const older = process({ works: false });
    misread(older, store, (snapshot) => patched(snapshot, { kernel: 'xstate@4' }));
    await expect(settled(older.verbs.cancel(run, ACT))).resolves.toMatchObject({ outcome: 'pending' });
    await expect(settled(older.verbs.previewCancel(run))).rejects.toMatchObject({
      code: 'PAWL_INVARIANT',
      details: { field: 'kernel' },
    });
    expect((await settled(older.verbs.show(run))).incidents).toMatchObject([{ id: 'pin:kernel', kind: 'pin' }]);
    expect((await settled(older.verbs.show(run))).steps).toEqual([]);
    expect((await settled(starter.verbs.show(run))).status).toBe('RUNNING');
  });

  it('is shown without its steps where its version is not there', async () => {
    const { process, settled, run } = await waiting();
    const older = process({ works: false });
    older.watched.hooks = { around: (verb, _args, go) => (verb === 'loadVersion' ? Promise.resolve(null) : go()) };
    const view = await settled(older.verbs.show(run));
    expect([view.status, view.steps, view.waitingFor.map(({ kind }) => kind)]).toEqual(['RUNNING', [], ['worker']]);
    await expect(settled(older.verbs.previewCompensation(run))).rejects.toMatchObject({ code: 'PAWL_INVARIANT' });
  });

  it('is no fault of a check that cannot reach the store', async () => {
    const { process, settled } = await waiting();
    const checker = process({ works: false });
    const error = new StoreError('PAWL_STORE_UNAVAILABLE', 'no connection');
    checker.watched.hooks = { around: (verb, _args, go) => (verb === 'loadVersion' ? Promise.reject(error) : go()) };
    await expect(settled(checker.verbs.verifyStore())).rejects.toBe(error);
    checker.watched.hooks = {};
    expect((await settled(checker.verbs.verifyStore())).faults).toEqual([]);
  });
});
