import type { Handler } from '../model/definition.ts';
import type { GuardRef, Machine, MachineEdge, MachineState } from '../model/machine.ts';
import type { PictureEdge } from '../model/picture.ts';
import { invariant } from '../model/errors.ts';
import { branchesId } from './branch-states.ts';
import { takersAt } from './handler-states.ts';
import { CLOSED, CLOSING, COMPLETED, FINISHING, KEEPING, SETTLING } from './kernel-names.ts';
import { isCopy } from './lane-steps.ts';
import { isLaneList, type Outline, type StepOutline, stepAt } from './outline.ts';

/** An arrow before it has a number, and what it leads to is looked at. */
export type DiagramArrow = Omit<PictureEdge, 'id' | 'taken' | 'condition'>;

/** Where something ends that is drawn as an end, beside the machine's own `$completed`. */
const FAILED_END = '$failed';
const CANCELLED_END = '$cancelled';

/** What ends a step from around it is not drawn. */
const ENDERS: readonly MachineEdge['event'][] = ['group.expired', 'branches.stopped'];

type Arrow = DiagramArrow & { readonly from: string };
interface Folding {
  readonly states: ReadonlyMap<string, MachineState>;
  readonly outline: Outline;
  /** The ways into clauses, from whatever state a failure comes to them. */
  readonly catches: readonly MachineEdge[];
}

/**
 * The arrows between steps, folded from the machine's own edges: an arrow that passes through helper states is drawn from
 * step to step. What every step could do (fail unhandled, be held, be stopped) is not drawn.
 */
export function diagramArrows(machine: Machine, outline: Outline): readonly DiagramArrow[] {
  const states = new Map<string, MachineState>();
  const collect = (state: MachineState): void => {
    states.set(state.id, state);
    // All lanes of a map are alike: the first stands for them.
    for (const child of state.states) if (!isCopy(child.id)) collect(child);
  };
  collect(machine.root);
  const folding = { states, outline, catches: catchEdges(states) };
  const arrows = [...outline.steps.values()].flatMap((step) => stepArrows(folding, step));
  return unique(arrows);
}

/** A choose that cannot fail itself has no state for it: its clauses are only where the failures in its branches lead. */
function catchEdges(states: Folding['states']): readonly MachineEdge[] {
  const edges = [...states.values()].flatMap((state) => state.edges.filter((edge) => edge.kind === 'catch'));
  return [...new Map(edges.map((edge) => [JSON.stringify([edge.guard, edge.target]), edge])).values()];
}

function stepArrows(folding: Folding, at: StepOutline): readonly Arrow[] {
  const { id, verb } = at.step;
  const arrows = stateAt(folding, id).edges.flatMap((edge) => ownArrows(folding, at, edge));
  // A `fail` and an `end` are ends themselves: what the run's end makes of them needs no arrow.
  const ways = verb === 'fail' || verb === 'end' ? [] : arrows;
  return [...ways, ...wayOutArrows(folding, at), ...skipArrows(folding, at), ...catchArrows(folding, at)];
}

/** From a choose's box where it has one: its catches and handlers belong to all that is in it. */
function boxedId(at: StepOutline): string {
  return at.inner.some((list) => list.kind === 'body') ? `${at.step.id}$group` : at.step.id;
}

function ownArrows(folding: Folding, at: StepOutline, edge: MachineEdge): readonly Arrow[] {
  if (edge.event === 'handler.taken') return handlerArrows(folding, at, edge);
  return plainArrows(folding, at.step.id, edge);
}

function plainArrows(folding: Folding, from: string, edge: MachineEdge): readonly Arrow[] {
  if (edge.kind === 'failure' || edge.target === null) return [];
  const kind = edge.kind === 'jump' || edge.kind === 'branch' ? edge.kind : 'next';
  return goals(folding, edge.target).map((goal) => {
    // A way back on the far side of a helper (the end of a catch) is a way back all the same.
    const isJump = kind === 'next' && goal.jump !== null;
    return { from, to: goal.to, kind: isJump ? 'jump' : kind, label: isJump ? goal.jump : edge.label };
  });
}

/** Drawn once, from the step that declares the handler, though every step inside carries it. */
function handlerArrows(folding: Folding, at: StepOutline, edge: MachineEdge): readonly Arrow[] {
  if (edge.target === null || isOfDocument(edge)) return [];
  const owner = ownerOf(folding.outline, edge, 'taken');
  if (edge.target.startsWith(`${at.step.id}$leaving`)) return [];
  const from = boxedId(owner);
  if (edge.kind === 'failure') {
    const isSaid = edge.actions.some(
      (action) => action.type === 'fail' && JSON.stringify(action.params).includes('"handler"}'),
    );
    return isSaid ? [{ from, to: FAILED_END, kind: 'handler', label: edge.label }] : [];
  }
  if (edge.target === SETTLING) return [{ from, to: CANCELLED_END, kind: 'handler', label: edge.label }];
  return goals(folding, edge.target).map(({ to }) => ({ from, to, kind: 'handler', label: edge.label }));
}

/** What leads out of branches from outside: their step takes it for all of them, and goes on when they have settled. */
function wayOutArrows(folding: Folding, at: StepOutline): readonly Arrow[] {
  const { edges = [] } = folding.states.get(branchesId(at.step.id)) ?? {};
  if (edges.length === 0) return [];
  return takersAt(folding.outline, at).flatMap(({ owner, handler, number }) => {
    if (owner === null) return [];
    const from = boxedId(owner);
    const arrow = { from, kind: 'handler', label: handler.event } as const;
    if (handler.then === 'fail') return [{ ...arrow, to: FAILED_END }];
    if (handler.then === 'cancel') return [{ ...arrow, to: CANCELLED_END }];
    const leads = edges.filter((edge) => edge.kind !== 'failure' && leavesBy(edge, number));
    return leads.flatMap((edge) => goals(folding, targetOf(edge)).map(({ to }) => ({ ...arrow, to })));
  });
}

function leavesBy({ guard }: MachineEdge, way: number): boolean {
  return guardsIn(guard).some(({ type, params }) => type === 'leaving' && params['way'] === way);
}

/** A skipped step goes on to the one after it; drawn only where a done one goes somewhere else. */
function skipArrows(folding: Folding, at: StepOutline): readonly Arrow[] {
  if (at.step.next === null && at.step.verb !== 'fail' && at.step.verb !== 'end') return [];
  const skips = folding.states.get(`${at.step.id}$when`)?.edges.filter((edge) => edge.kind === 'skip') ?? [];
  return skips.flatMap((edge) => plainArrows(folding, boxedId(at), edge));
}

/** The step's own clauses; those around it are drawn from what is around it. */
function catchArrows(folding: Folding, at: StepOutline): readonly Arrow[] {
  const from = boxedId(at);
  const edges = folding.catches.filter((edge) => ownerOf(folding.outline, edge, 'verdict') === at);
  return edges.flatMap((edge) =>
    goals(folding, targetOf(edge)).map(({ to }) => ({ from, to, kind: 'catch', label: edge.label })),
  );
}

function stateAt(folding: Folding, id: string): MachineState {
  const state = folding.states.get(id);
  invariant(state !== undefined, 'an arrow to a state that is not there', { state: id });
  return state;
}

function targetOf(edge: MachineEdge): string {
  invariant(edge.target !== null, 'a way on that leads nowhere', { kind: edge.kind });
  return edge.target;
}

/** The step that a guard speaks of: of a handler's event, or of a clause. */
function ownerOf(outline: Outline, edge: MachineEdge, type: 'taken' | 'verdict'): StepOutline {
  const of = guardsIn(edge.guard).find((one) => one.type === type)?.params[type === 'taken' ? 'step' : 'of'];
  return stepAt(outline, typeof of === 'string' ? of : (of as { readonly step: string }).step);
}

/** A guard, or those that it joins. */
function guardsIn(guard: GuardRef | null): readonly GuardRef[] {
  if (guard === null) return [];
  if (guard.type !== 'all') return [guard];
  return (guard.params['guards'] as unknown as readonly GuardRef[]).flatMap(guardsIn);
}

/** What the document's handlers do belongs to no step: it is drawn once, from a box of its own. */
function isOfDocument(edge: MachineEdge): boolean {
  return guardsIn(edge.guard).some(({ type, params }) => type === 'taken' && params['step'] === null);
}

/** The box of a handler of the document. */
export function anyTimeId(index: number): string {
  return `$on${index}`;
}

/** Where the events lead that are accepted in every step. */
export function documentArrows(handlers: readonly Handler[]): readonly DiagramArrow[] {
  const ends = { end: COMPLETED, fail: FAILED_END, cancel: CANCELLED_END } as const;
  return handlers.flatMap(({ then, event }, index) =>
    then === null ? [] : [{ from: anyTimeId(index), to: ends[then], kind: 'handler', label: event }],
  );
}

/** States of a run that is done, on its way to the end that is drawn. */
const ENDING: ReadonlySet<string> = new Set([FINISHING, KEEPING, CLOSING, COMPLETED]);

/** A box that an arrow ends at; `jump`: the label of the way back that it goes through, if it does. */
interface Goal {
  readonly to: string;
  readonly jump: string | null;
}

/** The boxes that a state stands for or leads to, through helpers. */
function goals(folding: Folding, id: string): readonly Goal[] {
  if (ENDING.has(id)) return [{ to: COMPLETED, jump: null }];
  // What `finally` leads to is the end that was reached before it.
  if (id === CLOSED) return [];
  if (id === SETTLING) return [{ to: FAILED_END, jump: null }];
  const state = stateAt(folding, id);
  if (state.role === 'active') return [{ to: id, jump: null }];
  if (state.kind === 'parallel') {
    const drawn = state.states.filter(({ id }) => !isCopy(id));
    return drawn.flatMap(({ initial }) => (initial ? goals(folding, initial) : []));
  }
  if (state.role === 'over') return goalsOfBranch(folding, state);
  if (state.step !== null && state.id === `${state.step}$when`) return [{ to: state.step, jump: null }];
  return waysOn(state).flatMap((edge) => {
    const further = goals(folding, targetOf(edge));
    return edge.kind === 'jump' ? further.map(({ to }) => ({ to, jump: edge.label })) : further;
  });
}

/** Where a branch leads that has succeeded: to what follows all of them; one that has not leads nowhere by itself. */
function goalsOfBranch(folding: Folding, { id, step }: MachineState): readonly Goal[] {
  if (step === null || !id.endsWith('$succeeded')) return [];
  const isLane = isLaneList(id.slice(0, -'$succeeded'.length));
  const decided = stateAt(folding, branchesId(step)).edges.filter(
    // Where no item is left a map may have failed, too, in lanes as one item after the other.
    ({ kind, guard }) => kind === 'next' || (isLane && guard?.type === 'joined' && kind === 'failure'),
  );
  return decided.flatMap((edge) => goals(folding, targetOf(edge)));
}

/** What a helper leads to that is worth an arrow; a raised failure: the clauses around it, else the failed end. */
function waysOn(state: MachineState): readonly MachineEdge[] {
  if (state.role !== 'failed')
    return state.edges.filter((edge) => edge.label !== 'limit' && !ENDERS.includes(edge.event) && !isFault(edge));
  const caught = state.edges.filter((edge) => edge.kind === 'catch');
  return caught.length > 0 ? caught : state.edges.filter((edge) => edge.target === SETTLING);
}

function isFault(edge: MachineEdge): boolean {
  return edge.guard?.type === 'faulty';
}

function unique(arrows: readonly Arrow[]): readonly DiagramArrow[] {
  const known = new Map<string, DiagramArrow>();
  for (const arrow of arrows) {
    const key = JSON.stringify([arrow.from, arrow.to, arrow.kind, arrow.label]);
    if (!known.has(key)) known.set(key, arrow);
  }
  return [...known.values()];
}
