import type { WorkflowDefinition } from '../model/definition.ts';
import { RefusedError } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { IssuedCommand, KernelEvent } from '../model/kernel.ts';
import type { KernelSnapshot, RunData, RunIdentity } from '../model/run.ts';
import type { CompiledMachine } from './compile.ts';
import type { Turn } from './compute.ts';
import { findSnapshotFault } from './snapshot-faults.ts';

/** What the kernel must be told beside the event. */
export interface KernelEnv {
  readonly run: RunIdentity;
  /** The database's time, epoch milliseconds UTC; recorded as `steps.x.at` of transient steps. */
  readonly nowMs: number;
  /**
   * Whether an unhandled failure keeps its step (`X$held`) instead of undoing the run: the pivot is confirmed, or
   * `onFailure: hold`. It counts for failures that begin inside the kernel too; an event's own `hold` says the same.
   */
  readonly holds?: boolean;
}

/** One macrostep: event in, new snapshot and commands out. */
export interface Advance {
  readonly snapshot: KernelSnapshot;
  /** In the order in which they were issued, each with the data as it was then. */
  readonly commands: readonly IssuedCommand[];
  /** False when nothing takes the event; the snapshot is then the same object. */
  readonly changed: boolean;
  /** Ids of states entered, transient ones too (a choose's own id marks that its branch is active). */
  readonly entered: readonly string[];
  readonly left: readonly string[];
}

/** Enters a run: its first snapshot and the commands of everything entered at once. */
export function enter(compiled: CompiledMachine, env: KernelEnv): Advance {
  return compiled.kernel.enter(initialData(compiled.machine.definition), turnOf(compiled, env, null));
}

/**
 * Gives one event to a run. Pure: the same arguments give the same answer, on every process and for ever.
 * @param snapshot one that `enter` or `advance` gave, or that `checkSnapshot` let pass.
 * @throws PAWL_INVARIANT when more than 100 000 microsteps come to no rest.
 */
export function advance(
  compiled: CompiledMachine,
  snapshot: KernelSnapshot,
  event: KernelEvent,
  env: KernelEnv,
): Advance {
  return compiled.kernel.move(snapshot, turnOf(compiled, env, event));
}

/**
 * Lets a stored snapshot in: the machine rests in its place, it is the same when restored, its data is plain JSON of the right
 * shape about steps that exist.
 * @throws PAWL_SNAPSHOT_INVALID saying what does not fit: the run is parked, nothing is guessed.
 */
export function checkSnapshot(compiled: CompiledMachine, snapshot: unknown): KernelSnapshot {
  const fault = findSnapshotFault(compiled, snapshot);
  if (fault !== null)
    throw new RefusedError('PAWL_SNAPSHOT_INVALID', `the stored snapshot does not fit its machine: ${fault}`, {
      fault,
    });
  return snapshot as KernelSnapshot;
}

function turnOf(program: CompiledMachine, env: KernelEnv, event: KernelEvent | null): Turn {
  const holds = env.holds === true || (event !== null && 'hold' in event && event.hold);
  return { program, run: env.run, nowMs: env.nowMs, holds, event, recalled: new Set(), memo: new Map() };
}

/** The data that a run begins with. A var without `default` is absent until a `set` writes it. */
export function initialData(definition: WorkflowDefinition): RunData {
  const vars = definition.vars.flatMap(([name, schema]): (readonly [string, Json])[] => {
    const value = schema['default'];
    return value === undefined ? [] : [[name, value]];
  });
  const initial: JsonObject = Object.fromEntries(vars);
  return { vars: initial, steps: {}, visits: {}, jumps: {}, failing: null, caught: {}, ending: null };
}
