import { phaseOf, type SnapshotEnvelope } from '../decision/snapshot-envelope.ts';
import type { Effect } from '../model/effect.ts';
import type { Ending } from '../model/run.ts';
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
