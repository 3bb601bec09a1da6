import type { ActionRef, MachineEdge, MachineState } from '../model/machine.ts';
import type { AssignParams, ComputationRef } from './kernel-names.ts';
import { assignment, guard } from './kernel-names.ts';
import { isBranchList, type StepOutline } from './outline.ts';
import { edgesOf, type Route } from './routes.ts';

/** An atomic state with nothing in it. */
export function plainState(id: string, step: string | null, role: MachineState['role']): MachineState {
  return { id, kind: 'atomic', initial: null, states: [], entry: [], exit: [], edges: [], step, role };
}

/** What cannot be computed is a failure of the step. */
export function faultEdge(step: StepOutline, of: ComputationRef): readonly MachineEdge[] {
  const id = step.step.id;
  const actions = [assignment('fail', { step: id, source: { kind: 'fault', of, cause: false } })];
  const route: Route = {
    guard: guard('faulty', { of }),
    target: `${id}$failed`,
    actions,
    kind: 'failure',
    label: null,
  };
  return edgesOf([route], { event: null });
}

/** The group, or the branch, whose output this step's may become: it stands directly in its body, and that group names no output itself. */
export function ranIn(step: StepOutline): string | null {
  const { owner, kind, id } = step.list;
  if (owner === null || kind !== 'body') return null;
  if (isBranchList(id)) return id;
  const hasOwn = 'output' in owner.step && owner.step.output !== null;
  return hasOwn ? null : owner.step.id;
}

/** A transient step is done. */
export function done(step: StepOutline, output: AssignParams['record.done']['output']): ActionRef {
  return assignment('record.done', { step: step.step.id, ran: ranIn(step), output });
}
