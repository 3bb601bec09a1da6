import type { Json } from '../model/json.ts';
import type { MachineState } from '../model/machine.ts';
import type { Program } from './program.ts';

/** Deepest nesting of states that a value is followed into; definitions nest less (the parser stops at 64). */
const DEPTH_MAX = 256;

/**
 * The states that a snapshot's value names, outermost first.
 * @returns null when it names something that the machine has not, or stops short of an innermost state.
 */
export function statesOf(program: Program, value: Json): readonly MachineState[] | null {
  const path: MachineState[] = [];
  let parent = program.machine.root;
  let rest: Json | undefined = value;
  while (path.length < DEPTH_MAX) {
    const named = nameOf(rest);
    const state = named === null ? undefined : parent.states.find((child) => child.id === named.id);
    if (named === null || state === undefined) return null;
    path.push(state);
    if (named.inner === undefined) return state.states.length === 0 ? path : null;
    parent = state;
    rest = named.inner;
  }
  return null;
}

/** The innermost state a run rests in; null for a value that this machine cannot rest in. */
export function restingState(program: Program, value: Json): MachineState | null {
  const state = statesOf(program, value)?.at(-1);
  if (state === undefined || state.edges.some((edge) => edge.event === null)) return null;
  return state;
}

function nameOf(value: Json | undefined): { readonly id: string; readonly inner: Json | undefined } | null {
  if (typeof value === 'string') return { id: value, inner: undefined };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const [entry, ...more] = Object.entries(value);
  return entry === undefined || more.length > 0 ? null : { id: entry[0], inner: entry[1] };
}
