import { isEnd } from '../../model/statuses.ts';
import type { Warning } from './find-warnings.ts';
import type { ToldStory } from './find-stories.ts';
import type { Sendable } from './givers.ts';
import type { Lab } from './lab.ts';
import type { Tally } from './lab-report.ts';
import { MENDS } from './mends.ts';
import { play, type Played } from './play.ts';
import { comingLate } from './trouble.ts';

/** Verbs by which a run tells others that it has waited long enough. */
const TELLING: ReadonlySet<string> = new Set(['call', 'publish']);

/** What a play came to, as far as others can see it. */
function traceOf({ status, steps, happened }: Played): string {
  return JSON.stringify([status, [...steps].sort(), [...happened].sort()]);
}

/** The event that a step got in another story. */
function giftFor(lab: Lab, told: readonly ToldStory[], step: string): Sendable | null {
  const waiting = lab.compiled.steps.get(step);
  if (waiting?.verb !== 'await') return null;
  const heard = told.filter(({ story, calm }) => !story.denied.has(step) && calm.steps.has(step));
  const gifts = heard.flatMap(({ calm }) => calm.gifts);
  return gifts.find((gift) => gift.kind === 'event' && gift.event.name === waiting.event) ?? null;
}

/** Whether a story that has waited in vain does something that it does not do otherwise: who sends the event may hear of it. */
function tellsOthers(lab: Lab, own: ToldStory, told: readonly ToldStory[]): boolean {
  const others = told.filter(({ story }) => story.denied.size === 0);
  const isOwn = (step: string): boolean => !others.some(({ calm }) => calm.steps.has(step));
  return [...own.calm.steps].some((id) => TELLING.has(lab.compiled.steps.get(id)?.verb ?? '') && isOwn(id));
}

/** Sends what runs have waited for in vain, when they wait no more: an event that then moves nothing is warned of. */
export async function findLateEvents(lab: Lab, told: readonly ToldStory[], tally: Tally): Promise<readonly Warning[]> {
  const found: Warning[] = [];
  for (const own of told) {
    const { story, calm } = own;
    for (const step of story.denied) {
      const gift = giftFor(lab, told, step);
      if (gift?.kind !== 'event' || tellsOthers(lab, own, told)) continue;
      // Another wait of the same run takes it.
      if (calm.gifts.some((other) => other.kind === 'event' && other.event.name === gift.event.name)) continue;
      tally.plays += 1;
      const trouble = comingLate(step);
      const late = await play({ lab, story, trouble, gifts: [gift], withNeighbour: false });
      if (late.problems.length > 0 || !late.cameLate || traceOf(late) !== traceOf(calm)) continue;
      const { name } = gift.event;
      const fate = isEnd(calm.status) ? 'its sender is told `ended`' : 'it is kept, and nobody takes it';
      const message = `a ${name} that comes when ${step} waits no more moves nothing: ${fate}`;
      found.push({ effect: step, action: name, story: story.name, message, mend: MENDS.late });
    }
  }
  return found;
}
