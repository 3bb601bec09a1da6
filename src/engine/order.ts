import type { InboxPayload } from '../model/inbox-event.ts';

/** What a person may order of a run beside votes and signals. */
export type Order = Extract<
  InboxPayload,
  { type: 'cancel' | 'terminate' | 'compensate' | 'retry' | 'resolve' | 'reconcile' | 'pause' | 'resume' }
>;
