import type { InboxEvent } from '../model/inbox-event.ts';
import type { RunControl, RunState } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { feed } from './kernel-loop.ts';
import { topState } from './snapshot-envelope.ts';

/** Whether a run waits for its lock: it has not begun. */
export function isQueued({ snapshot }: Pick<RunState, 'snapshot'>): boolean {
  return topState(snapshot.value) === '$queued';
}

/** Whether a run shows as QUEUED: whatever has come in waits for its turn, but for what only a person can resolve. */
export function showsQueued(
  run: Pick<RunState, 'snapshot'> & { readonly control: Pick<RunControl, 'incidents'> },
): boolean {
  return isQueued(run) && run.control.incidents.length === 0;
}

/** The run's turn has come: it begins. One that was stopped in the queue has ended and needs the lock no more. */
export function onGranted(draft: Draft, event: InboxEvent): void {
  const cause = { type: event.payload.type, id: `${event.source}/${event.eventId}`, step: null };
  const begins = feed(draft, { type: 'run.granted', atMs: draft.atMs }, cause);
  draft.answer(event, begins ? 'applied' : 'ended');
}
