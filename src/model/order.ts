import type { ActionContract } from './definition.ts';
import type { Effect, EffectRequest } from './effect.ts';
import type { RunIdentity } from './run.ts';

/** One sending, complete: the adapter adds only secrets, the key and the Pawl-* headers. */
export interface SendOrder {
  readonly run: RunIdentity;
  readonly effect: Effect;
  readonly request: EffectRequest;
  readonly contract: ActionContract;
  readonly attempt: number;
  readonly fence: number;
  /** Longest time for the whole answer, milliseconds (monotonic). */
  readonly timeoutMs: number;
}
/** One question about what happened. `request` is the rendered reconcile request; for functions `with` holds the effect's. */
export interface QueryOrder {
  readonly run: RunIdentity;
  readonly effect: Effect;
  readonly request: EffectRequest;
  readonly contract: ActionContract;
  readonly query: number;
  readonly timeoutMs: number;
}
/** A read: no ledger row; freely repeated. */
export interface ReadOrder {
  readonly run: RunIdentity;
  readonly step: string;
  readonly request: EffectRequest;
  readonly contract: ActionContract;
  readonly attempt: number;
  readonly timeoutMs: number;
}
