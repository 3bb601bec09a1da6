import type { Handler, Step } from '../../model/definition.ts';
import type { PlacedStep } from './flow-graph.ts';
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
    if (placed.step.verb === 'parallel') {
      lintCount(context, placed.step);
      lintKept(context, placed.step);
    }
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

function lintCount({ report }: LintContext, step: Extract<Step, { verb: 'parallel' }>): void {
  const { join, branches } = step;
  if (join.kind !== 'count' || join.count.kind !== 'literal') return;
  if (Number(join.count.value) <= branches.length) return;
  report({
    code: 'PAWL-215',
    pointer: `${step.pointer}/join/count`,
    message: `"${step.id}" waits for ${String(join.count.value)} branches and has ${branches.length}: it can never be met`,
    help: `write ${branches.length} or less`,
  });
}

/** Losers that are kept settle what is on its way, and begin nothing: to let them run on is to wait for them. */
function lintKept(
  { report }: LintContext,
  { id, pointer, losers, siblings }: Extract<Step, { verb: 'parallel' }>,
): void {
  if (losers !== 'keep' || siblings !== 'finish') return;
  report({
    code: 'PAWL-251',
    pointer: `${pointer}/losers`,
    message: `"${id}" lets its branches run to their ends, so the next step cannot start before its losers have settled`,
    help: 'write "siblings: drain" or "siblings: cancel", or leave "losers" out',
  });
}

/** What a step stands in that may not be left. */
export function partOf({ step }: PlacedStep): string {
  return step.verb === 'map' ? 'an item' : 'a branch';
}
