import { invariant } from '../model/errors.ts';
import type { RunCommit } from '../model/run-commit.ts';
import type { RunState } from '../model/run.ts';
import type { RunStatus } from '../model/statuses.ts';
import type { Orders } from './decision.ts';
import { checkPin } from './dispatch-block.ts';
import type { Draft } from './draft.ts';
import { endingRows } from './end-run.ts';
import { checkSecrets } from './missing-secret.ts';
import { showsQueued } from './on-lock.ts';
import { dispatchDue, movingRows, openReads, type OrderBook } from './on-due.ts';
import { releaseKept } from './release-kept.ts';
import { isPaused } from './on-pause.ts';
import { endedStatus, liveStatus, needsOf, nextDueAtMs } from './run-status.ts';
import { isSentFromHere } from './hand-out.ts';
import { tendQueues } from './tend-queues.ts';
import { tellShares } from './share-effect.ts';
import { comeToRest, mayTakeMore } from './take-event.ts';
import { forgetLanes } from './lane-step.ts';

/** Times that dispatching may settle something and so move the run again before a commit is closed; the rest comes next time. */
const ROUNDS_MAX = 8;

/** A closed draft: what to write, the run after it, and what to send then. */
export interface Closed {
  readonly commit: RunCommit;
  readonly next: RunState;
  readonly orders: Orders;
  readonly more: boolean;
}

/**
 * Closes a decision: sends what is due, derives the status, keeps the lease while anything is in flight here.
 * @param hasRest whether inputs are left over for the next decision.
 */
export function closeDraft(draft: Draft, hasRest: boolean): Closed {
  const orders: OrderBook = { sends: [], queries: [], reads: [] };
  checkPin(draft);
  if (!isPaused(draft)) releaseKept(draft);
  comeToRest(draft);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    draft.atMs = draft.ctx.nowMs;
    if (!dispatchDue(draft, orders)) break;
    comeToRest(draft);
    releaseKept(draft);
    comeToRest(draft);
  }
  checkSecrets(draft);
  forgetLanes(draft);
  tellShares(draft);
  tendQueues(draft);
  const more = !isPaused(draft) && (hasRest || draft.queue.length > 0 || mayTakeMore(draft));
  const needs = needsOf(draft.control, draft.approvals.values());
  const closing = { status: statusOf(draft, more), needs, lease: leaseOf(draft, orders, more), ...endingRows(draft) };
  const { commit, next } = draft.finish(closing);
  return { commit, next, orders, more };
}

function statusOf(draft: Draft, more: boolean): RunStatus {
  const { incidents } = draft.control;
  if (draft.phase === 'ended') {
    const { ending } = draft.snapshot.data;
    invariant(ending !== null, 'a run ended without an end', { runId: draft.base.run.runId });
    return endedStatus(ending, draft.effects.values(), incidents);
  }
  if (showsQueued(draft)) return 'QUEUED';
  return liveStatus({ ...waiting(draft), phase: draft.phase, incidents, hasEvents: more });
}

/** What may still happen by itself: rows in flight, rows and reads that a worker acts on. */
function waiting(draft: Draft): Parameters<typeof nextDueAtMs>[0] {
  return { effects: movingRows(draft), reads: Object.fromEntries(openReads(draft)), nowMs: draft.ctx.nowMs };
}

function leaseOf(draft: Draft, orders: Orders, more: boolean): RunCommit['lease'] {
  const isOrdering = orders.sends.length + orders.queries.length + orders.reads.length > 0;
  if (more || isOrdering || isInFlightHere(draft)) return { kind: 'keep' };
  return { kind: 'release', wakeSeen: draft.ctx.wakeSeen ?? null, readyAtMs: readyAtMs(draft) };
}

/** What this holder has sent and not heard of; another fence's is nobody's any more. */
function isInFlightHere(draft: Draft): boolean {
  if (!draft.ctx.canSend) return false;
  const row = [...draft.effects.live()].some((effect) => isSentFromHere(effect) && effect.fence === draft.base.fence);
  return row || openReads(draft).some(([, read]) => read.notBeforeMs === null);
}

/** When a worker is wanted next: for rows and reads that are due, at once for what another fence has left in flight. */
function readyAtMs(draft: Draft): number | null {
  const { nowMs } = draft.ctx;
  const isLeft = [...draft.effects.live()].some(isSentFromHere);
  return isLeft ? nowMs : nextDueAtMs(waiting(draft));
}
