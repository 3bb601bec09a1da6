import type { MapStep, ParallelBranch, ParallelStep } from '../model/definition.ts';
import type { ActionRef, GuardRef, MachineEdge, MachineState } from '../model/machine.ts';
import { branchListId } from './branches.ts';
import { branchEnder, endRoute, type Ender, expiriesWhileUndoing, groupEnders } from './expiry-states.ts';
import {
  beforeLeaving,
  failingIn,
  failingRoutes,
  idOf,
  type TakerAt,
  takersAt,
  targetRoutes,
} from './handler-states.ts';
import { assignment, both, command, type ComputationRef, guard } from './kernel-names.ts';
import { isLast, isTimed, type Outline, type StepOutline, timedGroups } from './outline.ts';
import { branchEndId, edgesOf, exitRoutes, type Route } from './routes.ts';
import { done, faultEdge, plainState } from './state-parts.ts';

/** The state in which the branches are side by side. */
export function branchesId(step: string): string {
  return `${step}$branches`;
}

/** The state in which what the losers of a race have done is compensated. */
function losersId(step: string): string {
  return `${step}$losers`;
}

/** A step that does several lists side by side: its branches, or the lanes of its items. */
type SideBySide = ParallelStep | MapStep;

/**
 * All states of a parallel step or a map with lanes but those of its branches' steps: the branches side by side, the undo of the losers, what
 * follows. To what is around it, it is one step that has something on its way until all branches are at
 * their ends (rule V07): what comes from outside tells the branches to stop, and leads on when they have.
 * @param regions the states of the branches' lists.
 */
export function sidesStates(
  outline: Outline,
  step: StepOutline,
  at: { readonly sides: SideBySide; readonly regions: readonly MachineState[] },
): readonly MachineState[] {
  const { sides, regions } = at;
  const { id } = sides;
  const losers = losersState(step, sides);
  const output = sides.verb === 'map' ? 'items' : 'branches';
  const exit = edgesOf(exitRoutes(outline, step), { event: null, actions: [done(step, output)] });
  return [
    sideBySide(outline, step, { sides, regions }),
    ...losers,
    { ...plainState(`${id}$done`, id, 'gate'), edges: exit },
  ];
}

/** How many must succeed is computed once; none, or more than there are, is decided before any branch begins. */
export function parallelState(step: StepOutline, { id, join }: ParallelStep): MachineState {
  const of: ComputationRef = { kind: 'count', step: id };
  const begin = [assignment('branches.begin', { step: id })];
  const all: Route = { guard: null, target: branchesId(id), actions: begin, kind: 'branch', label: null };
  if (join.kind !== 'count') return { ...plainState(id, id, 'active'), edges: edgesOf([all], { event: null }) };
  const none: Route = { ...all, guard: guard('need', { step: id, is: 'none' }), target: `${id}$done`, kind: 'next' };
  const impossible: Route = {
    guard: guard('need', { step: id, is: 'impossible' }),
    target: `${id}$failed`,
    actions: [...begin, ...joinFails(step.step.id, 'join')],
    kind: 'failure',
    label: null,
  };
  const edges = [...faultEdge(step, of), ...edgesOf([none, impossible, all], { event: null })];
  return { ...plainState(id, id, 'active'), edges };
}

function joinFails(id: string, kind: 'join' | 'items'): readonly ActionRef[] {
  return [assignment('fail', { step: id, source: { kind } })];
}

/** The ends of a branch: it rests there until all others are at theirs. */
export function branchEnds(step: StepOutline, { name }: ParallelBranch): readonly MachineState[] {
  const { id } = step.step;
  return (['succeeded', 'failed', 'stopped'] as const).map((as) => ({
    ...plainState(branchEndId({ id: branchListId(id, name) }, as), id, 'over'),
    entry: [assignment('branch.end', { step: id, branch: name, as })],
  }));
}

/** Something from outside that ends the branches: what takes it, and where it leads when all are at their ends. */
interface Way {
  readonly accepts: readonly MachineEdge[];
  readonly leads: readonly MachineEdge[];
}

function sideBySide(
  outline: Outline,
  step: StepOutline,
  { sides, regions }: { readonly sides: SideBySide; readonly regions: readonly MachineState[] },
): MachineState {
  const { id } = sides;
  const ways = waysOut(outline, step);
  const timed = isTimed(sides) ? [{ step: id }] : [];
  const isUndoing = undoesLosers(sides);
  const keeps = keepsLosersOf(step, sides);
  const met: Route = {
    guard: guard('joined', { step: id, as: keeps ? 'kept' : 'met' }),
    target: isUndoing ? losersId(id) : `${id}$done`,
    actions: keeps ? [command('losers.keep', { step: id })] : [],
    kind: 'next',
    label: null,
  };
  const lost: Route = {
    guard: guard('joined', { step: id, as: 'lost' }),
    target: `${id}$failed`,
    actions: joinFails(id, sides.verb === 'map' ? 'items' : 'join'),
    kind: 'failure',
    label: null,
  };
  return {
    ...plainState(branchesId(id), id, 'list'),
    kind: 'parallel',
    states: regions,
    entry: timed.map((group) => command('group.enter', group)),
    exit: timed.map((group) => command('group.leave', group)),
    edges: [
      ...decidedEdges(sides),
      ...ways.flatMap(({ leads }) => leads),
      ...edgesOf([met, lost], { event: null }),
      ...ways.flatMap(({ accepts }) => accepts),
    ],
  };
}

/** It is decided while others are under way: those are told, unless they are to run to their ends (rule R05). */
function decidedEdges({ id, siblings }: SideBySide): readonly MachineEdge[] {
  if (siblings === 'finish') return [];
  const actions = stop(id, { way: null, retries: siblings === 'drain' });
  const taken = guard('joined', { step: id, as: 'stops' });
  return [{ event: null, guard: taken, target: null, actions, kind: 'settle', label: null }];
}

function stop(id: string, at: { readonly way: number | null; readonly retries: boolean | null }): readonly ActionRef[] {
  return [
    assignment('branches.leave', { step: id, way: at.way }),
    command('branches.stop', { step: id, retries: at.retries }),
  ];
}

/** Every way out that the join does not decide: handlers, then what may end the step from around it, innermost first. */
function waysOut(outline: Outline, step: StepOutline): readonly Way[] {
  const takers = takersAt(outline, step);
  const times = [...(isTimed(step.step) ? [step] : []), ...timedGroups(step)];
  const enders = [...groupEnders(times), ...branchEnder(step)];
  return [
    ...takers.map((taker) => handlerWay(outline, { step, taker, canBeOpen: true })),
    ...enders.map((ender, index) => enderWay(step, ender, takers.length + index)),
  ];
}

function enderWay(step: StepOutline, ender: Ender, way: number): Way {
  const { id } = step.step;
  const taken = guard(ender.guard, { step: ender.owner.step.id, open: null, closed: null });
  const retries = ender.event === 'branches.stopped' ? null : false;
  const accepts: MachineEdge = {
    event: ender.event,
    guard: both(taken, guard('leavable', { step: id, way })),
    target: null,
    actions: stop(id, { way, retries }),
    kind: 'settle',
    label: null,
  };
  const leads = edgesOf([endRoute(step, ender)], { event: null, guard: guard('leaving', { step: id, way }) });
  return { accepts: [accepts], leads };
}

function handlerWay(outline: Outline, at: TakerAt): Way {
  const { step, taker } = at;
  const { id } = step.step;
  const { handler, number: way } = taker;
  const of: ComputationRef = { kind: 'handler', step: idOf(taker), index: taker.index };
  const taken = both(
    guard('taken', { step: idOf(taker), handler: taker.index, open: null }),
    guard('leavable', { step: id, way }),
  );
  const faulty = handler.set.length === 0 ? null : guard('faulty', { of });
  const targets = targetRoutes(outline, at);
  const accept = (extra: GuardRef | null, actions: readonly ActionRef[]): MachineEdge => ({
    event: 'handler.taken',
    guard: both(taken, extra),
    target: null,
    actions,
    kind: 'handler',
    label: handler.event,
  });
  const leave = stop(id, { way, retries: false });
  const fault = assignment('fail', { step: idOf(taker), source: { kind: 'fault', of, cause: false } });
  const accepts = faulty === null ? [] : [accept(faulty, [fault, ...leave])];
  const taking = [assignment('set', { of }), ...beforeLeaving(at)];
  accepts.push(accept(null, targets.length === 0 ? taking : [...taking, ...leave]));
  const leaving = guard('leaving', { step: id, way });
  const failing = guard('failing', failingIn(step));
  const leads = [
    ...(faulty === null && handler.then !== 'fail'
      ? []
      : edgesOf(failingRoutes(at), { event: null, guard: both(leaving, failing) })),
    ...(handler.then === 'fail' ? [] : edgesOf(targets, { event: null, guard: leaving })),
  ];
  return { accepts, leads };
}

function undoesLosers({ join, losers }: SideBySide): boolean {
  return join.kind !== 'all' && losers !== 'keep';
}

/** Whether the next step starts before the losers have settled (R08); behind `finally` nothing would wait for them. */
function keepsLosersOf(step: StepOutline, sides: SideBySide): boolean {
  if (sides.losers !== 'keep') return false;
  return sides.verb === 'parallel' || (sides.join.kind !== 'all' && !isLast(step));
}

/** What the losers of a race have done is compensated before the next step starts (rule R08). */
function losersState(step: StepOutline, sides: SideBySide): readonly MachineState[] {
  const { id } = sides;
  if (!undoesLosers(sides)) return [];
  const expiries = expiriesWhileUndoing(step);
  const next: Route = { guard: null, target: `${id}$done`, actions: [], kind: 'next', label: null };
  const state: MachineState = {
    ...plainState(losersId(id), id, 'undoing'),
    entry: [command('losers.undo', { step: id })],
    edges: [...edgesOf([next], { event: 'group.undone', guard: guard('undone', { step: id }) }), ...expiries.edges],
  };
  return [state];
}
