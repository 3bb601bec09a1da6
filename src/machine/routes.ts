import type { CatchClause, Step, WorkflowDefinition } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import type { ActionRef, EdgeKind, GuardRef, MachineEdge } from '../model/machine.ts';
import type { ComputationRef } from './kernel-names.ts';
import { assignment, both, CLOSED, CLOSING, COMPLETED, FINISHING, guard, KEEPING, SETTLING } from './kernel-names.ts';
import { everyStep, hasLanes } from '../model/step-lists.ts';
import type { ListOutline, Outline, StepOutline } from './outline.ts';
import {
  branchAround,
  catchesLeft,
  catchListId,
  isBranchList,
  isItemList,
  isLast,
  itemsPrefix,
  stepAt,
} from './outline.ts';

/** A way to go, before it is known which event takes it. */
export interface Route {
  readonly guard: GuardRef | null;
  readonly target: string;
  readonly actions: readonly ActionRef[];
  readonly kind: EdgeKind;
  readonly label: string | null;
}

/** Turns routes into edges of one event (null = at once), each behind the same guard and actions. */
export function edgesOf(
  routes: readonly Route[],
  on: { event: string | null; guard?: GuardRef | null; actions?: readonly ActionRef[] },
): MachineEdge[] {
  return routes.map((route) => ({
    event: on.event,
    guard: both(on.guard ?? null, route.guard),
    target: route.target,
    actions: [...(on.actions ?? []), ...route.actions],
    kind: route.kind,
    label: route.label,
  }));
}

/** The state where a step begins: its gate if it has one. */
export function entryOf(step: Step): string {
  return step.when === null ? step.id : `${step.id}$when`;
}

/** The state that a list of steps begins with. */
export function firstOf(list: Pick<ListOutline, 'id' | 'steps'>): string {
  const first = list.steps[0];
  invariant(first !== undefined, 'a list without steps', { list: list.id });
  return entryOf(first);
}

/** Leaving running catches behind; nothing where none is left. */
export function uncatch(steps: readonly string[]): readonly ActionRef[] {
  return steps.length === 0 ? [] : [assignment('uncatch', { steps })];
}

/** What follows a step that is done: its `next`, else the step after it, else what its list leads to. */
export function exitRoutes(outline: Outline, step: StepOutline): readonly Route[] {
  const { next } = step.step;
  if (next === null) return [fallRoute(step)];
  return nextRoutes(outline, { owner: step, from: step, next, limit: limitRoute(step) });
}

/** Where the body of a group leads, by verb; of any other group to where it is done. */
const AFTER: Readonly<Partial<Record<Step['verb'], string>>> = { repeat: 'turned' };
/** Where `end` leads: to the end of the run, or of `finally`. */
export function endOf(step: StepOutline): string {
  return isLast(step) ? CLOSED : FINISHING;
}

/** Where a run that is done goes: to its end, once what losers have on its way is settled, where some are kept. */
export function doneTarget(definition: WorkflowDefinition): string {
  return keepsLosers(definition) ? KEEPING : endTarget(definition);
}

/** Whether a race of it goes on before its losers have settled (R08). */
export function keepsLosers(definition: WorkflowDefinition): boolean {
  return everyStep(definition).some((step) => {
    if (step.verb === 'parallel') return step.losers === 'keep';
    return hasLanes(step) && step.losers === 'keep' && step.join.kind !== 'all';
  });
}

/** The end of a run that is done, through `finally` where there is one. */
export function endTarget({ finally: last = [] }: Pick<WorkflowDefinition, 'finally'>): string {
  return last.length > 0 ? CLOSING : COMPLETED;
}

/** The step after it, whatever its `next` says: a skipped step falls through. */
export function fallRoute(step: StepOutline): Route {
  const { list } = step;
  const following = list.steps[step.index + 1];
  const route = { guard: null, actions: [], kind: 'next', label: null } as const;
  if (following !== undefined) return { ...route, target: entryOf(following) };
  if (list.owner === null) return { ...route, target: endOf(step), kind: 'end' };
  const owner = list.owner.step.id;
  if (list.kind === 'catch') return { ...route, target: `${owner}$after${list.index}` };
  if (isItemList(list.id)) return { ...route, target: `${itemsPrefix(list.id)}$itemed` };
  if (isBranchList(list.id)) return { ...route, target: branchEndId(list, 'succeeded') };
  return { ...route, target: `${owner}$${AFTER[list.owner.step.verb] ?? 'done'}` };
}

/** The state in which a branch is at its end. */
export function branchEndId({ id }: Pick<ListOutline, 'id'>, as: 'succeeded' | 'failed' | 'stopped'): string {
  return `${id}$${as}`;
}

/** A step's cycle is used up: failure `limit`, which its own catch may take. */
export function limitRoute(step: StepOutline): Route {
  const actions = [assignment('fail', { step: step.step.id, source: { kind: 'limit', caught: false } })];
  return { guard: null, target: `${step.step.id}$failed`, actions, kind: 'failure', label: 'limit' };
}

/**
 * Where a `next` leads: of `owner` (the step that says it), taken `from` it or from a step inside it.
 * Back = to a step that does not stand after the way's own place in that list; counted by `owner` and bounded by its maxJumps.
 */
export function nextRoutes(
  outline: Outline,
  way: { readonly owner: StepOutline; readonly from: StepOutline; readonly next: string; readonly limit: Route },
): readonly Route[] {
  const { owner, from, next } = way;
  invariant(staysInBranch(outline, from, next), 'next leads out of a branch', { step: owner.step.id, next });
  if (next === 'end')
    return [{ guard: null, target: endOf(owner), actions: uncatch(catchesLeft(from, null)), kind: 'end', label: null }];
  const target = stepAt(outline, next);
  const leaving = uncatch(catchesLeft(from, target.list));
  const to = entryOf(target.step);
  if (target.index > placeIn(target.list, owner))
    return [{ guard: null, target: to, actions: leaving, kind: 'next', label: null }];
  const jump = assignment('jump', { step: owner.step.id, list: target.list.id });
  const max = owner.step.maxJumps;
  invariant(max !== null, 'a way back without maxJumps', { step: owner.step.id, next });
  const back: Route = {
    guard: guard('jumpable', { step: owner.step.id, max }),
    target: to,
    actions: [jump, ...leaving],
    kind: 'jump',
    label: `at most ${max}×`,
  };
  return [back, way.limit];
}

function staysInBranch(outline: Outline, from: StepOutline, next: string): boolean {
  const branch = branchAround(from);
  return branch === null || (next !== 'end' && branchAround(stepAt(outline, next)) === branch);
}

/** The position in `list` of a step or of the step around it. @throws PAWL_INVARIANT for a `next` into a list or out of reach. */
function placeIn(list: ListOutline, step: StepOutline): number {
  for (let at: StepOutline | null = step; at !== null; at = at.list.owner) {
    if (at.list === list) return at.index;
  }
  invariant(false, 'next leads into a list', { step: step.step.id, list: list.id });
}

/** A way of a failure out of a step: clauses of the step (unless they are used up) and of those around it. */
export function failureRoutes(step: StepOutline, from: 'own' | 'outward'): readonly Route[] {
  const crossed: string[] = [];
  const routes: Route[] = from === 'own' ? clauseRoutes(step, []) : [];
  for (let at = step; at.list.owner !== null; at = at.list.owner) {
    const { owner, kind, id } = at.list;
    if (isItemList(id)) return [...routes, lostItem(owner, id, crossed)];
    if (isBranchList(id)) break;
    if (kind === 'catch') crossed.push(owner.step.id);
    else routes.push(...clauseRoutes(owner, [...crossed]));
  }
  return [...routes, ...unhandledRoutes(step, crossed)];
}

/** Nothing in the item catches it: the item has failed, and its map says what that means. */
function lostItem({ step }: StepOutline, list: string, crossed: readonly string[]): Route {
  const ended = assignment('item.end', { step: step.id, list, crossed });
  return { guard: null, target: `${itemsPrefix(list)}$itemlost`, actions: [ended], kind: 'failure', label: null };
}

/** Nothing catches it: the branch has failed; outside of any the step is held where it may not be undone, else the run settles and undoes; that of `finally` is noted. */
export function unhandledRoutes(step: StepOutline, crossed: readonly string[]): readonly Route[] {
  const branch = branchAround(step);
  if (branch !== null) {
    const actions = [assignment('branch.lose', { list: branch.id, crossed })];
    return [{ guard: null, target: branchEndId(branch, 'failed'), actions, kind: 'failure', label: null }];
  }
  if (isLast(step)) {
    const noted = [assignment('finally.failed', { crossed })];
    return [{ guard: null, target: CLOSED, actions: noted, kind: 'failure', label: null }];
  }
  const held: Route = {
    guard: guard('holding', {}),
    target: `${step.step.id}$held`,
    actions: [],
    kind: 'failure',
    label: null,
  };
  // An `end` that cannot say its output is held and never undone: everything that the run was for has happened.
  if (step.step.verb === 'end') return [{ ...held, guard: null }];
  return [
    held,
    { guard: null, target: SETTLING, actions: [assignment('end.failed', { crossed })], kind: 'failure', label: null },
  ];
}

/** What a person reads of a clause: what it takes, and whether it undoes. */
export function clauseLabel({ on, undo }: CatchClause): string {
  return [...on, ...(undo === true ? ['undone'] : [])].join(', ');
}

/** The state in which a clause with `undo` waits until all is compensated. */
export function undoingId(step: string, index: number): string {
  return `${step}$undo${index}`;
}

/** Where the `do` of a clause begins; what follows it, where there is none. */
export function clauseBegins(step: string, clause: CatchClause, index: number): Pick<Route, 'target' | 'actions'> {
  const list = catchListId(step, index);
  if (clause.do.length === 0) return { target: `${step}$after${index}`, actions: [] };
  return {
    target: firstOf({ id: list, steps: clause.do }),
    actions: [assignment('list.enter', { list, choose: null })],
  };
}

function clauseRoutes(owner: StepOutline, crossed: readonly string[]): Route[] {
  return owner.step.catch.flatMap((clause, index) => oneClause(owner, { clause, index, crossed }));
}

function oneClause(
  owner: StepOutline,
  at: { readonly clause: CatchClause; readonly index: number; readonly crossed: readonly string[] },
): readonly Route[] {
  const step = owner.step.id;
  const of: ComputationRef = { kind: 'clause', step, index: at.index, crossed: at.crossed };
  const begins = clauseBegins(step, at.clause, at.index);
  const taken: Route = {
    guard: guard('verdict', { of }),
    target: at.clause.undo === true ? undoingId(step, at.index) : begins.target,
    actions: [assignment('catch', { step, crossed: at.crossed }), ...(at.clause.undo === true ? [] : begins.actions)],
    kind: 'catch',
    label: clauseLabel(at.clause),
  };
  if (at.clause.when === null) return [taken];
  // A clause whose own guard cannot be computed is a failure inside the catch: it goes outward (rule R22).
  const fault: Route = {
    guard: guard('faulty', { of }),
    target: `${step}$raised`,
    actions: [assignment('fail', { step, source: { kind: 'fault', of, cause: true } })],
    kind: 'failure',
    label: null,
  };
  return [fault, taken];
}
