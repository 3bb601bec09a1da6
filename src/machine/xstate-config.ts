import type { JsonObject, Json } from '../model/json.ts';
import { type ActionRef, DONE, type Machine, type MachineEdge, type MachineState } from '../model/machine.ts';

/**
 * Microsteps of one macrostep. XState loops for ever unless it has a bound; every cycle without an event has a maxJumps, so
 * only a product of many such bounds comes near.
 */
export const ITERATIONS_MAX = 100_000;

/** What a reader is told beside what runs; XState itself ignores it. */
export interface Notes {
  readonly state: (state: MachineState) => JsonObject;
  readonly edge: (edge: MachineEdge) => JsonObject;
}

const SILENT: Notes = { state: () => ({}), edge: () => ({}) };

/** The intermediate machine as a plain JSON config of XState v5: names and parameters, no function anywhere. */
export function xstateConfig(machine: Machine, notes: Notes = SILENT): JsonObject {
  return { ...stateConfig(machine.root, notes), options: { maxIterations: ITERATIONS_MAX } };
}

function stateConfig(state: MachineState, notes: Notes): JsonObject {
  const config: Record<string, Json> = { id: state.id, ...notes.state(state) };
  Object.assign(config, kindConfig(state));
  if (state.states.length > 0)
    config['states'] = Object.fromEntries(state.states.map((child) => [child.id, stateConfig(child, notes)]));
  if (state.entry.length > 0) config['entry'] = state.entry.map(actionConfig);
  if (state.exit.length > 0) config['exit'] = state.exit.map(actionConfig);
  const always = state.edges.filter((edge) => edge.event === null);
  if (always.length > 0) config['always'] = always.map((edge) => edgeConfig(state, edge, notes));
  const done = state.edges.filter((edge) => edge.event === DONE);
  if (done.length > 0) config['onDone'] = done.map((edge) => edgeConfig(state, edge, notes));
  const events = new Set(
    state.edges.flatMap((edge) => (edge.event === null || edge.event === DONE ? [] : [edge.event])),
  );
  if (events.size > 0) {
    const edgesOn = (event: string): Json =>
      state.edges.filter((edge) => edge.event === event).map((edge) => edgeConfig(state, edge, notes));
    config['on'] = Object.fromEntries([...events].map((event) => [event, edgesOn(event)]));
  }
  return config;
}

/** What kind of state it is, and where it begins or leads. */
function kindConfig({ kind, history, initial }: MachineState): JsonObject {
  const isPlain = kind === 'atomic' || kind === 'compound';
  const leads = kind === 'history' ? { target: `#${initial}` } : { initial };
  return {
    ...(isPlain ? {} : { type: kind }),
    ...(history === undefined ? {} : { history }),
    ...(initial === null ? {} : leads),
  };
}

function targetsOf(target: string, also: readonly string[] = []): Json {
  return also.length === 0 ? `#${target}` : [target, ...also].map((id) => `#${id}`);
}

function edgeConfig(state: MachineState, edge: MachineEdge, notes: Notes): JsonObject {
  const config: Record<string, Json> = { ...notes.edge(edge) };
  if (edge.guard !== null) config['guard'] = { type: edge.guard.type, params: edge.guard.params };
  if (edge.target !== null) config['target'] = targetsOf(edge.target, edge.also);
  // A step that goes back to itself is left and entered again; without this XState would stay inside.
  if (edge.reenter ?? edge.target === state.id) config['reenter'] = true;
  if (edge.actions.length > 0) config['actions'] = edge.actions.map(actionConfig);
  return config;
}

function actionConfig(action: ActionRef): JsonObject {
  return { type: action.type, params: action.params };
}
