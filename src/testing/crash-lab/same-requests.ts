import type { Warning } from './find-warnings.ts';
import type { ToldStory } from './find-stories.ts';
import type { Lab } from './lab.ts';
import type { Tally } from './lab-report.ts';
import { MENDS } from './mends.ts';
import { play } from './play.ts';
import { asksForTheWorlds } from './world-flow.ts';

/** Steps that ask for what they have found, each run under a key of its own. */
function suspects(lab: Lab): ReadonlySet<string> {
  const calls = [...lab.compiled.steps.values()].flatMap((step) => (step.verb === 'call' ? [step] : []));
  const asking = calls.filter((step) => {
    const { effect, idempotency, transport } = lab.compiled.action(step.action);
    const isAct = effect === 'write' && idempotency?.kind !== 'natural' && transport.kind !== 'child';
    return isAct && step.reach === undefined && asksForTheWorlds(lab, step);
  });
  return new Set(asking.map(({ id }) => id));
}

/** Plays a run beside another one: what both have found in the world and asked for, to the byte, is done twice. */
export async function findSameRequests(
  lab: Lab,
  told: readonly ToldStory[],
  tally: Tally,
): Promise<readonly Warning[]> {
  const ids = suspects(lab);
  const found: Warning[] = [];
  for (const { story, calm } of told) {
    const isMeant = calm.rows.some(({ step, label }) => ids.has(step) && calm.happened.has(label));
    if (!isMeant || story.neighbour === null || found.length > 0) continue;
    tally.plays += 1;
    const beside = await play({ lab, story, trouble: null, withNeighbour: true });
    const rows = beside.rows.filter(({ step, label }) => ids.has(step) && beside.asOthers.has(label));
    const message = 'another run that finds the same asks for the same, to the byte, under another key: both are done';
    found.push(
      ...rows.map(({ label, action }) => ({ effect: label, action, story: story.name, message, mend: MENDS.again })),
    );
  }
  return found;
}
