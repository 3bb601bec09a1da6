import type { Step } from '../../model/definition.ts';
import { isInBranch } from './branch-rules.ts';
import type { PlacedStep } from './flow-graph.ts';
import type { LintContext } from './lint-context.ts';

/** A race that a step is in, with the list that it is in there: a branch, or the steps of an item. */
interface Entry {
  readonly race: Step;
  readonly list: readonly Step[];
}

/** What a loser of a race has done is undone before the next step: where nothing undoes it, it stands beside what the winner did. */
export function lintRaces({ graph, action, report }: LintContext): void {
  const acts = graph.steps.flatMap((placed) => {
    const { step } = placed;
    const contract = step.verb === 'call' ? action(step.action) : null;
    if (step.verb !== 'call' || contract?.effect !== 'write' || placed.isLast) return [];
    return [{ step, undo: step.compensate ?? contract.compensate, entries: entriesOf(placed) }];
  });
  const lists = new Map<Step, Set<readonly Step[]>>();
  for (const { race, list } of acts.flatMap(({ entries }) => entries))
    lists.set(race, (lists.get(race) ?? new Set()).add(list));
  for (const { step, undo, entries } of acts) {
    // Where one branch alone acts, its act is not one of two.
    const entry = entries.find(({ race }) => race.verb === 'map' || lists.get(race)?.size !== 1);
    if (undo?.kind !== 'none' || entry === undefined) continue;
    report({
      code: 'PAWL-361',
      severity: 'warning',
      pointer: `${step.pointer}/call`,
      message: `"${step.id}" stands where it has lost the race "${entry.race.id}": by "compensate: none" nothing undoes it`,
      help: 'say how it is undone, or try one after the other ("catch"); "losers: keep" if it is to stand',
    });
  }
}

function entriesOf(placed: PlacedStep): readonly Entry[] {
  const found: Entry[] = [];
  for (let at: PlacedStep | null = placed; at !== null; at = at.parent) {
    const { parent, siblings: list } = at;
    if (parent !== null && isInBranch(at) && hasLosers(parent.step)) found.push({ race: parent.step, list });
  }
  return found;
}

/** Whether what is in a step may be done and not be needed, and is undone then. */
function hasLosers(step: Step): boolean {
  if ((step.verb !== 'parallel' && step.verb !== 'map') || step.losers === 'keep') return false;
  const { join } = step;
  if (join.kind === 'percent') return !(join.percent.kind === 'literal' && Number(join.percent.value) >= 100);
  if (join.kind !== 'count' || step.verb === 'map' || join.count.kind !== 'literal') return join.kind !== 'all';
  return Number(join.count.value) < step.branches.length;
}
