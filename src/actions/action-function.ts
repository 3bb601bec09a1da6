import type { Json } from '../model/json.ts';
import type { NoteLogger } from '../ports/logger.ts';

/** What a registered function is called with, once per attempt or query. */
export interface FunctionCall {
  /** The effect's key, 64 hexadecimal digits: the same for every attempt of one effect. Empty for a read. */
  readonly key: string;
  /** The action's `with` after templates. */
  readonly request: Json;
  /** 1 for the first sending; for `reconcile` the number of the query. */
  readonly attempt: number;
  /** How long the call may take, milliseconds from now; afterwards its result is not looked at. */
  readonly deadlineMs: number;
  /** Aborts at the deadline and when this worker may no longer act; hand it to whatever you call. */
  readonly signal: AbortSignal;
  readonly logger: NoteLogger;
}

/** What `reconcile` found out about an effect. */
export interface FunctionFinding {
  readonly outcome: 'confirmed' | 'rejected' | 'pending' | 'absent';
  /** The action's output when confirmed. */
  readonly output?: Json;
  /** A free kebab-case code when rejected. */
  readonly code?: string;
}

/** An action in TypeScript, registered as `name@contract`. */
export interface ActionFunction {
  /**
   * Does it. A returned value is the confirmed answer (`response.body`); a thrown `Rejected`, `Unavailable`,
   * `Throttled` or `Pending` is that outcome; any other throw, and a time-out, leave the outcome unknown.
   */
  readonly send: (call: FunctionCall) => unknown;
  /** Says what became of an effect whose outcome is not known; may return a promise. */
  readonly reconcile?: (call: FunctionCall) => FunctionFinding | Promise<FunctionFinding>;
}

/** Registered functions by `name@contract`. */
export type FunctionRegistry = ReadonlyMap<string, ActionFunction>;
