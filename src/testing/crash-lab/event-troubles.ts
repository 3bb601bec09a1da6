import { boundaryWords } from './boundaries.ts';
import type { ToldStory } from './find-stories.ts';
import type { Fault } from './judge-play.ts';
import type { Lab } from './lab.ts';
import type { Reliance, Tally, Target } from './lab-report.ts';
import { MENDS } from './mends.ts';
import { play, type Played } from './play.ts';
import type { PlayedRow } from './play-records.ts';
import { EVENT_TROUBLES, type Trouble } from './trouble.ts';

/** A story whose run waits for events, and its effects in the table. */
interface Heard {
  readonly lab: Lab;
  readonly told: ToldStory;
  readonly targets: readonly Target[];
  readonly tally: Tally;
}

function playWith({ lab, told, tally }: Heard, trouble: Trouble): Promise<Played> {
  tally.plays += 1;
  return play({ lab, story: told.story, trouble, withNeighbour: false });
}

/** Effects that happened in one play and not in the other. */
function moreIn(played: Played, without: Played): readonly PlayedRow[] {
  const rows = new Map(played.rows.map((row) => [row.label, row]));
  return [...rows.values()].filter(({ label }) => played.happened.has(label) && !without.happened.has(label));
}

/** What a play of events has shown of the effects in the table. */
function tell({ targets, tally }: Heard, trouble: Trouble, played: Played, faults: readonly Fault[]): void {
  for (const target of targets) {
    const own = faults.filter(({ label }) => label === target.label);
    tally.mark(target, trouble, played, own);
  }
}

/** An effect that did the same before, and that doing it again does not leave as it is. */
function isDoneAgain(lab: Lab, played: Played, row: PlayedRow): boolean {
  if (lab.compiled.action(row.action).idempotency?.kind === 'natural') return false;
  return played.rows.some(
    ({ label, action, request }) =>
      label !== row.label && played.happened.has(label) && action === row.action && request === row.request,
  );
}

/** A sender that tells one event twice, each time under an id of its own. */
async function repeatEvents(heard: Heard): Promise<readonly Reliance[]> {
  const { once, repeated } = EVENT_TROUBLES;
  const told = await playWith(heard, once);
  const again = await playWith(heard, repeated);
  const more = moreIn(again, told);
  const doubled = more.filter((row) => isDoneAgain(heard.lab, again, row));
  const message = 'it happened again, with the same request, when one event came a second time under a new id';
  tell(
    heard,
    repeated,
    again,
    doubled.map(({ label }) => ({ kind: 'double', label, message, mend: MENDS.repeated })),
  );
  const [first] = more.filter((row) => !doubled.includes(row));
  if (first === undefined || doubled.length > 0) return [];
  const names = [...new Set(again.gifts.flatMap((gift) => (gift.kind === 'event' ? [gift.event.name] : [])))];
  return [
    {
      effect: first.label,
      action: first.action,
      promise: `who sends ${names.join(', ')} gives what is sent again the same id`,
      otherwise: `it happens on one event that came twice (${boundaryWords('events')})`,
    },
  ];
}

/** An event that is about something else. */
async function strayEvents(heard: Heard): Promise<void> {
  const { none, foreign } = EVENT_TROUBLES;
  const stray = await playWith(heard, foreign);
  if (!stray.gifts.some(({ kind }) => kind === 'event')) return;
  const more = moreIn(stray, await playWith(heard, none));
  const message = 'it happened on an event that was about something else';
  tell(
    heard,
    foreign,
    stray,
    more.map(({ label }) => ({ kind: 'stray', label, message, mend: MENDS.stray })),
  );
}

/** Sends a story's events again under new ids, and events about something else. */
export async function tryEvents(heard: Heard): Promise<readonly Reliance[]> {
  const { lab, told } = heard;
  if (!told.calm.gifts.some(({ kind }) => kind === 'event') && lab.scenario.events.length === 0) return [];
  await strayEvents(heard);
  return repeatEvents(heard);
}
