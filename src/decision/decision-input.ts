import type { EffectKey } from '../model/ids.ts';
import type { InboxEvent } from '../model/inbox-event.ts';
import type { Outcome } from '../model/outcome.ts';

/** What a holder brings to a decision. Inbox rows are put in the order of their database time by the decision itself (V10). */
export type DecisionInput =
  | { readonly type: 'inbox'; readonly event: InboxEvent }
  | {
      readonly type: 'attempt.settled';
      readonly effectKey: EffectKey;
      readonly attempt: number;
      readonly outcome: Outcome;
    }
  | { readonly type: 'query.settled'; readonly effectKey: EffectKey; readonly query: number; readonly outcome: Outcome }
  | { readonly type: 'read.settled'; readonly step: string; readonly attempt: number; readonly outcome: Outcome }
  /** The run was just claimed: what other holders left in flight is in doubt (E03). */
  | { readonly type: 'resumed' }
  /** The run was woken in its holder's hands, and no event says why: a pause may have ended. */
  | { readonly type: 'woken' }
  /** Some row's not-before may have passed. Every decision looks at that; this one has no other reason. */
  | { readonly type: 'due' };
