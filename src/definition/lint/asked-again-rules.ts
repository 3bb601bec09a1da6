import type { CatchClause, Step } from '../../model/definition.ts';
import { elementAt } from '../../model/element-at.ts';
import type { FlowGraph, PlacedStep } from './flow-graph.ts';
import type { LintContext } from './lint-context.ts';

/** Whether a list goes back over the step at a position. */
type Returns = (list: readonly Step[], position: number) => boolean;

/**
 * A call behind the loop in which it is approved has one key, and its request is taken back by a no (A04): a later yes authorizes
 * nothing any more. In the loop each question has a call of its own.
 */
export function lintAskedAgain({ graph, report }: LintContext): void {
  const returns = returnsOf(graph);
  for (const placed of graph.steps) {
    const { step } = placed;
    if (step.verb !== 'call' || step.authorizedBy === null) continue;
    const asked = graph.byId.get(step.authorizedBy);
    if (asked === undefined || !isAskedAgain(asked, listsAround(placed), returns)) continue;
    report({
      code: 'PAWL-363',
      severity: 'warning',
      pointer: `${step.pointer}/authorizedBy`,
      message: `once somebody has said no, a later yes is not for "${step.id}": "${asked.step.id}" is asked again in a loop, and the call behind it fails with "unauthorized"`,
      help: `put "${step.id}" into the loop, behind "${asked.step.id}"`,
    });
  }
}

/** Whether a no leads back to the question while the call stays where it is. */
function isAskedAgain(asked: PlacedStep, around: ReadonlySet<readonly Step[]>, returns: Returns): boolean {
  // With a form the request is made by the yes, and a no has nothing to take back.
  if (asked.step.verb !== 'approve' || asked.step.form !== undefined) return false;
  let isCaught = false;
  for (let at: PlacedStep | null = asked; at !== null && !around.has(at.siblings); at = at.parent) {
    isCaught ||= at.step.catch.some(goesOnAfterNo);
    if (isCaught && returns(at.siblings, at.position)) return true;
  }
  return false;
}

/** A no, given or by its time, after which the run is still in the list. */
function goesOnAfterNo({ on, do: steps, then }: CatchClause): boolean {
  const isNo = on.some((word) => word === 'denied' || word === 'expired' || word === 'any');
  const last = steps.at(-1)?.verb;
  return isNo && then === 'continue' && last !== 'fail' && last !== 'end';
}

function listsAround(placed: PlacedStep): ReadonlySet<readonly Step[]> {
  const lists = new Set<readonly Step[]>();
  for (let at: PlacedStep | null = placed; at !== null; at = at.parent) lists.add(at.siblings);
  return lists;
}

/** Of each list how many ways go back over each of its places. */
function returnsOf(graph: FlowGraph): Returns {
  // As differences from the place before: a way costs two numbers, however far it goes.
  const changes = new Map<readonly Step[], number[]>();
  for (const { from, to } of graph.edges) {
    const target = graph.steps[to];
    if (target === undefined) continue;
    const last = placeIn(target.siblings, graph.steps[from] ?? graph.completes(from));
    if (last === null || last < target.position) continue;
    const list = changes.get(target.siblings) ?? target.siblings.map(() => 0);
    changes.set(target.siblings, list);
    list[target.position] = elementAt(list, target.position) + 1;
    if (last + 1 < list.length) list[last + 1] = elementAt(list, last + 1) - 1;
  }
  const covered = new Map([...changes].map(([list, steps]) => [list, summed(steps)]));
  return (list, position) => (covered.get(list)?.[position] ?? 0) > 0;
}

function summed(changes: readonly number[]): readonly number[] {
  let sum = 0;
  return changes.map((change) => {
    sum += change;
    return sum;
  });
}

/** Where in a list a step stands, itself or the group that holds it; null where it stands elsewhere. */
function placeIn(list: readonly Step[], step: PlacedStep | null): number | null {
  for (let at = step; at !== null; at = at.parent) if (at.siblings === list) return at.position;
  return null;
}
