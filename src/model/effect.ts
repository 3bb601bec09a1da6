import type { EffectKey, LinkName } from './ids.ts';
import type { Json } from './json.ts';
import type { EffectState, FailureClass } from './statuses.ts';

/** One enclosing repetition of a step: a map item, a turn, a visit. Zeros are left out. */
export type Frame = readonly ['m', string] | readonly ['r', number] | readonly ['v', number];

/** What an effect key is hashed from (rules E01, R13); kept on the row so that an invariant can recompute it. */
export type KeyIngredients =
  | {
      readonly kind: 'forward';
      readonly tenant: string;
      readonly reach: 'run' | 'workflow' | 'global';
      readonly address: readonly Json[];
      readonly object: Json;
      readonly intent: string;
      readonly generation: number;
    }
  | { readonly kind: 'compensation'; readonly forwardKey: EffectKey; readonly generation: number };

/** The request of an effect without secrets; its canonical JSON is what is hashed, stored and resent. */
export interface EffectRequest {
  readonly action: string;
  readonly contract: number;
  /** http: method, url, headers (without auth and Pawl-*), body; function: name and body. */
  readonly method: string | null;
  readonly url: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly function: string | null;
  /** The `with` value after templates. */
  readonly with: Json;
  /** What goes out as the body; for functions the `request` argument. */
  readonly body: Json;
  /** Waits whose addresses are put in at each sending, sorted; absent = none. */
  readonly links?: readonly LinkName[];
}

/** One intended act in the world: a row of the ledger. */
export interface Effect {
  readonly key: EffectKey;
  readonly step: string;
  readonly frames: readonly Frame[];
  readonly ingredients: KeyIngredients;
  readonly action: string;
  readonly contract: number;
  /** The queue from which remote workers pull its attempts; absent = whoever holds the run sends them. */
  readonly queue?: string;
  readonly pivot: boolean;
  /** Canonical JSON text of the EffectRequest; bytes that a hash covers (rule P15). */
  readonly request: string;
  readonly requestHash: string;
  readonly state: EffectState;
  /** Sendings so far, those settled as "not sent" included; rises with each REQUESTED. */
  readonly attempt: number;
  /** Attempts that count against `retry.attempts`. */
  readonly countedAttempts: number;
  readonly code: string | null;
  /** Class of the failure of a row that settled without success; a re-entered step raises the same failure again. */
  readonly failureClass: FailureClass | null;
  /** Whether some attempt was ever UNKNOWN (rule E15). */
  readonly everUnknown: boolean;
  /** Fence under which it was last REQUESTED. */
  readonly fence: number;
  readonly firstRequestedAtMs: number | null;
  readonly requestedAtMs: number | null;
  /**
   * The latest database time at which the first byte of the last attempt leaves. Of a row with a queue: while REQUESTED the end of
   * the lease under which it was handed out, while AUTHORIZED the time by which it must be handed out (null = whenever).
   */
  readonly sendByMs: number | null;
  /** Not sent or asked about before this database time. */
  readonly notBeforeMs: number | null;
  readonly unknownSinceMs: number | null;
  /** When the present way of finding out began (a person's "keep waiting" starts it again); `giveUp` counts from it. */
  readonly doubtSinceMs: number | null;
  readonly resends: number;
  readonly queries: number;
  /** What is to be done while UNKNOWN. */
  readonly doubt: 'resend' | 'query' | 'review' | 'event' | null;
  readonly lastError: string | null;
  readonly output: Json | undefined;
  /** The provider's own name for it, of a confirmed effect; `effect.receipt.externalId` of a compensation. */
  readonly externalId: string | null;
  readonly receiptNo: number | null;
  /** Database time of its settling; null while open. */
  readonly settledAtMs: number | null;
  /** Forward key that this row makes amends for. */
  readonly compensates: EffectKey | null;
  /** The approval that authorized it. */
  readonly approvalId: string | null;
  /**
   * Database time at which it was found not to have happened in commits that the database has lost (P14), so that it is sent;
   * absent = nobody has had to ask.
   */
  readonly clearedAtMs?: number;
}

/** Immutable proof of an outcome, numbered and chained per run (rule E10). */
export interface Receipt {
  readonly receiptNo: number;
  readonly effectKey: EffectKey;
  readonly attempt: number;
  readonly outcome: 'confirmed' | 'failed' | 'absent' | 'waived';
  readonly code: string | null;
  readonly requestHash: string;
  readonly externalId: string | null;
  /** Provider's answer as bytes (redacted), base64 in JSON form. */
  readonly resultBase64: string;
  readonly observedBy: 'response' | 'query' | 'webhook' | 'person';
  /** Who and with which evidence, where a person observed it. */
  readonly evidence: Json;
  readonly approvalId: string | null;
  readonly contract: number;
  readonly requestedAtMs: number | null;
  readonly settledAtMs: number;
  /** Integrity of the receipt before it; 64 zeros for the first. */
  readonly previous: string;
  /** sha256 of the canonical JSON of everything above plus the run id. */
  readonly integrity: string;
}
