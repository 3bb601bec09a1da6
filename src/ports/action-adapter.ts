import type { Effect, EffectRequest } from '../model/effect.ts';
import type { ActionContract } from '../model/definition.ts';
import type { AttemptReport } from '../model/outcome.ts';
import type { RunIdentity } from '../model/run.ts';

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

/** Asked immediately before the first byte: true only while the seat has its margin and `sendWithinMs` has not passed (E05). */
export type SendGate = () => boolean;

/** Headers that carry secrets (`auth`, and `headers` that read `secrets.*`): rendered at each sending, never stored or hashed. */
export type SecretHeaders = Readonly<Record<string, string>>;

/** Touches the world. Never throws: what went wrong is in the report. Never retries, never follows a redirect. */
export interface ActionAdapter {
  send(order: SendOrder, secrets: SecretHeaders, gate: SendGate, signal: AbortSignal): Promise<AttemptReport>;
  query(order: QueryOrder, secrets: SecretHeaders, signal: AbortSignal): Promise<AttemptReport>;
  read(order: ReadOrder, secrets: SecretHeaders, signal: AbortSignal): Promise<AttemptReport>;
  /** Functions that a version needs and this process lacks (`name@contract`); such runs are held (pin). */
  missing(functions: readonly string[]): readonly string[];
}

