import { PRUNED_REQUEST, type OpenEnd, type PruneAct, type PruneAsk, type RetainedRun } from '../../model/retention.ts';
import type { RunId } from '../../model/ids.ts';
import { isEnd, OPEN_EFFECT_STATES } from '../../model/statuses.ts';
import type { RetainedPage } from '../../ports/retention-store.ts';
import { inOrder } from './row.ts';
import { auditRow } from './run-rows.ts';
import { runIn, type RunRows, runsIn, type Statement } from './tables.ts';

const OPEN: ReadonlySet<string> = new Set(OPEN_EFFECT_STATES);

/** The first thing of a run that is not over, in the order of `OpenEnd`. */
function openEndOf(rows: RunRows): OpenEnd | null {
  const some = <R>(table: ReadonlyMap<unknown, R>, isOpen: (row: R) => boolean): boolean =>
    [...table.values()].some(isOpen);
  const found: readonly (readonly [OpenEnd, boolean])[] = [
    ['lease', rows.lease !== null],
    ['wake-up', rows.wakeUp !== null],
    ['timer', rows.timers.size > 0],
    ['effect', some(rows.effects, ({ state }) => OPEN.has(state))],
    ['event', some(rows.inbox, ({ consumed }) => !consumed)],
    ['message', some(rows.outbox, ({ state }) => state === 'waiting' || state === 'dead')],
    ['approval', some(rows.approvals, ({ state }) => state === 'open')],
  ];
  return found.find(([, isOpen]) => isOpen)?.[0] ?? null;
}

function retainedRun(rows: RunRows): RetainedRun {
  const { run, head } = rows;
  const { status, revision, fence, endedAtMs } = head;
  const openEnd = endedAtMs === null ? null : openEndOf(rows);
  return { runId: run.runId, digest: run.digest, status, revision, fence, endedAtMs, openEnd };
}

/** The next runs of a part whose state is there. */
export function retainedIn(statement: Statement, part: number, after: RunId | null, limit: number): RetainedPage {
  const there = runsIn(statement, part).filter(
    ({ run, head }) => head.prunedAtMs === null && (after === null || run.runId > after),
  );
  const runs = inOrder(there, ({ run }) => [run.runId])
    .slice(0, limit)
    .map(retainedRun);
  const last = runs.length < limit ? undefined : runs.at(-1);
  return { runs, next: last?.runId ?? null, nowMs: statement.nowMs };
}

/** A run without its state. */
function pruned(rows: RunRows, nowMs: number, by: PruneAct | null): RunRows {
  const { runId } = rows.run;
  const acts = by === null ? [] : [auditRow({ ...by, act: 'prune', target: runId, detail: null, atMs: nowMs })];
  return {
    ...rows,
    run: { ...rows.run, input: null },
    head: { ...rows.head, prunedAtMs: nowMs, snapshot: '', output: undefined },
    effects: new Map(
      [...rows.effects].map(([key, effect]) => [
        key,
        { ...effect, request: PRUNED_REQUEST, output: undefined, lastError: null },
      ]),
    ),
    inbox: new Map([...rows.inbox].map(([key, row]) => [key, { ...row, payload: null as never, detail: null }])),
    journal: new Map(),
    audit: [...rows.audit, ...acts],
    outbox: new Map([...rows.outbox].filter(([, { state }]) => state !== 'delivered')),
  };
}

function mayGo({ head }: RunRows, { revision, fence }: PruneAsk): boolean {
  const isThere = head.prunedAtMs === null && head.revision === revision && head.fence === fence;
  return isThere && head.endedAtMs !== null && isEnd(head.status);
}

/** Takes the state of runs that stand as they were read and of which nothing is on its way (P10). */
export function pruneRuns(statement: Statement, part: number, asks: readonly PruneAsk[], by: PruneAct | null): RunId[] {
  const gone = asks.flatMap((ask) => {
    const rows = runIn(statement, part, ask.runId);
    if (rows === undefined || !mayGo(rows, ask) || openEndOf(rows) !== null) return [];
    statement.runs.set(ask.runId, pruned(rows, statement.nowMs, by));
    return [ask.runId];
  });
  return inOrder(gone, (runId) => [runId]);
}
