import type { WorkflowDefinition } from '../../model/definition.ts';
import { invariant } from '../../model/errors.ts';
import type { ActionRef, MachineEdge, MachineState, StepPlace } from '../../model/machine.ts';
import { DONE } from '../../model/machine.ts';
import type { FormAction, FormEdge, FormState, MachineForm } from '../../model/machine-form.ts';
import {
  assignment,
  both,
  command,
  type ComputationRef,
  FAULT_HELD,
  FINISHING,
  FORWARD,
  guard,
  OUTPUT_STEP,
  RAISE,
  RESUME,
  SETTLING,
} from '../kernel-names.ts';
import { plainState } from '../state-parts.ts';

/** The list whose visits count how often the state of an invoke was entered. */
export function visitsOf(step: string): string {
  return `${step}$visits`;
}

/** Where the steps of a machine stand: each in a list of its own, because each state counts its own entries. */
export function formPlaces(definition: WorkflowDefinition): readonly (readonly [string, StepPlace])[] {
  return definition.steps.map(({ id }) => [id, { lists: [visitsOf(id)], parents: [] }] as const);
}

/** The author's states as the run's forward part, and the state in which an expression that cannot be computed is held. */
export function lowerForm({ root }: MachineForm, stop: MachineEdge): readonly MachineState[] {
  const recalls = recallsOf(root);
  const lowered = formState(root, recalls);
  const all = invokesIn(root);
  const resume: MachineState = { ...plainState(RESUME, null, 'run'), kind: 'history', history: 'deep' };
  const forward: MachineState = {
    ...lowered,
    id: FORWARD,
    role: 'list',
    states: [...lowered.states, { ...resume, initial: firstOf(root) }],
    edges: [...faultEdges, ...lowered.edges, { ...way, event: DONE, target: FINISHING, kind: 'end' }, stop],
  };
  return [forward, { ...faultHeld, edges: [resumeEdge(all), stop] }];
}

const way: MachineEdge = { event: null, guard: null, target: null, actions: [], kind: 'next', label: null };
const ends = assignment('end.failed', { crossed: [] });

/** What an action could not compute ends the run's forward part; where nothing may be undone, a person is asked. */
const faultEdges: readonly MachineEdge[] = [
  {
    ...way,
    guard: both(guard('failing', {}), guard('holding', {})),
    target: FAULT_HELD,
    kind: 'failure',
  },
  { ...way, guard: guard('failing', {}), target: SETTLING, actions: [ends], kind: 'failure' },
];

const faultHeld: MachineState = {
  ...plainState(FAULT_HELD, null, 'held'),
  entry: [command('step.held', { step: OUTPUT_STEP })],
};

/** A person lets the machine go on where it was. */
function resumeEdge(steps: readonly string[]): MachineEdge {
  return {
    ...way,
    event: 'step.retried',
    guard: guard('retried', { step: OUTPUT_STEP }),
    target: RESUME,
    actions: [assignment('forgive', {}), assignment('recall', { steps })],
    kind: 'retry',
  };
}

/** The invokes of a state and of all that is in it. */
function invokesIn(state: FormState): readonly string[] {
  return [...(state.invoke === null ? [] : [state.invoke]), ...state.states.flatMap(invokesIn)];
}

/** Histories, each with the invokes that it may lead back to. */
type Recalls = ReadonlyMap<string, readonly string[]>;

function recallsOf(state: FormState): Recalls {
  const own = state.states.filter(({ kind }) => kind === 'history').map(({ id }) => [id, invokesIn(state)] as const);
  return new Map([...own, ...state.states.flatMap((inner) => [...recallsOf(inner)])]);
}

/** Where a machine begins that has no history yet. */
function firstOf(root: FormState): string {
  const first = root.initial ?? root.states[0]?.id ?? null;
  invariant(first !== null, 'a machine without states', {});
  return first;
}

function formState(state: FormState, recalls: Recalls): MachineState {
  const { invoke } = state;
  const counted = invoke === null ? [] : [assignment('visit', { step: invoke, list: visitsOf(invoke) })];
  const steps = [...(invoke === null ? [] : [invoke]), ...state.delays];
  const source = { kind: 'state', state: state.id, code: state.fail ?? '' } as const;
  const fails = state.fail === null ? [] : [assignment('fail', { step: null, source })];
  return {
    ...plainState(state.id, invoke, 'active'),
    // The run fails while it is there; nothing around it is to take it for done.
    kind: state.fail === null ? state.kind : 'atomic',
    initial: state.initial,
    ...(state.history === null ? {} : { history: state.history }),
    states: state.states.map((inner) => formState(inner, recalls)),
    entry: [
      ...state.entry.map(actionOf),
      ...counted,
      ...steps.map((step) => command('step.enter', { step })),
      ...fails,
    ],
    exit: [...state.exit.map(actionOf), ...steps.map((step) => command('step.leave', { step }))],
    edges: [...state.edges.flatMap((edge) => edgesOf(state, edge, recalls)), ...unhandledEdges(state)],
  };
}

function actionOf(action: FormAction): ActionRef {
  const of: ComputationRef = { kind: action.kind, step: null, at: action.pointer };
  if (action.kind === 'assign') return assignment('machine.assign', { of });
  return { type: RAISE, params: { of: { ...of } } };
}

function edgesOf(state: FormState, edge: FormEdge, recalls: Recalls): readonly MachineEdge[] {
  const steps = edge.targets.flatMap((target) => recalls.get(target) ?? []);
  const recalled = steps.length === 0 ? [] : [assignment('recall', { steps })];
  return triggersOf(state, edge).flatMap((trigger) => oneEdge(edge, trigger, recalled));
}

function oneEdge(edge: FormEdge, trigger: Trigger, recalled: readonly ActionRef[]): readonly MachineEdge[] {
  const [target = null, ...also] = edge.targets;
  const verdict: ComputationRef = { kind: 'guard', step: null, at: edge.pointer };
  const taken: MachineEdge = {
    ...way,
    event: trigger.event,
    guard: both(trigger.guard, edge.guard === null ? null : guard('verdict', { of: verdict })),
    target,
    ...(also.length === 0 ? {} : { also }),
    reenter: edge.reenter,
    actions: [...trigger.actions, ...recalled, ...edge.actions.map(actionOf)],
    kind: edge.trigger.kind === 'event' ? 'handler' : 'next',
    label: trigger.label,
  };
  if (edge.guard === null) return [taken];
  const fault = assignment('fail', { step: null, source: { kind: 'fault', of: verdict, cause: false } });
  const faulty = both(trigger.guard, guard('faulty', { of: verdict }));
  // Stays where it is: what cannot be computed is a failure of the machine, which takes it from there.
  return [{ ...way, event: trigger.event, guard: faulty, actions: [fault], kind: 'failure' }, taken];
}

type Trigger = Pick<MachineEdge, 'event' | 'guard' | 'actions' | 'label'>;

function triggersOf(state: FormState, { trigger }: FormEdge): readonly Trigger[] {
  switch (trigger.kind) {
    case 'always':
      return [{ event: null, guard: guard('sound', {}), actions: [], label: null }];
    case 'done':
      return [{ event: DONE, guard: guard('sound', {}), actions: [], label: 'done' }];
    case 'event': {
      const { name } = trigger;
      const since = isHandling(state) ? state.id : null;
      const named = guard('named', { name, except: exceptOf(state, name), since });
      return [{ event: 'event.received', guard: named, actions: [], label: name }];
    }
    case 'settled':
      return settledTriggers(trigger.step, trigger.ok);
  }
}

/** A state that does something or holds others takes events as `on` of a step does; one that only waits, as `await` does (rule V13). */
export function isHandling({ invoke, states }: FormState): boolean {
  return invoke !== null || states.length > 0;
}

/** A call comes to its end by its effect, or at its entry where it could not be made out. */
function settledTriggers(step: string, ok: boolean): readonly Trigger[] {
  const actions = [assignment('record.settled', { step, ran: null })];
  const settled = { guard: guard('settled', { step, ok }), actions, label: ok ? null : 'failed' };
  return (['effect.settled', 'step.settled'] as const).map((event) => ({ ...settled, event }));
}

/**
 * What becomes of an invoke whose end no transition takes: it is remembered; a failure is the machine's, unless nothing may be
 * undone any more: then a person decides, and the state waits.
 */
function unhandledEdges({ invoke: step }: FormState): readonly MachineEdge[] {
  if (step === null) return [];
  const fail = assignment('fail', { step, source: { kind: 'event' } });
  const held = [fail, command('step.held', { step }), assignment('forgive', {})];
  return [
    ...settledTriggers(step, true).map((done): MachineEdge => ({ ...way, ...done })),
    ...settledTriggers(step, false).flatMap((failed): readonly MachineEdge[] => [
      {
        ...way,
        ...failed,
        guard: both(failed.guard, guard('holding', {})),
        actions: [...failed.actions, ...held],
        kind: 'failure',
      },
      { ...way, ...failed, target: SETTLING, actions: [...failed.actions, fail, ends], kind: 'failure' },
    ]),
    {
      ...way,
      event: 'step.retried',
      guard: guard('retried', { step }),
      actions: [assignment('forgive', {}), command('step.enter', { step })],
      kind: 'retry',
    },
  ];
}

/** A name that a state says itself is never taken by a pattern of the same state, whatever its guards say (as in XState). */
function exceptOf(state: FormState, name: string): readonly string[] {
  if (!name.endsWith('*')) return [];
  const names = state.edges.flatMap(({ trigger }) => (trigger.kind === 'event' ? [trigger.name] : []));
  return [...new Set(names.filter((one) => !one.endsWith('*')))];
}
