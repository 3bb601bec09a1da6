import type { Json } from './json.ts';
import type { FailureClass, OutcomeKind } from './statuses.ts';

/** What an adapter saw of one sending or query, before it is judged; no interpretation in it. */
export type AttemptReport =
  | {
      readonly kind: 'answered';
      /** http status; null for functions. */
      readonly status: number | null;
      readonly headers: Readonly<Record<string, string>>;
      /** Parsed body, or undefined when it could not be read as JSON or text. */
      readonly body: Json | undefined;
      /** The bytes as they came, bounded by maxResponse. */
      readonly bodyBytes: Uint8Array;
      /** Why `body` is missing: too large, cut off, not readable, not storable (P11). */
      readonly unreadable: string | null;
    }
  /** A function threw one of our outcome errors, or a reconcile function returned an outcome. */
  | {
      readonly kind: 'declared';
      readonly outcome: OutcomeKind;
      readonly code: string | null;
      readonly afterMs: number | null;
      readonly data: Json;
    }
  /** The database took a statement back (E13): nothing of it is there. `passing`: another try may succeed. */
  | {
      readonly kind: 'undone';
      readonly code: string;
      /** What the database says, without the values of any row. */
      readonly reason: string;
      readonly passing: boolean;
      readonly data: Json;
    }
  /** No answer. `byteWritten` decides between unavailable and unknown. */
  | { readonly kind: 'broken'; readonly byteWritten: boolean; readonly reason: string }
  /** Refused before anything was sent: a fence, a missing secret, a late start (E05). Does not count as an attempt. */
  | {
      readonly kind: 'unsent';
      readonly reason: string;
      /** The request itself cannot be sent (a line break in a header, another scheme): trying again cannot help. */
      readonly permanent?: true;
      /**
       * What it waits for: a secret that this process lacks, the circuit of its host (E14), the end of recovery mode (P14),
       * somebody's word that it has not happened in commits that the database has lost (P14), or the end of a pause.
       */
      readonly lacks?: 'secret' | 'circuit' | 'recovery' | 'word' | 'pause';
      /** It need not be tried again before, milliseconds from now. */
      readonly afterMs?: number;
    };

/** What an attempt or query meant. */
export interface Outcome {
  readonly kind: OutcomeKind;
  readonly code: string | null;
  /** Class of its failure where the kind does not say it; absent = as the kind says. */
  readonly class?: FailureClass;
  readonly message: string;
  /** Present when confirmed (the action's output), or rejected with data. */
  readonly output: Json | undefined;
  /** Whether the action's own `outcome` table named it (rule E15). */
  readonly named: boolean;
  /** From Retry-After, milliseconds from the answer. */
  readonly retryAfterMs: number | null;
  readonly externalId: string | null;
  /** Answer bytes after redaction, base64; goes into the receipt. */
  readonly resultBase64: string;
  /** False for an attempt that never left (E05): it does not count. */
  readonly sent: boolean;
}
