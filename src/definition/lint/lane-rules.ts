import type { MapStep, Step, WorkflowDefinition } from '../../model/definition.ts';
import { bodyLists, hasLanes, innerSteps } from '../../model/step-lists.ts';
import type { LintContext } from './lint-context.ts';

/**
 * How many copies of steps the lanes of a file may be: a machine holds each step once for every lane that it may be under way in.
 * Measured: 1 000 copies are a stored machine of 3 MB that is ready to run within half a second.
 */
const LANE_STEPS_MAX = 1_000;

/** Maps in maps multiply their lanes: a file whose machine would be too large says where to take some away. */
export function lintLanes({ definition, report }: LintContext): void {
  let copies = 0;
  for (const map of outermost(definition)) {
    const before = copies;
    copies += copiesIn(map.steps, map.concurrency);
    if (copies <= LANE_STEPS_MAX || before > LANE_STEPS_MAX) continue;
    const others = before === 0 ? '' : ` with the ${before} of maps before it`;
    report({
      code: 'PAWL-271',
      pointer: `${map.pointer}/concurrency`,
      message: `the lanes of "${map.id}" hold ${copies - before} copies of steps${others}: a file may have ${LANE_STEPS_MAX}`,
      help: 'write a smaller "concurrency" here, or at a map inside it; "concurrency: 1" does one item after the other',
    });
  }
}

/** Maps with lanes that stand in no other one. */
function outermost({ steps, finally: last = [] }: WorkflowDefinition): readonly MapStep[] {
  return [...steps, ...last].flatMap(lanedIn);
}

function lanedIn(step: Step): readonly MapStep[] {
  return hasLanes(step) ? [step] : innerSteps(step).flatMap(lanedIn);
}

/** How often the steps of a list are there, with all that stand in them, where each is there so many times. */
function copiesIn(steps: readonly Step[], times: number): number {
  return steps.reduce((sum, step) => {
    const inside = hasLanes(step) ? times * step.concurrency : times;
    const body = bodyLists(step).flatMap((list) => list.steps);
    const clauses = step.catch.flatMap((clause) => clause.do);
    return sum + times + copiesIn(body, inside) + copiesIn(clauses, times);
  }, 0);
}
