import type { Frame } from './effect.ts';
import type { RunId } from './ids.ts';

/** What a message tells; `event` and `reminder` leave the house, the others go to another run of it, or (`share`) to the place of a shared act. */
export type OutboxTopic = 'event' | 'reminder' | 'child.start' | 'child.cancel' | 'child.undo' | 'child.end' | 'share';

/** The topics that leave the house: they need a configured receiver. */
const OUTWARD: readonly OutboxTopic[] = ['event', 'reminder'];

/** Whether a message leaves the house. */
export function isOutward(topic: OutboxTopic): boolean {
  return OUTWARD.includes(topic);
}

/** A message as the commit that took its step wrote it (rule V09); it never changes. */
export interface OutboxMessage {
  /** Revision of the transition that it belongs to, and its number there: the order of sending. */
  readonly revision: number;
  readonly ordinal: number;
  /** The same however often it is decided or sent; a run has one message of it. */
  readonly messageId: string;
  readonly topic: OutboxTopic;
  /** Messages of one run, one key and one direction are delivered in their order; null = in any. */
  readonly key: string | null;
  readonly step: string | null;
  readonly frames: readonly Frame[];
  /** Canonical JSON: the bytes that are sent and signed. */
  readonly body: string;
  readonly atMs: number;
}

/** What became of a message: `dead` = given up until a person has said what to do; `dropped` = a person let it go. */
export type OutboxState = 'waiting' | 'delivered' | 'dead' | 'dropped';

/** A message with how far it has come. */
export interface OutboxRecord extends OutboxMessage {
  readonly state: OutboxState;
  /** Sendings since it was written, or since a person had it sent again. */
  readonly attempts: number;
  /** Not sent before this database time. */
  readonly dueAtMs: number;
  readonly lastError: string | null;
  readonly settledAtMs: number | null;
}

/** Where a message lies. */
export interface OutboxAddress {
  readonly part: number;
  readonly runId: RunId;
  readonly revision: number;
  readonly ordinal: number;
}

/** A message that is to be sent now; nobody else sends it before its claim is over. */
export interface ClaimedMessage {
  readonly address: OutboxAddress;
  readonly message: OutboxMessage;
  /** Which sending this is. */
  readonly attempt: number;
}

/** A message of a list, with its run. */
export interface OutboxLine extends OutboxRecord {
  readonly part: number;
  readonly runId: RunId;
}

/** How a sending went; `failed` is tried again after `waitMs`. */
export type SendingResult =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly error: string; readonly waitMs: number }
  | { readonly kind: 'dead'; readonly error: string };

/** What a person does about a message. */
export interface OutboxAct {
  readonly act: 'retry' | 'drop';
  readonly by: string;
  readonly reason: string;
}
