import type { InboxEvent } from '../model/inbox-event.ts';

const KEEP = 'keep:';

/** The timer that keeps an event: its name ends with the event's address. */
export function keptTimer({ source, eventId }: Pick<InboxEvent, 'source' | 'eventId'>): string {
  return `${KEEP}${source}/${eventId}`;
}

/** The address of the event that a timer keeps; null for any other timer, also those of a step that is called `keep`, which have no address. */
export function keptAddress(name: string): string | null {
  return name.startsWith(KEEP) && name.includes('/') ? name.slice(KEEP.length) : null;
}
