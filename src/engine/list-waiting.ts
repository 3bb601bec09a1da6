import { UNDO_APPROVAL } from '../decision/approval-rules.ts';
import { rowOfTimer } from '../decision/hand-out.ts';
import { keptAddress } from '../decision/kept-timers.ts';
import { DEADLINE } from '../decision/settle-run.ts';
import { authorOf } from '../machine/lane-steps.ts';
import type { Approval } from '../model/approval.ts';
import { NotFoundError } from '../model/errors.ts';
import type { RunIdentity } from '../model/run.ts';
import { displayRunId } from '../model/run-id.ts';
import type { ApprovalFilter, TimerFilter, WaitingRun } from '../ports/waiting-store.ts';
import type { Engine } from './engine.ts';
import { loadStored } from './find-run.ts';
import { type ApprovalView, approvalView, timeText } from './run-view.ts';

/** The run of a line; times RFC 3339 UTC. */
interface RunOfLine {
  readonly run: string;
  readonly runKey: string;
  readonly workflow: string;
  readonly version: number;
  readonly startedAt: string;
}

/** A line of a list of approvals. */
export type ApprovalLineView = RunOfLine & Omit<ApprovalView, 'form'>;

/** An approval with what it would cause and what is filled in. */
export interface ApprovalDetailView extends Pick<RunOfLine, 'run' | 'workflow' | 'version'> {
  readonly approval: ApprovalView;
}

/** What falls due, of which run and step. */
export interface TimerLineView extends RunOfLine {
  readonly name: string;
  /** `wait`, `timeout`, `expires`, `remind`, `deadline` of the run, `keep` of an event, `worker`: the hand-out of an effect. */
  readonly kind: string;
  /** The author's step; null where it is of no step. */
  readonly step: string | null;
  /** The key of the effect that is handed out; else null. */
  readonly effect: string | null;
  readonly dueAt: string;
}

function runOfLine({ runId, key, workflow, version, startedAtMs }: WaitingRun): RunOfLine {
  return { run: displayRunId(runId), runKey: key, workflow, version, startedAt: timeText(startedAtMs) };
}

/** Approvals of all runs. Transaction: none. */
export async function listApprovals(
  { store, tenant }: Engine,
  filter: Omit<ApprovalFilter, 'tenant'>,
): Promise<readonly ApprovalLineView[]> {
  const lines = await store.approvals({ ...filter, tenant });
  return lines.map(({ run, approval }) => ({ ...runOfLine(run), ...approvalView(null, approval) }));
}

/** The approval of that id, or the last one of that step. */
function named(approvals: readonly Approval[], name: string): Approval | undefined {
  const byId = approvals.find(({ approvalId }) => approvalId === name);
  return byId ?? approvals.findLast(({ step }) => authorOf(step) === name);
}

/**
 * An approval of a run, with its form. Transaction: none.
 * @param name its id, or its step: the last one of that.
 * @throws PAWL_APPROVAL_NOT_FOUND.
 */
export async function approvalDetail(engine: Engine, run: RunIdentity, name: string): Promise<ApprovalDetailView> {
  const { stored } = await loadStored(engine, run);
  const approval = named(stored.approvals, name);
  if (approval === undefined)
    throw new NotFoundError('PAWL_APPROVAL_NOT_FOUND', `run ${run.key} has no approval ${name}`, {
      runId: run.runId,
      approval: name,
    });
  const { runId, workflow, version } = run;
  const readable = await engine.versions.readable(run.digest);
  return { run: displayRunId(runId), workflow, version, approval: approvalView(readable, approval) };
}

/** What a timer is of, as its name tells. */
function kindOf(name: string): Pick<TimerLineView, 'kind' | 'step' | 'effect'> {
  const effect = rowOfTimer(name);
  if (effect !== null) return { kind: 'worker', step: null, effect };
  if (name === DEADLINE) return { kind: 'deadline', step: null, effect };
  if (keptAddress(name) !== null) return { kind: 'keep', step: null, effect };
  const at = name.lastIndexOf(':');
  const owner = name.slice(0, at);
  return { kind: name.slice(at + 1), step: owner.startsWith(UNDO_APPROVAL) ? null : authorOf(owner), effect };
}

/** What falls due, in all runs. Transaction: none. */
export async function listTimers(
  { store, tenant }: Engine,
  filter: Omit<TimerFilter, 'tenant'>,
): Promise<readonly TimerLineView[]> {
  const lines = await store.timers({ ...filter, tenant });
  return lines.map(({ run, timer: { name, dueAtMs } }) => ({
    ...runOfLine(run),
    name,
    ...kindOf(name),
    dueAt: timeText(dueAtMs),
  }));
}
