import type { ChildNews } from './child.ts';
import type { EffectKey, LinkName } from './ids.ts';
import type { Json } from './json.ts';
import type { HandOut } from './offer.ts';
import type { Outcome } from './outcome.ts';
import type { ShareNews } from './shared-effect.ts';
import type { InboxOutcome, ReviewAnswer } from './statuses.ts';

/** Which attempt a remote worker speaks of. */
type HandedOut = Omit<HandOut, 'runId'>;

/** An outcome as it travels in an inbox row: what is absent is left out. */
export type ToldOutcome = Omit<Outcome, 'output'> & { readonly output?: Json };
/** What an order of a person may be bound to. */
interface Condition {
  /** The revision that the run must have when it is decided; absent = whatever it has then. */
  readonly ifRevision?: number;
}

/** What an event from outside asks of a run. Timers and acts of people travel the same road as signals (P17). */
export type InboxPayload =
  | {
      readonly type: 'signal';
      readonly name: string;
      readonly data: Json;
      readonly by: string;
      /** The one wait that it came for, by its address; absent = it is whoever's that takes it. */
      readonly link?: LinkName;
    }
  /** A child that this run waits for has come to its end, or an undo of it has (V08). */
  | { readonly type: 'child.ended'; readonly news: ChildNews }
  /** The parent of this completed run is being undone, and so is this (R10). */
  | { readonly type: 'child.undo'; readonly effectKey: EffectKey; readonly by: string; readonly reason: string }
  /** What has become of an act that this run shares with others (E11). */
  | { readonly type: 'share.told'; readonly news: ShareNews }
  /** The run's turn in the queue of its lock has come. */
  | { readonly type: 'lock.granted'; readonly lock: string }
  | { readonly type: 'timer'; readonly name: string; readonly generation: number; readonly dueAtMs: number }
  | {
      readonly type: 'vote';
      readonly approvalId: string;
      readonly decision: 'approve' | 'deny';
      readonly subjectHash: string;
      readonly principal: string;
      readonly roles: readonly string[];
      readonly comment: string | null;
      /** What the voter filled in; absent = nothing. */
      readonly form?: Json;
    }
  | (Condition & { readonly type: 'cancel'; readonly by: string; readonly reason: string })
  | (Condition & { readonly type: 'terminate'; readonly by: string; readonly reason: string })
  | (Condition & { readonly type: 'pause'; readonly by: string; readonly reason: string })
  | (Condition & { readonly type: 'resume'; readonly by: string; readonly reason: string | null })
  | (Condition & {
      readonly type: 'compensate';
      readonly by: string;
      readonly reason: string;
      readonly planHash: string | null;
    })
  | (Condition & { readonly type: 'retry'; readonly step: string; readonly by: string; readonly reason: string })
  | (Condition & {
      readonly type: 'resolve';
      readonly effectKey: string;
      readonly as: ReviewAnswer;
      readonly evidence: string;
      readonly output: Json | undefined;
      readonly by: string;
      readonly roles: readonly string[];
    })
  | { readonly type: 'reconcile'; readonly effectKey: string; readonly by: string }
  /** A remote worker asks for an attempt: void after `untilMs`, because by then nobody waits for it any more. */
  | {
      readonly type: 'pull';
      readonly effectKey: EffectKey;
      readonly by: string;
      readonly leaseMs: number;
      readonly untilMs: number;
    }
  /** A remote worker is not done with the attempt that it was handed, and asks for more time from now. */
  | ({ readonly type: 'extend'; readonly by: string; readonly leaseMs: number } & HandedOut)
  /** A remote worker says what became of the attempt that it was handed; judged and redacted before it is stored. */
  | ({ readonly type: 'settle'; readonly by: string; readonly outcome: ToldOutcome } & HandedOut)
  /** A fenced holder has heard that an effect happened (E08): knowledge for whoever holds the run now, no order. */
  | {
      readonly type: 'proof';
      readonly effectKey: string;
      /** The sending or the query that it answers, and the fence under which that left: `attempt:2:fence:7`. */
      readonly turn: string;
      readonly observedBy: 'response' | 'query';
      readonly message: string;
      readonly output: Json;
      readonly externalId: string | null;
      readonly resultBase64: string;
    };

/** A row of a run's inbox: stored first, decided later, answered in place. */
export interface InboxEvent {
  /** Who vouches for the id: `timer`, `signal:<source>`, `vote:<approval>`, `person:<name>`, … */
  readonly source: string;
  readonly eventId: string;
  readonly payload: InboxPayload;
  readonly payloadHash: string;
  readonly receivedAtMs: number;
  /** Null while undecided. A `kept` event has an outcome and is not consumed. */
  readonly outcome: InboxOutcome | null;
  readonly code: string | null;
}
