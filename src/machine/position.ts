import type { Json, JsonObject } from '../model/json.ts';
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

/** The innermost states that a value names, one for each region; null when it names something that the machine has not, or stops short. */
export function innermostStates(
  parent: MachineState,
  value: Json | undefined,
  depth = 0,
): readonly MachineState[] | null {
  const named = depth > DEPTH_MAX ? null : membersOf(value);
  const children = parent.states.filter(({ kind }) => kind !== 'history');
  const wanted = parent.kind === 'parallel' ? children.length : Math.min(children.length, 1);
  if (named === null || named.length !== wanted) return null;
  if (named.length === 0) return [parent];
  const found = named.map(([id, inner]) => {
    const child = children.find((one) => one.id === id);
    return child === undefined ? null : innermostStates(child, inner, depth + 1);
  });
  return found.every((states) => states !== null) ? found.flat() : null;
}

/** What a value names directly: a state alone, or states with what is in them. */
function membersOf(value: Json | undefined): readonly (readonly [string, Json])[] | null {
  if (value === undefined) return [];
  if (typeof value === 'string') return [[value, {}]];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.entries(value as JsonObject);
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
