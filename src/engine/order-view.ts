import { phaseOf, type SnapshotEnvelope } from '../decision/snapshot-envelope.ts';
import type { Effect } from '../model/effect.ts';
import type { Ending, PastOrder, RunControl } from '../model/run.ts';
import type { StoredRun } from '../ports/store.ts';

/** A person's order on its way: who gave it, and what it still waits for. */
export interface OrderView {
  readonly act: 'cancel' | 'terminate' | 'compensate';
  /** `recorded`: it applies if the pivot fails and lapses if it is confirmed (R18). */
  readonly state: 'accepted' | 'recorded';
  readonly by: string;
  readonly reason: string;
  readonly at: string | null;
  /** Steps whose effect must be settled before the order goes on. */
  readonly waitsFor: readonly string[];
}

/** A person's order that came to nothing, or that another order followed; times RFC 3339 UTC. */
export interface PastOrderView {
  readonly act: OrderView['act'];
  readonly by: string;
  readonly reason: string;
  readonly at: string;
  /** `pivot`, `terminated`: a recorded cancel lapsed because the pivot was confirmed, or the run terminated; else `followed`. */
  readonly end: PastOrder['end'];
  readonly endedAt: string;
}

/** Orders that a run does not follow any more, oldest first. */
export function pastOrderViews({ pastOrders = [] }: RunControl): readonly PastOrderView[] {
  return pastOrders.map(({ act, by, reason, atMs, end, endedAtMs }) => ({
    act,
    by,
    reason,
    at: new Date(atMs).toISOString(),
    end,
    endedAt: new Date(endedAtMs).toISOString(),
  }));
}

const ACTS: Readonly<Record<Ending['kind'], OrderView['act'] | null>> = {
  done: null,
  failed: null,
  cancelled: 'cancel',
  terminated: 'terminate',
  ordered: 'compensate',
};

function timeText(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}

function openSteps(effects: readonly Effect[]): readonly string[] {
  const open = effects.filter(({ state }) => state === 'REQUESTED' || state === 'UNKNOWN');
  return [...new Set(open.map(({ step }) => step))];
}

/** The order that a run follows, or the cancel that it has recorded while the pivot is in flight; null for any other run. */
export function orderView({ snapshot, control }: SnapshotEnvelope, stored: StoredRun): OrderView | null {
  const waitsFor = openSteps(stored.effects);
  const { order, cancelWaiting } = control;
  if (cancelWaiting !== null) {
    const { source, eventId, by, reason } = cancelWaiting;
    const kept = stored.inbox.find((event) => event.source === source && event.eventId === eventId);
    return { act: 'cancel', state: 'recorded', by, reason, at: timeText(kept?.receivedAtMs), waitsFor };
  }
  const act = snapshot.data.ending === null ? null : ACTS[snapshot.data.ending.kind];
  if (order === null || act === null || phaseOf(snapshot) === 'ended') return null;
  return { act, state: 'accepted', by: order.by, reason: order.reason, at: timeText(order.atMs), waitsFor };
}
