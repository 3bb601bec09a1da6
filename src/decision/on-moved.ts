import type { InboxEvent } from '../model/inbox-event.ts';
import type { Draft } from './draft.ts';

/**
 * An order that was given for one revision of its run, and no other, is refused where the run has moved on: of two people who
 * act on what they both saw, one does. @returns whether it was.
 */
export function refuseMoved(draft: Draft, event: InboxEvent): boolean {
  const { payload } = event;
  if (!('ifRevision' in payload) || payload.ifRevision === undefined || payload.ifRevision === draft.revision)
    return false;
  draft.answer(event, 'stale', { code: 'moved', detail: { revision: draft.revision } });
  return true;
}
