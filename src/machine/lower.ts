import type { WorkflowDefinition } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import type { Machine, MachineEdge, MachineState } from '../model/machine.ts';
import type { MachineForm } from '../model/machine-form.ts';
import type { ComputationRef } from './kernel-names.ts';
import {
  assignment,
  CLOSED,
  CLOSING,
  COMPENSATING,
  COMPLETED,
  command,
  ENDED,
  FINALLY,
  FINALLY_LIST,
  FINISHING,
  FORWARD,
  guard,
  KEEPING,
  MAIN_LIST,
  OUTPUT_HELD,
  OUTPUT_STEP,
  QUEUED,
  SETTLING,
} from './kernel-names.ts';
import { formPlaces, lowerForm } from './form/lower-form.ts';
import { withLanes } from './lane-steps.ts';
import { type ListOutline, type Outline, outlineOf, placeOf } from './outline.ts';
import { pruneHelpers } from './prune.ts';
import { doneTarget, endTarget, keepsLosers } from './routes.ts';
import { plainState } from './state-parts.ts';
import { listState } from './step-states.ts';

/**
 * Lowers a definition to the intermediate machine: a state tree in arrays, plain JSON, the same for the same definition.
 * Linear in the number of steps times the handlers and clauses around each.
 * @throws PAWL_INVARIANT for what validation refuses: no step, two steps with one id, a `next` into a list.
 */
export function lower(definition: WorkflowDefinition): Machine {
  if (definition.machine !== undefined) return lowerMachine(definition, definition.machine);
  invariant(definition.steps.length > 0, 'a workflow without steps', { workflow: definition.workflow });
  const outline = outlineOf(withLanes(definition));
  const main = outline.lists.get(MAIN_LIST);
  invariant(main !== undefined, 'a definition without its own list');
  const forward: MachineState = { ...listState(outline, main), id: FORWARD, edges: [stopEdge] };
  const last = outline.lists.get(FINALLY_LIST) ?? null;
  const root = runState(definition, { forward: [forward], last, behind: finallyStates(outline, last) });
  const places = [...outline.steps.values()].map((step) => [step.step.id, placeOf(step)] as const);
  return { format: 'machine/1', definition, root: pruneHelpers(root), places };
}

/** A machine instead of steps; its `finally` is a list of steps as everywhere. */
function lowerMachine(definition: WorkflowDefinition, form: MachineForm): Machine {
  const outline = outlineOf(withLanes({ ...definition, steps: [] }));
  const last = outline.lists.get(FINALLY_LIST) ?? null;
  const behind = finallyStates(outline, last);
  const root = runState(definition, { forward: lowerForm(form, stopEdge), last, behind });
  const places = [...outline.steps.values()].map((step) => [step.step.id, placeOf(step)] as const);
  return { format: 'machine/1', definition, root: pruneHelpers(root), places: [...formPlaces(definition), ...places] };
}

/** The parts of a run: the way forward, and what follows every end. */
interface RunParts {
  readonly forward: readonly MachineState[];
  readonly last: ListOutline | null;
  readonly behind: readonly MachineState[];
}

/** The whole run around its forward part. */
function runState(definition: WorkflowDefinition, { forward, last, behind }: RunParts): MachineState {
  const before = definition.lock === undefined ? [] : [queuedState(last)];
  return {
    ...plainState('run', null, 'run'),
    kind: 'compound',
    initial: before[0]?.id ?? FORWARD,
    states: [...before, ...forward, ...runStates(definition, last), ...behind],
  };
}

const stopEdge: MachineEdge = {
  event: 'run.stopped',
  guard: null,
  target: SETTLING,
  actions: [assignment('end.stopped', {})],
  kind: 'settle',
  label: null,
};
const reopenEdge: MachineEdge = { ...stopEdge, event: 'run.reopened' };

/** A run with a lock begins when its turn has come; until then it can be stopped like any other, and has nothing to undo. */
function queuedState(last: ListOutline | null): MachineState {
  const skip = last === null ? [] : [assignment('finally.skip', {})];
  return {
    ...plainState(QUEUED, null, 'run'),
    edges: [
      { ...stopEdge, event: 'run.granted', target: FORWARD, actions: [], kind: 'next' },
      { ...stopEdge, actions: [...stopEdge.actions, ...skip] },
    ],
  };
}

/** The run's own states. None is an XState `final`: an order can lead out of every end (rules R10, R24). */
function runStates(definition: WorkflowDefinition, last: ListOutline | null): readonly MachineState[] {
  const terminated = guard('terminated', {});
  const settled: MachineEdge = { ...stopEdge, event: 'run.settled', target: COMPENSATING, actions: [] };
  const undone: MachineEdge = { ...stopEdge, event: 'run.undone', target: ENDED, actions: [] };
  const closing = last === null ? [] : [{ ...undone, guard: guard('closable', {}), target: CLOSING }];
  return [
    finishingState(doneTarget(definition)),
    ...(keepsLosers(definition) ? [keepingState(endTarget(definition))] : []),
    {
      ...plainState(SETTLING, null, 'run'),
      entry: [command('run.settle', {})],
      edges: [settled, { ...stopEdge, guard: terminated, target: null }],
    },
    {
      ...plainState(COMPENSATING, null, 'run'),
      entry: [command('run.compensate', {})],
      edges: [...closing, undone, { ...stopEdge, guard: terminated }],
    },
    { ...plainState(ENDED, null, 'run'), entry: [command('run.end', {})], edges: [reopenEdge] },
    { ...plainState(COMPLETED, null, 'run'), entry: [command('run.end', {})], edges: [reopenEdge] },
    outputHeldState(),
  ];
}

/** What follows the last forward step or compensation, once: nothing but a terminate leads out of it. */
function finallyStates(outline: Outline, last: ListOutline | null): readonly MachineState[] {
  if (last === null) return [];
  const stopped: MachineEdge = { ...stopEdge, guard: guard('terminated', {}) };
  const begin = { event: 'run.closing', guard: null, actions: [assignment('finally.begin', {})], label: null } as const;
  const edge = { event: null, actions: [], kind: 'end', label: null } as const;
  return [
    {
      ...plainState(CLOSING, null, 'run'),
      entry: [command('run.close', {})],
      edges: [{ ...begin, target: FINALLY, kind: 'next' }, stopped],
    },
    { ...listState(outline, last), id: FINALLY, edges: [stopped] },
    {
      ...plainState(CLOSED, null, 'gate'),
      edges: [
        { ...edge, guard: guard('completing', {}), target: COMPLETED },
        { ...edge, guard: null, target: ENDED },
      ],
    },
  ];
}

/** The output is evaluated and the run ends in one commit; if that fails, the run is held, never undone. */
function finishingState(target: string): MachineState {
  const of: ComputationRef = { kind: 'output', step: null };
  const fault = assignment('fail', { step: null, source: { kind: 'fault', of, cause: false } });
  const edge = { event: null, label: null } as const;
  return {
    ...plainState(FINISHING, null, 'gate'),
    edges: [
      { ...edge, guard: guard('faulty', { of }), target: OUTPUT_HELD, actions: [fault], kind: 'failure' },
      { ...edge, guard: null, target, actions: [assignment('end.done', { step: null })], kind: 'end' },
    ],
  };
}

/** Nothing is begun any more, and what losers have on its way settles; a run that is stopped there is stopped. */
function keepingState(target: string): MachineState {
  const kept: MachineEdge = { ...stopEdge, event: 'run.kept', target, actions: [], kind: 'end' };
  return { ...plainState(KEEPING, null, 'run'), edges: [kept, stopEdge] };
}

function outputHeldState(): MachineState {
  const retried = guard('retried', { step: OUTPUT_STEP });
  return {
    ...plainState(OUTPUT_HELD, null, 'held'),
    entry: [command('step.held', { step: OUTPUT_STEP })],
    edges: [
      {
        event: 'step.retried',
        guard: retried,
        target: FINISHING,
        actions: [assignment('forgive', {})],
        kind: 'retry',
        label: null,
      },
      stopEdge,
    ],
  };
}
