import type { Json, JsonObject } from '../model/json.ts';
import type { MachineState } from '../model/machine.ts';
import type { Program } from './program.ts';

/** Deepest nesting of states that a value is followed into; definitions nest less (the parser stops at 64). */
const DEPTH_MAX = 256;

/**
 * The innermost states that a snapshot's value names, in the order of the machine: one, or one of each branch or region.
 * @returns null when it names something that the machine has not, or stops short of an innermost state.
 */
export function leavesOf(program: Pick<Program, 'machine'>, value: Json): readonly MachineState[] | null {
  return leavesIn(program.machine.root, value, 0);
}

function leavesIn(parent: MachineState, value: Json | undefined, depth: number): readonly MachineState[] | null {
  const named = depth > DEPTH_MAX ? null : namesIn(value);
  const children = parent.states.filter(({ kind }) => kind !== 'history');
  const wanted = parent.kind === 'parallel' ? children.length : Math.min(children.length, 1);
  if (named === null || named.size !== wanted) return null;
  if (named.size === 0) return [parent];
  // In the machine's order: a store may give the names of the branches in another one.
  const chosen = children.filter(({ id }) => named.has(id));
  const found = chosen.map((child) => leavesIn(child, named.get(child.id), depth + 1));
  return chosen.length === named.size && found.every((states) => states !== null) ? found.flat() : null;
}

/** The innermost states a run rests in; null for a value that this machine cannot rest in. */
export function restingStates(program: Pick<Program, 'machine'>, value: Json): readonly MachineState[] | null {
  const leaves = leavesOf(program, value);
  return leaves?.every(({ edges }) => edges.every((edge) => edge.event !== null)) === true ? leaves : null;
}

/** What a value names directly: a state alone, or states with what is in them. */
function namesIn(value: Json | undefined): ReadonlyMap<string, Json | undefined> | null {
  if (value === undefined) return new Map();
  if (typeof value === 'string') return new Map([[value, undefined]]);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return new Map(Object.entries(value as JsonObject));
}
