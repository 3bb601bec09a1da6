import { activeStates } from '../machine/form/active-states.ts';
import { isNamed } from '../machine/guards.ts';
import type { InboxEvent } from '../model/inbox-event.ts';
import type { EventView, KernelEvent } from '../model/kernel.ts';
import { keptTimer } from './kept-timers.ts';
import { isBehindAside, isMachine } from './aside.ts';
import type { Draft } from './draft.ts';
import { firstInOrder, noteApplied, viewOf } from './event-order.ts';
import { feed, moveOf, pump } from './kernel-loop.ts';
import { isPaused } from './on-pause.ts';
import { holdsFailures } from './pivot.ts';

/**
 * A machine takes an event as its states say.
 * @returns false where none of them takes it now, or what was taken before is to be followed first: then it is kept (V01).
 */
export function takeByMachine(draft: Draft, event: InboxEvent): boolean {
  const received = receivedBy(draft, viewOf(draft, event));
  if (!takes(draft, received)) return false;
  noteApplied(draft, event);
  draft.answer(event, 'applied', { detail: { event: received.event.name } });
  feed(draft, received, { type: 'signal', id: `${event.source}/${event.eventId}`, step: null });
  return true;
}

type Received = Extract<KernelEvent, { readonly type: 'event.received' }>;

function takes(draft: Draft, received: Received): boolean {
  const move = draft.phase === 'forward' ? moveOf(draft, received) : null;
  return move !== null && !isBehindAside(draft, move);
}

/** States that became active since it was received take none of it (V13), but for those that do nothing but wait. */
function receivedBy(draft: Draft, view: EventView): Received {
  const since = Object.entries(draft.control.statesSinceMs ?? {});
  const early = since.filter(([, sinceMs]) => view.receivedAtMs < sinceMs).map(([id]) => id);
  const event = { type: 'event.received', event: view, atMs: draft.atMs, hold: holdsFailures(draft) } as const;
  return early.length === 0 ? event : { ...event, early };
}

/**
 * Works off what is queued, then gives a machine what is kept for it, oldest first or in its sender's order (V01, V03), until
 * it takes nothing more.
 */
export function comeToRest(draft: Draft): void {
  pump(draft);
  if (!isMachine(draft) || isPaused(draft)) return;
  while (takeKept(draft)) pump(draft);
}

function takeKept(draft: Draft): boolean {
  if (draft.kept.length === 0 || draft.queue.length > 0 || !draft.hasRoom) return false;
  const isTaken = (view: EventView): boolean => takes(draft, receivedBy(draft, view));
  const names = waitedFor(draft);
  const found = draft.kept.find(
    (event) => event.payload.type === 'signal' && isAmong(names, event.payload.name) && isTaken(viewOf(draft, event)),
  );
  if (found === undefined) return false;
  const event = firstInOrder(draft, found, isTaken);
  draft.clearTimer(keptTimer(event));
  return takeByMachine(draft, event);
}

/** Names and patterns of the events that the present states may take: no other is asked about, however many are kept. */
function waitedFor({ ctx, snapshot }: Draft): readonly string[] {
  const { machine } = ctx.compiled.machine.definition;
  const active = machine === undefined ? [] : activeStates(machine, snapshot.value);
  return active.flatMap(({ edges }) =>
    edges.flatMap(({ trigger }) => (trigger.kind === 'event' ? [trigger.name] : [])),
  );
}

function isAmong(names: readonly string[], name: string): boolean {
  return names.some((wanted) => isNamed(name, wanted));
}

/** Whether there may be more of what is kept to take than fitted into the commit. */
export function mayTakeMore(draft: Draft): boolean {
  return isMachine(draft) && !draft.hasRoom && draft.kept.length > 0;
}
