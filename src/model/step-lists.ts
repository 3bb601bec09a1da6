import type { MapStep, Step, WorkflowDefinition } from './definition.ts';

/** A list of steps that is the body of a group, and its name among the lists of its step. */
export interface BodyList {
  /** Unique in its step, and never the name of a catch list. */
  readonly name: string;
  readonly steps: readonly Step[];
}

/** The name of the list of a map's lane: that of a branch, and of items. @param lane its number from 0. */
export function laneName(lane: number): string {
  return `b_${lane}$item`;
}

/** Whether a map does items side by side. */
export function hasLanes(step: Step): step is MapStep {
  return step.verb === 'map' && step.concurrency > 1;
}

/** The lists that a group is made of, in document order; empty ones and those of other steps are none. */
export function bodyLists(step: Step): readonly BodyList[] {
  switch (step.verb) {
    case 'choose':
      return step.branches.flatMap(({ steps }, index) =>
        steps === null || steps.length === 0 ? [] : [{ name: `branch${index}`, steps }],
      );
    case 'scope':
      return [{ name: 'scope', steps: step.steps }];
    case 'repeat':
      return [{ name: 'turn', steps: step.steps }];
    case 'map':
      return step.lanes === undefined
        ? [{ name: 'item', steps: step.steps }]
        : [step.steps, ...step.lanes].map((steps, lane) => ({ name: laneName(lane), steps }));
    case 'parallel':
      return step.branches.map(({ name, steps }) => ({ name: `b_${name}`, steps }));
    default:
      return [];
  }
}

const GROUPS: ReadonlySet<Step['verb']> = new Set(['choose', 'scope', 'repeat', 'parallel', 'map']);

/** Whether a step is one that holds others, and is where they are. */
export function isGroup(step: Pick<Step, 'verb'>): boolean {
  return GROUPS.has(step.verb);
}

/** The steps directly inside a step, in document order: of its body, then of its catch clauses. */
export function innerSteps(step: Step): readonly Step[] {
  return [...bodyLists(step).flatMap(({ steps }) => steps), ...step.catch.flatMap((clause) => clause.do)];
}

/** Steps with all that stand inside them, each before what is in it. */
export function allSteps(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => [step, ...allSteps(innerSteps(step))]);
}

/** Every step of a definition with all that stands inside it: the way forward, then `finally`. */
export function everyStep({
  steps,
  finally: last = [],
}: Pick<WorkflowDefinition, 'steps' | 'finally'>): readonly Step[] {
  return [...allSteps(steps), ...allSteps(last)];
}
