import type { RunId } from '../../model/ids.ts';
import type { CheckedRun, OpenedRun } from './opened-run.ts';

/** A row that breaks an invariant, and how. */
export interface Finding {
  /** Its kind and its key: `effect charge 3f2a…`, `timer pause:wait`, `head`. */
  readonly row: string;
  readonly what: string;
}

/** A finding with all that a person needs to know of it. */
export interface InvariantFault extends Finding {
  /** Null = it is about no run. */
  readonly runId: RunId | null;
  readonly check: string;
  /** The rules that it breaks. */
  readonly rule: string;
  /** What to do about it; null where only a person who compares with a backup and the provider can say. */
  readonly mend: string | null;
}

/** What every check says of itself; `docs/reference/invariants.md` lists the same. */
export interface CheckFacts {
  readonly name: string;
  readonly rule: string;
  /** What holds at every committed instant, in one sentence. */
  readonly promise: string;
  readonly mend: string | null;
}

/** An invariant of the rows alone: needs no position. */
export interface RowCheck extends CheckFacts {
  readonly find: (run: CheckedRun, nowMs: number) => readonly Finding[];
}

/** An invariant of the rows and the position that the snapshot tells. */
export interface PositionCheck extends CheckFacts {
  readonly find: (run: OpenedRun) => readonly Finding[];
}
