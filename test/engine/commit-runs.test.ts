import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/app/system-clock.ts';
import { commitRuns } from '../../src/engine/commit-runs.ts';
import { releaseCommit } from '../../src/engine/park-run.ts';
import { RefusedError, StoreError, UnknownOutcomeError } from '../../src/model/errors.ts';
import type { Effect } from '../../src/model/effect.ts';
import type { EffectKey, RunId, WorkerId } from '../../src/model/ids.ts';
import type { CommitAnswer, RunCommit, Transition } from '../../src/model/run-commit.ts';
import type { Store, StoredRun } from '../../src/ports/store.ts';

const clock = createSystemClock();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ME = 'me' as WorkerId;
const KEY = 'k'.repeat(64) as EffectKey;

type Fault = 'none' | 'busy' | 'lost-before' | 'lost-after' | 'unavailable' | 'failed';

interface Row {
  revision: number;
  fence: number;
  journal: { revision: number; fence: number; workerId: WorkerId; stateHash: string } | null;
  effect: Pick<Effect, 'key' | 'state' | 'attempt' | 'fence' | 'queries'> | null;
}

/** A store that keeps runs as numbers and loses answers as it is told, sending by sending. */
function scriptedStore(faults: Fault[], rows: Map<string, Row>) {
  const sendings: (readonly string[])[] = [];
  const apply = (commit: RunCommit): CommitAnswer => {
    const row = rows.get(commit.runId);
    if (row === undefined || row.fence !== commit.fence) return { kind: 'fenced', fence: row?.fence ?? 0 };
    if (row.revision !== commit.revision) return { kind: 'stale', revision: row.revision };
    for (const { expect: before, effect } of commit.effects) {
      const same = row.effect?.state === before?.state && row.effect?.attempt === before?.attempt;
      if (!same) return { kind: 'conflict', effectKey: effect.key };
      row.effect = effect;
    }
    row.revision += commit.transitions.length;
    const last = commit.transitions.at(-1);
    if (last !== undefined)
      row.journal = { revision: last.revision, fence: row.fence, workerId: ME, stateHash: last.stateHash };
    return { kind: 'applied', revision: row.revision, atMs: 5 };
  };
  const store: Pick<Store, 'commit' | 'trace' | 'load'> = {
    commit: (_part, _worker, commits) => {
      sendings.push(commits.map((commit) => commit.runId));
      const fault = faults.shift() ?? 'none';
      if (fault === 'unavailable') return Promise.reject(new StoreError('PAWL_STORE_UNAVAILABLE', 'no connection'));
      if (fault === 'failed') return Promise.reject(new StoreError('PAWL_STORE_FAILED', 'a value was refused'));
      if (fault === 'lost-before') return Promise.reject(new UnknownOutcomeError('PAWL_STORE_ANSWER_LOST', 'reset'));
      if (fault === 'busy') return Promise.resolve(commits.map(() => ({ kind: 'busy' as const })));
      const answers = commits.map(apply);
      return fault === 'lost-after'
        ? Promise.reject(new UnknownOutcomeError('PAWL_STORE_ANSWER_LOST', 'reset'))
        : Promise.resolve(answers);
    },
    trace: (_part, asks) => Promise.resolve(asks.map(({ runId }) => rows.get(runId) ?? null)),
    load: (_part, runIds) =>
      Promise.resolve({
        nowMs: 5,
        runs: runIds.flatMap((runId) => {
          const row = rows.get(runId);
          return row === undefined
            ? []
            : [{ ...row, effects: row.effect === null ? [] : [row.effect] } as unknown as StoredRun];
        }),
      }),
  };
  return { store: store as Store, sendings };
}

const transition = (revision: number): Transition => ({
  revision,
  event: { type: 't', id: 'i', step: null, detail: null },
  delta: null,
  commands: [],
  stateHash: `hash-${revision}`,
  atMs: 4,
});

function commitOf(runId: string, extra: Partial<RunCommit> = {}): RunCommit {
  const base = releaseCommit(
    { run: { runId: runId as RunId, part: 0 } as StoredRun['run'], fence: 3, revision: 7 },
    null,
    null,
  );
  return { ...base, transitions: [transition(8)], ...extra };
}

const resend = (runId: string): RunCommit =>
  commitOf(runId, {
    transitions: [],
    effects: [
      {
        expect: { state: 'UNKNOWN', attempt: 1 },
        effect: { key: KEY, state: 'REQUESTED', attempt: 2, fence: 3, queries: 0 } as Effect,
      },
    ],
  });

const freshRow = (): Row => ({
  revision: 7,
  fence: 3,
  journal: null,
  effect: { key: KEY, state: 'UNKNOWN', attempt: 1, fence: 2, queries: 0 },
});

function setUp(faults: Fault[], runs: readonly string[] = ['a']) {
  const rows = new Map(runs.map((run) => [run, freshRow()] as const));
  const stop = new AbortController();
  const scripted = scriptedStore(faults, rows);
  const context = { store: scripted.store, part: 0, workerId: ME, clock, logger: silent, signal: stop.signal };
  return { ...scripted, rows, stop, context };
}

describe('commit of runs', () => {
  it('P04 mine: an answer lost after the commit is read back and adopted, the bytes are not sent again', async () => {
    // P04: "An answer lost at COMMIT: drop the connection, read back (revision, fence, journal)."
    const { context, sendings } = setUp(['lost-after']);
    await expect(commitRuns(context, [commitOf('a')])).resolves.toEqual([{ kind: 'applied', revision: 8, atMs: 4 }]);
    expect(sendings).toHaveLength(1);
  });

  it('P04 unchanged: a commit that never arrived is sent again and applied once', async () => {
    // P04: "Unchanged: resend the same bytes; zero rows: read back again."
    const { context, sendings, rows } = setUp(['lost-before']);
    await expect(commitRuns(context, [commitOf('a')])).resolves.toEqual([{ kind: 'applied', revision: 8, atMs: 5 }]);
    expect(sendings).toHaveLength(2);
    expect(rows.get('a')?.revision).toBe(8);
  });

  it('P04 zero rows: a sending that arrives late makes the second one stale; it is read back and recognised', async () => {
    // P04: "Unchanged: resend the same bytes; zero rows: read back again."
    const { context, rows, store } = setUp(['lost-before']);
    const first = commitOf('a');
    const trace = store.trace.bind(store);
    let asked = 0;
    store.trace = async (part, asks) => {
      const seen = await trace(part, asks);
      asked += 1;
      // The lost statement is executed only after its sender has looked.
      if (asked === 1)
        rows.set('a', {
          ...freshRow(),
          revision: 8,
          journal: { revision: 8, fence: 3, workerId: ME, stateHash: 'hash-8' },
        });
      return seen.map((row) => (row === null ? null : { ...row }));
    };
    await expect(commitRuns(context, [first])).resolves.toEqual([{ kind: 'applied', revision: 8, atMs: 4 }]);
    expect(asked).toBe(2);
  });

  it('P04 fence moved: somebody else holds the run now, so it is forgotten', async () => {
    // P04: "Fence moved: forget."
    const { context, rows, sendings } = setUp(['lost-before']);
    rows.set('a', { ...freshRow(), fence: 4 });
    await expect(commitRuns(context, [commitOf('a')])).resolves.toEqual([{ kind: 'fenced', fence: 4 }]);
    expect(sendings).toHaveLength(1);
  });

  it('P04 another row at that revision is not mine, whatever its number says', async () => {
    // P04: "Mine: adopt the recorded row."
    const { context, rows } = setUp(['lost-before']);
    rows.set('a', {
      ...freshRow(),
      revision: 8,
      journal: { revision: 8, fence: 3, workerId: ME, stateHash: 'of something else' },
    });
    await expect(commitRuns(context, [commitOf('a')])).resolves.toEqual([{ kind: 'stale', revision: 8 }]);
  });

  it('P04 three rounds: when every answer is lost and nothing has changed, the holder lets go', async () => {
    // P04: "After three rounds: disown (P16)."
    const { context, sendings } = setUp(['lost-before', 'lost-before', 'lost-before', 'lost-before']);
    await expect(commitRuns(context, [commitOf('a')])).resolves.toEqual([{ kind: 'lost' }]);
    expect(sendings).toHaveLength(3);
  });

  it('P04 a commit without journal row is recognised by the ledger: the attempt that it wrote is adopted, not doubted', async () => {
    // P04: "Mine: adopt the recorded row."
    const { context, sendings, rows } = setUp(['lost-after']);
    const [answer] = await commitRuns(context, [resend('a')]);
    expect(answer?.kind).toBe('applied');
    expect(sendings).toHaveLength(2);
    expect(rows.get('a')?.effect).toMatchObject({ state: 'REQUESTED', attempt: 2 });
  });

  it('P04 what was in doubt stays so while its head is locked, or its batch is refused: its own row is no conflict to it', async () => {
    // P04: "Mine: adopt the recorded row."
    const locked = setUp(['lost-after', 'busy', 'busy']);
    expect(await commitRuns(locked.context, [resend('a')])).toMatchObject([{ kind: 'applied' }]);
    expect(locked.sendings).toHaveLength(4);
    const refused = setUp(['lost-after', 'failed'], ['a', 'b']);
    const answers = await commitRuns(refused.context, [resend('a'), resend('b')]);
    expect(answers).toMatchObject([{ kind: 'applied' }, { kind: 'applied' }]);
    expect(refused.sendings).toEqual([['a', 'b'], ['a', 'b'], ['a'], ['b']]);
    const fresh = setUp(['busy']);
    expect(await commitRuns(fresh.context, [resend('a')])).toEqual([{ kind: 'busy' }]);
  });

  it('P04 a conflict after a lost answer that the ledger does not explain stays a conflict', async () => {
    // P04: "An answer lost at COMMIT: drop the connection, read back (revision, fence, journal)."
    const { context, rows } = setUp(['lost-before']);
    rows.set('a', { ...freshRow(), effect: { key: KEY, state: 'CONFIRMED', attempt: 1, fence: 3, queries: 0 } });
    await expect(commitRuns(context, [resend('a')])).resolves.toEqual([{ kind: 'conflict', effectKey: KEY }]);
  });

  it('P04 only the members in doubt are sent again; those that were applied are not', async () => {
    // P04: "Unchanged: resend the same bytes; zero rows: read back again."
    const { context, sendings, rows } = setUp(['lost-after'], ['a', 'b']);
    rows.set('b', { ...freshRow(), effect: { key: KEY, state: 'UNKNOWN', attempt: 1, fence: 2, queries: 0 } });
    const answers = await commitRuns(context, [commitOf('a'), resend('b')]);
    expect(answers.map((answer) => answer.kind)).toEqual(['applied', 'applied']);
    expect(sendings).toEqual([['a', 'b'], ['b']]);
  });

  it('P04 a commit whose run is gone, or was written by another holder meanwhile, is forgotten', async () => {
    // P04: "Fence moved: forget."
    const gone = setUp(['lost-before']);
    gone.rows.delete('a');
    await expect(commitRuns(gone.context, [commitOf('a')])).resolves.toEqual([{ kind: 'fenced', fence: 3 }]);
    const taken = setUp(['lost-before'], ['a']);
    const load = taken.store.load.bind(taken.store);
    taken.store.load = async (...ask) => {
      taken.rows.set('a', { ...freshRow(), fence: 4 });
      return load(...ask);
    };
    const conflict = {
      ...freshRow(),
      effect: { key: KEY, state: 'CONFIRMED', attempt: 2, fence: 3, queries: 0 },
    } as const;
    taken.rows.set('a', conflict);
    await expect(commitRuns(taken.context, [resend('a')])).resolves.toEqual([{ kind: 'conflict', effectKey: KEY }]);
  });

  it('P04 a holder that loses its seat while it reads back knows nothing', async () => {
    // P04: "After three rounds: disown (P16)."
    const { context, store, stop } = setUp(['lost-before']);
    store.trace = () => {
      stop.abort();
      return Promise.reject(new StoreError('PAWL_STORE_UNAVAILABLE', 'no connection'));
    };
    await expect(commitRuns(context, [commitOf('a')])).resolves.toEqual([{ kind: 'lost' }]);
  });

  it('what is no answer of a store is a bug of ours, and is not sent again', async () => {
    const bug = new Error('a bug');
    const sending = setUp([]);
    sending.store.commit = () => Promise.reject(bug);
    await expect(commitRuns(sending.context, [commitOf('a')])).rejects.toBe(bug);
    for (const error of [bug, new RefusedError('PAWL_VALUE_NOT_STORABLE', 'no')]) {
      const reading = setUp(['lost-before']);
      reading.store.trace = () => Promise.reject(error);
      await expect(commitRuns(reading.context, [commitOf('a')])).rejects.toBe(error);
    }
  });

  it('waits for a store that cannot be reached instead of guessing, and gives up when the seat is lost', async () => {
    const reached = setUp(['unavailable', 'unavailable']);
    await expect(commitRuns(reached.context, [commitOf('a')])).resolves.toEqual([
      { kind: 'applied', revision: 8, atMs: 5 },
    ]);
    const never = setUp(Array.from({ length: 50 }, () => 'unavailable' as const));
    const answers = commitRuns(never.context, [commitOf('a')]);
    never.stop.abort();
    await expect(answers).resolves.toEqual([{ kind: 'lost' }]);
  });

  it('P02 one member that the store cannot take fails alone: its neighbours are committed one by one', async () => {
    // P02: "One member's fault touches no other."
    const { context, sendings } = setUp(['failed', 'none', 'failed', 'failed', 'failed', 'none'], ['a', 'b', 'c']);
    const answers = await commitRuns(context, [commitOf('a'), commitOf('b'), commitOf('c')]);
    expect(answers.map((answer) => answer.kind)).toEqual(['applied', 'failed', 'applied']);
    expect(sendings[0]).toEqual(['a', 'b', 'c']);
    expect(sendings.slice(1).every((sending) => sending.length === 1)).toBe(true);
  });
});
