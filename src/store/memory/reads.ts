import type { RunId } from '../../model/ids.ts';
import type { Observation } from '../../model/run-commit.ts';
import type { RunIdentity } from '../../model/run.ts';
import { FOUND_RUNS_MAX } from '../../model/run-id.ts';
import { partOf } from '../../model/virtual-shard.ts';
import type { CommitTrace, RunFilter, RunLine, RunsAsked, Store, StoredRun } from '../../ports/store.ts';
import { inOrder, withMissing } from './row.ts';
import { storedRun } from './run-reads.ts';
import { observationRow } from './run-rows.ts';
import { heldBy, keyOf, runIn, type RunRows, runsIn, type Statement } from './tables.ts';

/** What the port promises of a verb that tells who works. */
type Answer<K extends 'holder' | 'workers' | 'overdue'> = Awaited<ReturnType<Store[K]>>;

/** Runs of a part that are there, in the order asked for. */
export function loadRuns(statement: Statement, part: number, runIds: readonly RunId[]): StoredRun[] {
  return runIds.flatMap((runId) => {
    const rows = runIn(statement, part, runId);
    return rows === undefined ? [] : [storedRun(rows)];
  });
}

/** The head of a run and the journal row at a revision (P04). */
export function traceOf(
  statement: Statement,
  part: number,
  { runId, revision }: { readonly runId: RunId; readonly revision: number },
): CommitTrace | null {
  const rows = runIn(statement, part, runId);
  if (rows === undefined) return null;
  const row = rows.journal.get(revision);
  return {
    revision: rows.head.revision,
    fence: rows.head.fence,
    journal:
      row === undefined ? null : { revision, fence: row.fence, workerId: row.workerId, stateHash: row.stateHash },
  };
}

/** Knowledge from outside the guard (E08), append-only; about runs that are there. */
export function observe(statement: Statement, observations: readonly Observation[]): void {
  for (const observation of observations) {
    const { part, runId } = observation;
    const rows = runIn(statement, part, runId);
    if (rows === undefined) continue;
    const row = observationRow(observation, { part, runId, observedAtMs: statement.nowMs });
    statement.runs.set(runId, { ...rows, observations: withMissing(rows.observations, [row]) });
  }
}

/** A run by id, or the newest of each workflow under a business key. */
export function findRun(statement: Statement, parts: number, tenant: string, idOrKey: string): RunIdentity[] {
  const byId = statement.runs.get(idOrKey as RunId)?.run;
  if (byId?.tenant === tenant && byId.part === partOf(byId.runId, parts)) return [byId];
  const named = [...statement.runs.values()].map(({ run }) => run);
  const newest = new Map<string, RunIdentity>();
  for (const run of inOrder(named, (one) => [one.startNumber])) {
    if (run.tenant === tenant && run.key === idOrKey) newest.set(run.workflow, run);
  }
  return inOrder(newest.values(), (run) => [run.workflow]).slice(0, FOUND_RUNS_MAX);
}

/** Whether it is a run of the workflows and the version that are asked for. */
function isAsked(filter: RunsAsked, run: RunIdentity): boolean {
  const { tenant, workflow } = filter;
  const { startedAfterMs = run.startedAtMs, startedBeforeMs = Number.POSITIVE_INFINITY } = filter;
  if (run.startedAtMs < startedAfterMs || run.startedAtMs >= startedBeforeMs) return false;
  if (run.tenant !== tenant || (workflow !== null && run.workflow !== workflow)) return false;
  return isOfVersion(filter, run);
}

function isOfVersion({ workflows, version, digests }: RunsAsked, run: RunIdentity): boolean {
  if (version !== undefined && run.version !== version) return false;
  return workflows?.includes(run.workflow) !== false && digests?.includes(run.digest) !== false;
}

/** Whether a run stands behind a place of the list, newest first. */
function isBehind({ after }: RunFilter, { startedAtMs, runId }: RunIdentity): boolean {
  if (after === undefined || startedAtMs < after.startedAtMs) return true;
  return startedAtMs === after.startedAtMs && runId < after.runId;
}

function matches({ run, head, effects }: RunRows, filter: RunsAsked): boolean {
  const { statuses, needsHuman, q, effectStates } = filter;
  if (!isAsked(filter, run)) return false;
  const hasEffect =
    effectStates === undefined || [...effects.values()].some(({ state }) => effectStates.includes(state));
  if (!hasEffect) return false;
  if (statuses !== null && !statuses.includes(head.status)) return false;
  if (needsHuman && head.needs.length === 0) return false;
  return q === null || run.key === q || run.runId === q;
}

/** A list of runs, newest first. */
export function listRuns(statement: Statement, filter: RunFilter): RunLine[] {
  const found = [...statement.runs.values()].filter((rows) => matches(rows, filter) && isBehind(filter, rows.run));
  return inOrder(found, ({ run }) => [run.startedAtMs, run.runId])
    .reverse()
    .slice(0, filter.limit)
    .map(({ run, head }) => ({
      run,
      status: head.status,
      revision: head.revision,
      needs: head.needs,
      endedAtMs: head.endedAtMs,
      failure: head.failure,
    }));
}

/** How many runs there are, `limit` at most. */
export function countRuns(statement: Statement, asked: RunsAsked, limit: number): number {
  return Math.min(limit, [...statement.runs.values()].filter((rows) => matches(rows, asked)).length);
}

/** Who holds a run and until when. */
export function holderOf({ seats }: Statement, { run, lease }: RunRows): Answer<'holder'> {
  if (lease === null) return null;
  const seat = seats.get(keyOf(run.part, lease.workerId));
  return { workerId: lease.workerId, leaseUntilMs: seat?.leaseUntilMs ?? null };
}

/** All seats with how many runs each holds. */
/** Runs of a part whose wake-up, timer or dead seat is older than `graceMs` and that no living seat holds (P05). */
export function overdueIn(statement: Statement, part: number, graceMs: number, limit: number): Answer<'overdue'> {
  const untilMs = statement.nowMs - graceMs;
  const late = runsIn(statement, part).flatMap((rows) => {
    const seat = rows.lease === null ? null : (statement.seats.get(keyOf(part, rows.lease.workerId)) ?? null);
    if (seat !== null && seat.leaseUntilMs > statement.nowMs) return [];
    const orphanMs = rows.lease === null ? [] : [seat?.leaseUntilMs ?? rows.lease.claimedAtMs];
    const times = [
      ...orphanMs,
      ...(rows.wakeUp === null ? [] : [rows.wakeUp.dueAtMs]),
      ...[...rows.timers.values()].map(({ dueAtMs }) => dueAtMs),
    ].filter((atMs) => atMs < untilMs);
    return times.length === 0 ? [] : [{ runId: rows.run.runId, sinceMs: Math.min(...times) }];
  });
  return inOrder(late, ({ sinceMs, runId }) => [sinceMs, runId]).slice(0, limit);
}

export function workersOf(statement: Statement): Answer<'workers'> {
  const seats = inOrder(statement.seats.values(), (seat) => [seat.part, seat.workerId]);
  return seats.map(({ part, workerId, leaseUntilMs }) => ({
    part,
    workerId,
    leaseUntilMs,
    held: heldBy(statement, part, workerId).length,
  }));
}
