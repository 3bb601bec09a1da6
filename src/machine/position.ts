import type { Json } from '../model/json.ts';
import type { MachineState } from '../model/machine.ts';
import type { Program } from './program.ts';

/** Deepest nesting of states that a value is followed into; definitions nest less (the parser stops at 64). */
const DEPTH_MAX = 256;

/**
 * The innermost states that a snapshot's value names, in the order of the machine: one, or one of each branch.
 * @returns null when it names something that the machine has not, or stops short of an innermost state.
 */
export function leavesOf(program: Pick<Program, 'machine'>, value: Json): readonly MachineState[] | null {
  return leavesIn(program.machine.root, value, 0);
}

function leavesIn(parent: MachineState, value: Json, depth: number): readonly MachineState[] | null {
  const named = namesIn(value);
  const expected = parent.kind === 'parallel' ? parent.states.length : 1;
  if (named === null || named.size !== expected || depth > DEPTH_MAX) return null;
  // In the machine's order: a store may give the names of the branches in another one.
  const children = parent.states.filter(({ id }) => named.has(id));
  if (children.length !== named.size) return null;
  const leaves: MachineState[] = [];
  for (const state of children) {
    const inner = named.get(state.id);
    const found = inner === undefined ? leafOf(state) : leavesIn(state, inner, depth + 1);
    if (found === null) return null;
    leaves.push(...found);
  }
  return leaves;
}

function leafOf(state: MachineState): readonly MachineState[] | null {
  return state.states.length === 0 ? [state] : null;
}

/** The innermost states a run rests in; null for a value that this machine cannot rest in. */
export function restingStates(program: Pick<Program, 'machine'>, value: Json): readonly MachineState[] | null {
  const leaves = leavesOf(program, value);
  return leaves?.every(({ edges }) => edges.every((edge) => edge.event !== null)) === true ? leaves : null;
}

function namesIn(value: Json): ReadonlyMap<string, Json | undefined> | null {
  if (typeof value === 'string') return new Map([[value, undefined]]);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return new Map(Object.entries(value));
}
