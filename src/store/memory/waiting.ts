import type {
  ApprovalFilter,
  ApprovalLine,
  TimerFilter,
  TimerLine,
  Voter,
  WaitingRun,
} from '../../ports/waiting-store.ts';
import { compareText, inOrder } from './row.ts';
import { approvalsOf } from './run-reads.ts';
import type { RunRows, Statement } from './tables.ts';

function waitingRun({ run: { runId, key, workflow, version, startedAtMs } }: RunRows): WaitingRun {
  return { runId, key, workflow, version, startedAtMs };
}

/** Whether somebody may still vote on it: named, not left out, and not heard yet. */
function mayVote({ approval }: ApprovalLine, { principal, entries }: Voter): boolean {
  const { state, from, except, votes } = approval;
  const isNamed = from.some((entry) => entries.includes(entry));
  const isLeftOut = except.includes(principal) || except.includes(`user:${principal}`);
  return state === 'open' && isNamed && !isLeftOut && votes.every((vote) => vote.principal !== principal);
}

/** Newest run first, then by id. */
function compare(a: ApprovalLine, b: NonNullable<ApprovalFilter['after']>): number {
  const { run, approval } = a;
  return (
    b.startedAtMs - run.startedAtMs || compareText(b.runId, run.runId) || compareText(approval.approvalId, b.approvalId)
  );
}

function isOf({ workflow, workflows }: ApprovalFilter | TimerFilter, run: WaitingRun): boolean {
  return (workflow === undefined || run.workflow === workflow) && (workflows?.includes(run.workflow) ?? true);
}

function isAsked(filter: ApprovalFilter, line: ApprovalLine): boolean {
  const { states, dueBeforeMs, voter, after } = filter;
  const { state, expiresAtMs } = line.approval;
  if (!isOf(filter, line.run) || (states !== undefined && !states.includes(state))) return false;
  if (dueBeforeMs !== undefined && (expiresAtMs === null || expiresAtMs >= dueBeforeMs)) return false;
  return (voter === undefined || mayVote(line, voter)) && (after === undefined || compare(line, after) > 0);
}

/** Approvals of a tenant. */
export function listApprovals({ runs }: Statement, filter: ApprovalFilter): ApprovalLine[] {
  return [...runs.values()]
    .filter(({ run }) => run.tenant === filter.tenant)
    .flatMap((rows) => approvalsOf(rows).map((approval) => ({ run: waitingRun(rows), approval })))
    .filter((line) => isAsked(filter, line))
    .sort((a, b) => compare(a, { ...b.run, approvalId: b.approval.approvalId }))
    .slice(0, filter.limit);
}

function isBehind({ run, timer }: TimerLine, { after }: TimerFilter): boolean {
  if (after === undefined) return true;
  const order = timer.dueAtMs - after.dueAtMs || compareText(run.runId, after.runId);
  return (order || compareText(timer.name, after.name)) > 0;
}

/** Timers of a tenant. */
export function listTimers({ runs }: Statement, filter: TimerFilter): TimerLine[] {
  const { tenant, dueBeforeMs = Number.POSITIVE_INFINITY, limit } = filter;
  const lines = [...runs.values()]
    .filter(({ run }) => run.tenant === tenant)
    .flatMap((rows) => [...rows.timers.values()].map((timer) => ({ run: waitingRun(rows), timer })))
    .filter((line) => isOf(filter, line.run) && line.timer.dueAtMs < dueBeforeMs && isBehind(line, filter));
  return inOrder(lines, ({ run, timer }) => [timer.dueAtMs, run.runId, timer.name]).slice(0, limit);
}
