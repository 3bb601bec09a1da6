import type { RunIdentity } from '../../model/run.ts';
import type { OutsideAct } from './scenario-parts.ts';

/** What somebody wants done, and the run that does it. */
export interface Case {
  readonly no: number;
  readonly run: RunIdentity;
  readonly startedAtMs: number;
  /** What comes to it from outside. */
  readonly acts: readonly OutsideAct[];
}

/** Everything that is to be done in a world. */
export interface Cases {
  /** By their numbers; what was not started yet is not there. */
  readonly started: Map<number, Case>;
  /** Cases whose run is lost and whose acts are in the books: people have settled them by hand. */
  readonly writtenOff: Set<number>;
  /** Cases whose acts are in the books and not in their run: nothing is ordered of it any more. */
  readonly byHand: Set<number>;
  /** How much is still to come from outside. */
  readonly pending: { count: number };
}

/** Nothing was started yet. */
export function noCases(): Cases {
  return { started: new Map(), writtenOff: new Set(), byHand: new Set(), pending: { count: 0 } };
}
