import type { MapStep, ParallelStep, Step } from '../../model/definition.ts';
import { allSteps, bodyLists } from '../../model/step-lists.ts';
import type { Lab } from './lab.ts';

/** The ids of everything that a group does, without what it does when it has failed. */
function insideOf(group: Step): ReadonlySet<string> {
  return new Set(bodyLists(group).flatMap(({ steps }) => allSteps(steps).map(({ id }) => id)));
}

/** The groups in whose bodies a step stands, outermost first. */
export function groupsAround({ compiled }: Pick<Lab, 'compiled'>, step: string): readonly Step[] {
  return compiled
    .place(step)
    .parents.map((id) => compiled.step(id))
    .filter((group) => insideOf(group).has(step));
}

/** The innermost group with a `timeout` in whose body a step stands; null = none. */
export function timedAround(lab: Pick<Lab, 'compiled'>, step: string): Step | null {
  return groupsAround(lab, step).findLast(({ timeoutMs }) => timeoutMs !== null) ?? null;
}

/** Groups that race, keep what their losers have done, and need no more than so many. */
export function keepingRaces({
  compiled,
}: Pick<Lab, 'compiled'>): readonly { readonly race: ParallelStep | MapStep; readonly needed: number }[] {
  return [...compiled.steps.values()].flatMap((step) => {
    if ((step.verb !== 'parallel' && step.verb !== 'map') || step.losers !== 'keep') return [];
    const { join } = step;
    if (join.kind === 'any') return [{ race: step, needed: 1 }];
    const count = join.kind === 'count' && join.count.kind === 'literal' ? join.count.value : null;
    return typeof count === 'number' ? [{ race: step, needed: count }] : [];
  });
}

/** Which runner of a race an effect belongs to, by name; null = it stands in none of them. @param label of a map it names the item. */
export function runnerOf(race: ParallelStep | MapStep, step: string, label: string): string | null {
  if (race.verb === 'map') return insideOf(race).has(step) ? (/\[.*\]/.exec(label)?.[0] ?? null) : null;
  const branch = race.branches.find(({ steps }) => allSteps(steps).some(({ id }) => id === step));
  return branch?.name ?? null;
}
