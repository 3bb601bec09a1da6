import type { ActionContract } from '../model/definition.ts';
import type { Effect, EffectRequest } from '../model/effect.ts';
import type { AttemptReport, Outcome } from '../model/outcome.ts';
import type { SendingAct } from '../model/pause.ts';
import type { RunIdentity } from '../model/run.ts';

/** One request that is about to leave this process: a sending, a question about one, or a read. */
export interface Departure {
  readonly request: Pick<EffectRequest, 'url' | 'function'>;
  readonly contract: Pick<ActionContract, 'idempotency'>;
  /** A sending may act in the world; questions and reads cannot. */
  readonly acts: boolean;
  /** Database time at which its run began. */
  readonly begunAtMs: number;
  /** When it was found not to have happened, after the database had lost commits (P14); absent = nobody has had to ask. */
  readonly clearedAtMs?: number;
  /** What spreads those that wait: whose request it is, and the how manieth. */
  readonly seed: string;
  readonly turn: number;
}

/** What of a sending says whether lost commits may have sent it before (P14). */
export function pastOf(
  { startedAtMs }: Pick<RunIdentity, 'startedAtMs'>,
  { clearedAtMs }: Pick<Effect, 'clearedAtMs'>,
): Pick<Departure, 'begunAtMs' | 'clearedAtMs'> {
  return { begunAtMs: startedAtMs, ...(clearedAtMs === undefined ? {} : { clearedAtMs }) };
}

/** Leave to send one request, to be given back with what it found. */
export interface Pass {
  readonly kind: 'pass';
  /** The database may have forgotten an earlier sending of this effect (P14): a no speaks of this one alone. */
  readonly mayRepeat?: true;
  heard(report: AttemptReport, outcome: Outcome): void;
}

/** Nothing is sent there for now; whoever asked waits, and the attempt does not count. Without a `word` it is in doubt. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly lacks: 'circuit' | 'recovery' | 'word';
  readonly reason: string;
  /** How long to wait before asking again, milliseconds. */
  readonly waitMs: number;
}

/** A sending as a pause sees it, and what spreads those that wait. */
export interface Leaving {
  readonly act: SendingAct;
  readonly seed: string;
  readonly turn: number;
}

/** What decides whether a request may leave this process now, beside the gate of its seat. */
export interface Outlet {
  /** @param nowMs the database's time, for what is said. */
  ask(departure: Departure, nowMs: number): Pass | Refusal;
  /** The last look before a sending leaves: what keeps it back, null = nothing. Absent where nobody can pause anything. */
  readonly hold?: (leaving: Leaving) => Promise<Extract<AttemptReport, { kind: 'unsent' }> | null>;
}
