import { unpackSnapshot } from '../decision/snapshot-envelope.ts';
import type { ParentLink } from '../model/child.ts';
import { PawlError } from '../model/errors.ts';
import type { RunId } from '../model/ids.ts';
import { type OpenEnd, type PruneAct, type RetainedRun, RETENTION_MS } from '../model/retention.ts';
import { isEnd } from '../model/statuses.ts';
import { partOf } from '../model/virtual-shard.ts';
import type { StoredRun } from '../ports/store.ts';
import type { Engine } from './engine.ts';

/** Runs that are looked at together. */
const LOOK_RUNS_MAX = 200;
/** Runs that are loaded, or pruned by one statement, together, and about how many transitions they have; a longer run goes alone. */
const BATCH_RUNS_MAX = 50;
const BATCH_TRANSITIONS_MAX = 5_000;

/**
 * Why a run keeps its state: it has not ended, its time has not come, the run that has started it can still have it undone, its version
 * or snapshot cannot be read here, or something of it is on its way. `moved`: it was not any more as it was read.
 */
export type KeptFor = 'unfinished' | 'retention' | 'parent' | 'unreadable' | 'moved' | OpenEnd;

/** A run with what its retention comes to now. */
export interface JudgedRun extends RetainedRun {
  /** Null = its state may go. */
  readonly keptFor: KeptFor | null;
}

/** Some runs of a part, judged. */
export interface JudgedPage {
  readonly runs: readonly JudgedRun[];
  /** After whom the next page begins; null = this was the last. */
  readonly next: RunId | null;
}

/** When the state of a run may go, epoch milliseconds; null = it has not ended. @throws PAWL_INVARIANT where its version is not readable. */
async function dueAtMs({ versions }: Engine, { digest, status, endedAtMs }: RetainedRun): Promise<number | null> {
  if (!isEnd(status) || endedAtMs === null) return null;
  const version = await versions.byDigest(digest);
  if (version === null) return Number.POSITIVE_INFINITY;
  return endedAtMs + (version.compiled.machine.definition.retentionMs ?? RETENTION_MS);
}

async function judgeByTime(engine: Engine, run: RetainedRun, nowMs: number): Promise<KeptFor | null> {
  try {
    const atMs = await dueAtMs(engine, run);
    if (atMs === null) return 'unfinished';
    if (atMs === Number.POSITIVE_INFINITY) return 'unreadable';
    return atMs > nowMs ? 'retention' : run.openEnd;
  } catch (error) {
    if (error instanceof PawlError && error.code === 'PAWL_INVARIANT') return 'unreadable';
    throw error;
  }
}

/** The run that has started a run and waits, or has waited, for it; `unreadable` where its snapshot cannot say. */
function parentOf({ run, snapshot }: StoredRun): ParentLink | null | 'unreadable' {
  try {
    const { parent } = unpackSnapshot(snapshot, run.digest).control;
    return parent === undefined || parent.effectKey === null ? null : parent;
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    return 'unreadable';
  }
}

/**
 * A child can be undone as long as its parent can, and that, as long as its own state is there (R10, R24): so state goes from above, and
 * what was pruned once stays so, whatever happens between this look and the statement.
 */
async function judgeByParent({ store }: Engine, stored: StoredRun): Promise<KeptFor | null> {
  const parent = parentOf(stored);
  if (parent === null || parent === 'unreadable') return parent;
  const [head] = await store.heads(partOf(parent.runId, store.parts), [parent.runId]);
  return head === undefined || head.prunedAtMs !== null ? null : 'parent';
}

/** Batches that fit into a statement. */
function batchesOf<R extends RetainedRun>(runs: readonly R[]): readonly (readonly R[])[] {
  const batches: R[][] = [];
  let transitions = 0;
  for (const run of runs) {
    const last = batches.at(-1);
    transitions += run.revision;
    if (last === undefined || last.length === BATCH_RUNS_MAX || transitions > BATCH_TRANSITIONS_MAX) {
      batches.push([run]);
      transitions = run.revision;
    } else last.push(run);
  }
  return batches;
}

/** Says of the next runs of a part what their retention comes to (P10). Transaction: none. @param after null = from the first. */
export async function judgeRetention(engine: Engine, part: number, after: RunId | null): Promise<JudgedPage> {
  const { runs, next, nowMs } = await engine.store.retained(part, after, LOOK_RUNS_MAX);
  const judged = new Map<RunId, JudgedRun>();
  for (const run of runs) judged.set(run.runId, { ...run, keptFor: await judgeByTime(engine, run, nowMs) });
  const due = [...judged.values()].filter(({ keptFor }) => keptFor === null);
  for (const batch of batchesOf(due)) {
    const ids = batch.map(({ runId }) => runId);
    const loaded = await engine.store.load(part, ids);
    for (const stored of loaded.runs) {
      const run = judged.get(stored.run.runId);
      if (run !== undefined) judged.set(run.runId, { ...run, keptFor: await judgeByParent(engine, stored) });
    }
  }
  return { runs: [...judged.values()], next };
}

/**
 * Prunes the next runs of a part whose time is over (P10, V19): each batch is one transaction, so that a process that dies in between
 * leaves none half. A database in recovery mode may have forgotten what was acknowledged: there nothing goes.
 * @param after null = from the first. @param by a person who does it now; null = a worker. @returns the runs as they were judged; one that had moved meanwhile is kept for that.
 */
export async function pruneRuns(
  engine: Engine,
  part: number,
  after: RunId | null,
  by: PruneAct | null,
): Promise<JudgedPage> {
  const { store, logger } = engine;
  if ((await store.witness('reader')).recovery !== null) return { runs: [], next: null };
  const { runs, next } = await judgeRetention(engine, part, after);
  const due = runs.filter(({ keptFor }) => keptFor === null);
  const gone = new Set<RunId>();
  for (const batch of batchesOf(due)) for (const runId of await store.prune(part, batch, by)) gone.add(runId);
  if (gone.size > 0) logger.info({ part, count: gone.size }, 'run.pruned');
  return {
    next,
    runs: runs.map((run) => (run.keptFor === null && !gone.has(run.runId) ? { ...run, keptFor: 'moved' } : run)),
  };
}
