import type { MachineState } from '../model/machine.ts';

const HELPERS: readonly MachineState['role'][] = ['gate', 'failed', 'held', 'leaving', 'undoing', 'over'];

/**
 * Leaves out helper states that no edge leads to, so that every state of a machine can be reached. What the author wrote and
 * the run's own states stay, reachable or not: lint speaks of those.
 */
export function pruneHelpers(root: MachineState): MachineState {
  const states = new Map<string, MachineState>();
  const collect = (state: MachineState): void => {
    states.set(state.id, state);
    for (const child of state.states) collect(child);
  };
  collect(root);
  const reached = new Set<string>();
  const open = [...states.values()].filter((state) => !isHelper(state));
  for (const state of open) reached.add(state.id);
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const id of [state.initial, ...state.edges.map((edge) => edge.target)]) {
      const target = id === null ? undefined : states.get(id);
      if (target === undefined || reached.has(target.id)) continue;
      reached.add(target.id);
      open.push(target);
    }
  }
  return keep(root, reached);
}

function isHelper(state: MachineState): boolean {
  return state.step !== null && HELPERS.includes(state.role);
}

function keep(state: MachineState, reached: ReadonlySet<string>): MachineState {
  const states = state.states.filter((child) => reached.has(child.id)).map((child) => keep(child, reached));
  return { ...state, states };
}
