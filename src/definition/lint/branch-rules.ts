import type { Handler, MapStep, ParallelStep, Step } from '../../model/definition.ts';
import type { Template } from '../../model/template.ts';
import { hasLanes } from '../../model/step-lists.ts';
import type { PlacedStep } from './flow-graph.ts';
import { reachableFrom } from './completed-before.ts';
import type { LintContext } from './lint-context.ts';

/** The parallel step in one of whose branches, or the map in whose items, a step stands, innermost; null outside of any. */
export function parallelAround(placed: PlacedStep): PlacedStep | null {
  for (let at: PlacedStep | null = placed; at !== null; at = at.parent) if (isInBranch(at)) return at.parent;
  return null;
}

/** Whether a step stands directly in a branch or an item, not in a catch of its parallel step or map. */
export function isInBranch({ parent, siblings }: PlacedStep): boolean {
  if (parent?.step.verb === 'map') return parent.step.steps === siblings;
  return parent?.step.verb === 'parallel' && parent.step.branches.some(({ steps }) => steps === siblings);
}

/** What is in a branch stays in it: it writes no vars, which others read at the same time, and does not end the run. */
export function lintBranches(context: LintContext): void {
  for (const placed of context.graph.steps) {
    if (placed.step.verb === 'parallel' || placed.step.verb === 'map') lintJoin(context, placed.step);
    if (keepsLosers(placed.step)) lintKept(context, placed, placed.step);
    const parallel = parallelAround(placed);
    if (parallel === null) continue;
    lintWrites(context, placed.step, parallel);
    lintEnds(context, placed.step, parallel);
  }
}

function lintWrites({ report }: LintContext, step: Step, parallel: PlacedStep): void {
  const ofHandlers = step.on.flatMap(({ set, pointer }) => set.map(() => `${pointer}/set`));
  for (const pointer of [...(step.verb === 'set' ? [`${step.pointer}/set`] : []), ...new Set(ofHandlers)])
    report({
      code: 'PAWL-214',
      pointer,
      at: 'key',
      message: `"${step.id}" writes vars in ${partOf(parallel)} of "${parallel.step.id}", while others may read or write them (shared-write)`,
      help: `let the data leave by the output, steps.${parallel.step.id}.output, and set it after the join`,
    });
}

function lintEnds({ report }: LintContext, step: Step, parallel: PlacedStep): void {
  const ends = [
    ...(step.verb === 'end' ? [`${step.pointer}/end`] : []),
    ...step.catch.flatMap(({ then, next, pointer }) => (then === 'end' && next === null ? [`${pointer}/then`] : [])),
    ...step.on.flatMap((handler) => endOf(handler)),
  ];
  for (const pointer of ends)
    report({
      code: 'PAWL-213',
      pointer,
      message: `"${step.id}" stands in ${partOf(parallel)} of "${parallel.step.id}" and cannot end the run: others are under way`,
      help: `let it come to its end or fail, and decide after "${parallel.step.id}"`,
    });
}

function endOf({ then, pointer }: Handler): readonly string[] {
  return then === 'end' || then === 'cancel' ? [`${pointer}/then`] : [];
}

/** A number that is written into a join: of how many at most, and what of. */
function numberIn(step: ParallelStep | MapStep): { of: Template; most: number | null; what: string } | null {
  const { join } = step;
  if (join.kind === 'percent') return { of: join.percent, most: 100, what: 'percent' };
  if (join.kind !== 'count') return null;
  return step.verb === 'parallel'
    ? { of: join.count, most: step.branches.length, what: 'branches' }
    : { of: join.count, most: null, what: 'items' };
}

/** A join that is written as a number: one that is met before anything begins was not meant, one that never is neither. */
function lintJoin({ report }: LintContext, step: ParallelStep | MapStep): void {
  const number = numberIn(step);
  if (number === null || number.of.kind !== 'literal') return;
  const { most, what } = number;
  const value = Number(number.of.value);
  const pointer = `${step.pointer}/join/${step.join.kind}`;
  const named = `"${step.id}" waits for ${value} ${what}`;
  if (value <= 0)
    report({
      code: 'PAWL-270',
      pointer,
      message: `${named}: it is met before anything in it begins`,
      help: `leave out \`join\` to wait for all, or leave out "${step.id}"`,
    });
  if (most !== null && value > most)
    report({
      code: 'PAWL-215',
      pointer,
      message: `${named}${step.verb === 'parallel' ? ` and has ${most}` : ''}: it can never be met`,
      help: `write ${most} or less`,
    });
}

/** Whether losers may be on their way when the next step starts: items that are done one after the other never are. */
function keepsLosers(step: Step): step is ParallelStep | MapStep {
  if (step.verb === 'parallel') return step.losers === 'keep';
  return hasLanes(step) && step.losers === 'keep' && step.join.kind !== 'all';
}

/** Losers that are kept settle what is on its way, and begin nothing: to let them run on is to wait for them. */
function lintKept({ graph, report }: LintContext, placed: PlacedStep, step: ParallelStep | MapStep): void {
  const { id, verb, pointer, siblings } = step;
  const place = { code: 'PAWL-251', pointer: `${pointer}/losers` } as const;
  if (siblings === 'finish' && verb === 'parallel')
    report({
      ...place,
      message: `"${id}" lets its branches run to their ends, so the next step cannot start before its losers have settled`,
      help: 'write "siblings: drain" or "siblings: cancel", or leave "losers" out',
    });
  // A step has one round at a time: its losers and its next round would be taken for each other.
  if (reachableFrom(graph, [graph.exitOf(placed.index)]).has(placed.index))
    report({
      ...place,
      message: `"${id}" may come again while losers of the time before are still on their way`,
      help: 'leave "losers" out: what they have done is undone before the next step',
    });
}

/** What a step stands in that may not be left. */
export function partOf({ step }: PlacedStep): string {
  return step.verb === 'map' ? 'an item' : 'a branch';
}
