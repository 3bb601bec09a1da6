import type { RunId } from '../../model/ids.ts';
import type { ApprovalFilter, TimerFilter, WaitingRun, WaitingStore } from '../../ports/waiting-store.ts';
import type { Connections, Row } from './connections.ts';
import { approvalFromRow, timerFromRow } from './rows.ts';
import { LIST_APPROVALS, LIST_TIMERS } from './sql/waiting.ts';

function waitingRun(row: Row): WaitingRun {
  return {
    runId: row['run_id'] as RunId,
    key: row['run_key'] as string,
    workflow: row['workflow'] as string,
    version: row['version'] as number,
    startedAtMs: row['started_at'] as number,
  };
}

function placeOf(after: ApprovalFilter['after']): unknown[] {
  return after === undefined ? [null, null, null] : [after.startedAtMs, after.runId, after.approvalId];
}

function approvalsAsked({ tenant, states, workflow, workflows, dueBeforeMs, voter, after }: ApprovalFilter): unknown[] {
  const about = [tenant, states ?? null, workflow ?? null, workflows ?? null, dueBeforeMs ?? null];
  const who = voter === undefined ? [null, null] : [voter.principal, voter.entries];
  return [...about, ...who, ...placeOf(after)];
}

function timersAsked({ tenant, workflow, workflows, dueBeforeMs, after }: TimerFilter): unknown[] {
  const place = after === undefined ? [null, null, null] : [after.dueAtMs, after.runId, after.name];
  return [tenant, workflow ?? null, workflows ?? null, dueBeforeMs ?? null, ...place];
}

/** The verbs that list what runs wait for. */
export function waitingVerbs({ run }: Connections, parts: number): WaitingStore {
  return {
    approvals: async (filter) =>
      (await run(LIST_APPROVALS, [...approvalsAsked(filter), filter.limit])).map((row) => ({
        run: waitingRun(row),
        approval: approvalFromRow(row, row['votes'] as readonly Row[]),
      })),
    timers: async (filter) =>
      (await run(LIST_TIMERS, [...timersAsked(filter), filter.limit, parts])).map((row) => ({
        run: waitingRun(row),
        timer: timerFromRow(row),
      })),
  };
}
