import type { CompiledMachine } from '../machine/compile.ts';
import type { Numbers } from '../model/numbers.ts';

/** What a decision is made with, beside the run itself: all of it plain and given, no clock and no I/O behind it. */
export interface DecideContext {
  readonly compiled: CompiledMachine;
  /** The database's time, epoch milliseconds UTC. */
  readonly nowMs: number;
  /** Whether this process sends: false for the CLI and the API, which decide, commit and release (P17). */
  readonly canSend: boolean;
  readonly numbers: Numbers;
  /** Functions (`name@contract`) that the version needs and this process lacks; nothing is sent then (incident pin). */
  readonly missingFunctions: readonly string[];
  /** The wake-up that the holder has seen; goes into a release (W03). */
  readonly wakeSeen?: number | null;
}
