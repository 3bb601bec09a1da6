import type { CallStep, Compensation, Expression, Step, Template } from '../../model/definition.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { GuardRef, Machine, MachineEdge, MachineState } from '../../model/machine.ts';
import { allSteps } from '../../model/step-lists.ts';
import type { Notes } from '../xstate-config.ts';
import { writtenTemplate } from './written-template.ts';

/** What a machine that leaves Pawl says to its reader: `meta.pawl` of every step, the whole of it for a call; words on arrows. */
export function stepNotes(machine: Machine): Notes {
  const steps = new Map(allSteps(machine.definition.steps).map((step) => [step.id, step] as const));
  const { workflow, version } = machine.definition;
  return {
    state: (state) => (state === machine.root ? { meta: { pawl: { workflow, version } } } : stateNote(steps, state)),
    edge: (edge) => edgeNote(steps, edge),
  };
}

function stateNote(steps: ReadonlyMap<string, Step>, state: MachineState): JsonObject {
  const step = state.role === 'active' && state.step !== null ? steps.get(state.step) : undefined;
  return step === undefined ? {} : { meta: { pawl: step.verb === 'call' ? callNote(step) : { verb: step.verb } } };
}

function callNote(step: CallStep): JsonObject {
  return present({
    verb: 'call',
    call: step.action,
    with: written(step.with),
    object: written(step.object),
    intent: written(step.intent),
    authorizedBy: step.authorizedBy,
    pivot: step.pivot ? true : null,
    onUnknown: step.onUnknown,
    retry: step.retry === null ? null : present({ ...step.retry, when: step.retry.when?.source ?? null }),
    compensate: step.compensate === null ? null : compensationNote(step.compensate),
  });
}

function compensationNote(compensate: Compensation): Json {
  if (compensate.kind === 'none') return 'none';
  const { action, object, after, onFailure } = compensate;
  return present({
    call: action,
    with: written(compensate.with),
    object: written(object),
    onFailure,
    after: after ?? null,
  });
}

function written(template: Template | null): Json {
  return template === null ? null : writtenTemplate(template);
}

/** What is not said is left out. */
function present(values: Readonly<Record<string, Json>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function edgeNote(steps: ReadonlyMap<string, Step>, edge: MachineEdge): JsonObject {
  const description = edge.label ?? conditionOf(steps, edge.guard)?.source ?? null;
  return description === null ? {} : { description };
}

/** The author's words for a `when` that an edge asks. */
function conditionOf(steps: ReadonlyMap<string, Step>, guard: GuardRef | null): Expression | null {
  const of = guard?.type === 'verdict' ? (guard.params['of'] as JsonObject) : null;
  if (of?.['kind'] !== 'when') return null;
  return steps.get(String(of['step']))?.when ?? null;
}
