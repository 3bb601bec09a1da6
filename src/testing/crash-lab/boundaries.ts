/** Where a worker dies, or what else goes wrong, in the life of an effect: the columns of the table. */
export const BOUNDARIES = [
  { name: 'before-intent', heading: 'NO INTENT', words: 'before its intent is stored' },
  { name: 'intent', heading: 'INTENT', words: 'after its intent is stored, nothing sent' },
  { name: 'sent', heading: 'SENT', words: 'sent, not done' },
  { name: 'done', heading: 'DONE', words: 'done, not answered' },
  { name: 'answered', heading: 'ANSWERED', words: 'answered, not recorded' },
  { name: 'recorded', heading: 'RECORDED', words: 'recorded, not acknowledged' },
  { name: 'waiting', heading: 'WAITING', words: 'while waiting for a person or an event' },
  { name: 'lease', heading: 'LEASE', words: 'at lease expiry, with the request in flight' },
  { name: 'away', heading: 'AWAY', words: 'nobody there for as long as its key is remembered' },
  { name: 'events', heading: 'EVENTS', words: 'events and votes twice, out of order and unasked' },
] as const;

/** The name of one column. */
export type BoundaryName = (typeof BOUNDARIES)[number]['name'];

/** What a column means, in words. */
export function boundaryWords(name: BoundaryName): string {
  return BOUNDARIES.find((boundary) => boundary.name === name)?.words ?? name;
}
