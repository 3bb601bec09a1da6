import { enter } from '../machine/advance.ts';
import type { ParentLink } from '../model/child.ts';
import { invariant } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { KernelSnapshot, RunControl, RunIdentity, RunState } from '../model/run.ts';
import type { RunCommit } from '../model/run-commit.ts';
import { closeDraft } from './close-draft.ts';
import type { DecideContext } from './decide-context.ts';
import type { StartDecision, StartRows } from './decision.ts';
import { Draft } from './draft.ts';
import { pump, recordMove } from './kernel-loop.ts';
import { isQueued } from './on-lock.ts';
import { CHAIN_START } from './receipt.ts';
import { DEADLINE } from './settle-run.ts';

/** The fence of a run that is leased to its starter from birth. */
const FIRST_FENCE = 1;

/** By then its starter has put a run into the queue of its lock, or has died: then whoever claims the run does it, milliseconds. */
export const QUEUED_LOOK_MS = 2_000;

/**
 * Decides the first commit of a run: its initial snapshot and everything that follows from it at once. With `canSend`
 * the first effect is REQUESTED already; a run without any waiting completes in this commit.
 * @param run its identity; `startedAtMs` is the database's time.
 * @param parent whose child it is; null = nobody's.
 */
export function decideStart(ctx: DecideContext, run: RunIdentity, parent: ParentLink | null = null): StartDecision {
  const { definition } = ctx.compiled.machine;
  const holds = definition.onFailure === 'hold';
  const first = enter(ctx.compiled, { run, nowMs: run.startedAtMs, holds });
  const draft = new Draft(ctx, unborn(ctx, run, first.snapshot, controlOf(parent)));
  draft.atMs = run.startedAtMs;
  if (definition.timeoutMs !== null) draft.setTimer(DEADLINE, run.startedAtMs + definition.timeoutMs);
  recordMove(draft, first, { type: 'run.started', id: run.runId, step: null, detail: { holds } });
  if (parent !== null && definition.lock !== undefined && run.lock === undefined) beginUnder(draft);
  pump(draft);
  const { commit, next, orders, more } = closeDraft(draft, false);
  const isKept = ctx.canSend && commit.lease.kind === 'keep';
  const start = rowsOf(ctx, run, commit, isKept);
  return {
    start: isQueued(next) ? { ...start, lease: { kind: 'free', readyAtMs: ctx.nowMs + QUEUED_LOOK_MS } } : start,
    next: { ...next, fence: isKept ? FIRST_FENCE : 0 },
    ...orders,
    more,
  };
}

/** The lock of its file is held above: a child that shares it has its turn at once. */
function beginUnder(draft: Draft): void {
  const { runId } = draft.base.run;
  draft.enqueue({ type: 'run.granted', atMs: draft.atMs }, { type: 'lock.shared', id: runId, step: null });
}

function controlOf(parent: ParentLink | null): RunControl {
  return parent === null ? EMPTY_CONTROL : { ...EMPTY_CONTROL, parent };
}

function unborn(ctx: DecideContext, run: RunIdentity, snapshot: KernelSnapshot, control: RunControl): RunState {
  return {
    run,
    revision: 0,
    fence: ctx.canSend ? FIRST_FENCE : 0,
    status: 'RUNNING',
    phase: 'forward',
    snapshot,
    control,
    effects: new Map(),
    timers: new Map(),
    approvals: new Map(),
    kept: [],
    lastReceiptNo: 0,
    lastReceiptHash: CHAIN_START,
    crashes: 0,
    endedAtMs: null,
  };
}

/** The notes of a run that has not begun. */
export const EMPTY_CONTROL: RunControl = {
  activeSinceMs: {},
  incidents: [],
  cancelWaiting: null,
  timerGenerations: {},
  redo: {},
  reads: {},
  plan: null,
  order: null,
  deadlineWaiting: false,
  pending: [],
};

function rowsOf(ctx: DecideContext, run: RunIdentity, commit: RunCommit, isKept: boolean): StartRows {
  const { head, transitions, effects, receipts, approvals, audit, outbox, offers, lease } = commit;
  invariant(head !== null, 'a start without a head', { runId: run.runId });
  // A starter that does not send leaves what is still to be decided to whoever claims the run.
  const readyAtMs = lease.kind === 'release' ? lease.readyAtMs : ctx.nowMs;
  return {
    run,
    requestHash: hashJson([run.workflow, run.input]),
    again: ctx.compiled.machine.definition.key?.again ?? 'never',
    head,
    transitions,
    effects,
    timers: commit.timersSet,
    approvals,
    receipts,
    audit,
    outbox,
    ...(offers === undefined ? {} : { offers }),
    lease: isKept ? { kind: 'keep' } : { kind: 'free', readyAtMs },
  };
}
