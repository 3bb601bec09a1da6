import type { RepeatStep } from '../model/definition.ts';
import type { ActionRef, GuardRef, MachineEdge, MachineState } from '../model/machine.ts';
import { assignment, both, type ComputationRef, guard } from './kernel-names.ts';
import { bodyListId, type Outline, type StepOutline } from './outline.ts';
import { edgesOf, exitRoutes, firstOf, type Route } from './routes.ts';
import { done, faultEdge, plainState } from './state-parts.ts';

/** Begins the first turn, unless `while` says that there is none. */
export function repeatState(outline: Outline, step: StepOutline, repeat: RepeatStep): MachineState {
  const { id } = repeat;
  const of: ComputationRef = { kind: 'while', step: id };
  const asked = repeat.while === null ? null : guard('verdict', { of });
  const first = edgesOf([turn(repeat, { first: true, guard: asked })], { event: null });
  if (asked === null) return { ...plainState(id, id, 'active'), edges: first };
  const none = edgesOf(exitRoutes(outline, step), { event: null, actions: [begin(repeat, true), done(step, 'turns')] });
  return { ...plainState(id, id, 'active'), edges: [...faultEdge(step, of), ...first, ...none] };
}

/** A turn is over, inside the list, so that the time of all turns goes on: its output is kept, and `while` or `until` says whether there is another. */
export function turnedState(outline: Outline, step: StepOutline, repeat: RepeatStep): MachineState {
  const { id, max } = repeat;
  const list = bodyListId(id, 'turn');
  const of: ComputationRef = { kind: repeat.while === null ? 'until' : 'while', step: id };
  const verdict = guard('verdict', { of });
  const ended = [assignment('turn.end', { step: id, list })];
  const again = (asked: GuardRef | null): readonly MachineEdge[] =>
    edgesOf([turn(repeat, { first: false, guard: both(asked, guard('turnable', { list, max })) }), limit(id, asked)], {
      event: null,
      actions: ended,
    });
  const exit = (asked: GuardRef | null): readonly MachineEdge[] =>
    edgesOf(exitRoutes(outline, step), { event: null, guard: asked, actions: [...ended, done(step, 'turns')] });
  const ways = repeat.while === null ? [...exit(verdict), ...again(null)] : [...again(verdict), ...exit(null)];
  return { ...plainState(`${id}$turned`, id, 'gate'), edges: [...faultEdge(step, of), ...ways] };
}

function begin({ id }: RepeatStep, first: boolean): ActionRef {
  return assignment('turn.begin', { step: id, list: bodyListId(id, 'turn'), first });
}

function turn(repeat: RepeatStep, at: { readonly first: boolean; readonly guard: GuardRef | null }): Route {
  const list = { id: bodyListId(repeat.id, 'turn'), steps: repeat.steps };
  const actions = [begin(repeat, at.first)];
  const [kind, label] = at.first ? (['branch', null] as const) : (['jump', `at most ${repeat.max}×`] as const);
  return { guard: at.guard, target: firstOf(list), actions, kind, label };
}

/** All turns are used up and there is no end in sight: failure `limit`. */
function limit(id: string, asked: GuardRef | null): Route {
  const actions = [assignment('fail', { step: id, source: { kind: 'turns' } })];
  return { guard: asked, target: `${id}$failed`, actions, kind: 'failure', label: 'limit' };
}
