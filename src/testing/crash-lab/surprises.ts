import { isEnd } from '../../model/statuses.ts';
import type { ApproveStep, CallStep, Handler } from '../../model/definition.ts';
import { boundaryWords } from './boundaries.ts';
import type { ToldStory } from './find-stories.ts';
import { isUndoable, type Warning } from './find-warnings.ts';
import type { Draw } from './generate-value.ts';
import { type Fault, judgePlay } from './judge-play.ts';
import type { Lab } from './lab.ts';
import { firstVisit, type Reliance, type Tally, type Target } from './lab-report.ts';
import { MENDS } from './mends.ts';
import { play, type Played } from './play.ts';
import type { PlayedRow } from './play-records.ts';
import { type Surprise, surprising } from './trouble.ts';
import { expressionsIn, guardsOf, varsBehind } from './var-flow.ts';

/** What an event brings: something small, and something that is beyond every limit. */
const DRAWS: readonly Draw[] = [
  { no: 7, pick: 0, size: 7 },
  { no: 8, pick: 1, size: 1_000_001 },
];

/** A handler of a step that a story comes to. */
interface Ask {
  readonly lab: Lab;
  readonly told: ToldStory;
  readonly targets: readonly Target[];
  readonly tally: Tally;
  readonly step: string;
  readonly handler: Handler;
  /** What the author may not have meant. */
  readonly warnings: Warning[];
}

function latest({ rows }: Played): ReadonlyMap<string, PlayedRow> {
  return new Map(rows.filter(({ isUndo }) => !isUndo).map((row) => [row.label, row]));
}

/** What a play has done: which steps, with which requests. */
function doneIn(played: Played): ReadonlySet<string> {
  const done = [...latest(played).values()].filter(({ label }) => played.happened.has(label));
  return new Set(done.map(({ step, request }) => JSON.stringify([step, request])));
}

/** Effects that happened with another request than without the event, or only with it. */
function otherIn(played: Played, calm: Played): readonly PlayedRow[] {
  const before = doneIn(calm);
  return [...latest(played).values()].filter(
    ({ label, step, request }) => played.happened.has(label) && !before.has(JSON.stringify([step, request])),
  );
}

async function playWith({ lab, told, tally, step, handler }: Ask, comes: Surprise['comes'], draw: Draw) {
  const trouble = surprising({ step, handler, draw, comes });
  tally.plays += 1;
  return { trouble, played: await play({ lab, story: told.story, trouble, withNeighbour: false }) };
}

function tell(
  { targets, tally }: Ask,
  { trouble, played }: Awaited<ReturnType<typeof playWith>>,
  faults: readonly Fault[],
) {
  const placeOf = ({ label }: Fault): Target | undefined =>
    targets.find((target) => target.label === label) ??
    targets.find((target) => label !== null && target.label === firstVisit(label)) ??
    targets[0];
  for (const target of targets) {
    tally.mark(
      target,
      trouble,
      played,
      faults.filter((fault) => placeOf(fault) === target),
    );
  }
}

/** Whether what the handler sets is read by both. */
function isBehindBoth(
  { lab, handler }: Ask,
  call: CallStep,
  approval: readonly Parameters<typeof varsBehind>[1][number][],
): boolean {
  const sent = varsBehind(lab, expressionsIn([call.with]));
  const decided = varsBehind(lab, approval);
  return handler.set.some(([name]) => sent.has(name) && decided.has(name));
}

/** What was sent is not what people saw, or people would have been asked about it. */
function judgeApprovals(ask: Ask, played: Played, calm: Played): readonly Fault[] {
  const { lab, handler } = ask;
  const order = [...lab.compiled.steps.values()];
  const approvals = order.filter((step): step is ApproveStep => step.verb === 'approve');
  return otherIn(played, calm)
    .filter(({ step }) => calm.rows.some((row) => row.step === step && calm.happened.has(row.label)))
    .flatMap(({ label, step: id }): readonly Fault[] => {
      const call = lab.compiled.steps.get(id);
      if (call?.verb !== 'call') return [];
      const before = approvals.filter((approval) => order.indexOf(approval) < order.indexOf(call));
      return before.flatMap((approval): readonly Fault[] => {
        const message = whyNotApproved(ask, { call, approval, played, calm });
        if (message === null) return [];
        return [{ kind: 'stray', label, message: `${message} before ${handler.event}`, mend: MENDS.unapproved }];
      });
    });
}

function whyNotApproved(
  ask: Ask,
  { call, approval, played, calm }: { call: CallStep; approval: ApproveStep; played: Played; calm: Played },
): string | null {
  const { id } = approval;
  const seen = played.approvals.findLast(({ step, isApproved }) => step === id && isApproved);
  const isAsBefore = calm.approvals.some(({ step, shown }) => step === id && shown === seen?.shown);
  if (isAsBefore && isBehindBoth(ask, call, expressionsIn([approval.title, approval.subject])))
    return `it happened with what nobody approved: ${id} showed what it was`;
  const guards = (guardsOf(ask.lab.definition.steps).get(id) ?? []).map(({ when }) => when);
  if (played.passedBy.has(id) && isBehindBoth(ask, call, guards))
    return `it happened with what ${id} would be asked for, and was passed by for what it was`;
  return null;
}

/** What was under way is done, and done again behind it. */
function judgeAgain({ lab, step, handler }: Ask, played: Played, calm: Played): readonly Fault[] {
  const rows = latest(played);
  const first = rows.get(step);
  const isDone = played.happened.has(step) && !played.happened.has(`undo ${step}`);
  if (first === undefined || !isDone || lab.compiled.action(first.action).idempotency?.kind === 'natural') return [];
  const message = `it happened again, with the same request, when ${handler.event} came while ${step} was under way`;
  return [...rows.values()]
    .filter(
      ({ label, action, request }) =>
        label !== step &&
        action === first.action &&
        request === first.request &&
        played.happened.has(label) &&
        !calm.happened.has(label),
    )
    .map(({ label }) => ({ kind: 'double', label, message, mend: MENDS.jumped }));
}

/** What was under way is done and stands, and what it was done for is not done any more. */
function leftByEvent({ lab, told, step, handler }: Ask, played: Played, calm: Played): readonly Warning[] {
  const row = latest(played).get(step);
  if (row === undefined || !isEnd(played.status) || !isUndoable(lab, row)) return [];
  const stands = played.happened.has(step) && !played.happened.has(`undo ${step}`);
  const isCutShort =
    [...calm.happened.keys()].some((label) => label !== step && !played.happened.has(label)) &&
    [...played.happened.keys()].every((label) => calm.happened.has(label));
  if (!stands || !isCutShort) return [];
  const message = `it is done and stands although ${handler.event} came while it was under way, and what comes behind it is not done`;
  return [{ effect: step, action: row.action, story: told.story.name, message, mend: MENDS.off }];
}

/** The event comes once, with each of the data. */
async function comesOnce(ask: Ask): Promise<void> {
  const { calm } = ask.told;
  for (const draw of DRAWS) {
    const told = await playWith(ask, 'once', draw);
    const { played } = told;
    if (played.problems.length > 0) continue;
    tell(ask, told, [
      ...judgePlay(played, calm),
      ...judgeApprovals(ask, played, calm),
      ...judgeAgain(ask, played, calm),
    ]);
    ask.warnings.push(...leftByEvent(ask, played, calm));
  }
}

/** An event about something else is not taken. */
async function comesForeign(ask: Ask, draw: Draw): Promise<void> {
  const told = await playWith(ask, 'foreign', draw);
  const message = 'it happened on an event that was about something else';
  const other = otherIn(told.played, ask.told.calm);
  tell(
    ask,
    told,
    other.map(({ label }) => ({ kind: 'stray', label, message, mend: MENDS.stray })),
  );
}

/** What depends on who sends the event: it says the same twice, under two ids. */
async function comesTwice(ask: Ask, draw: Draw): Promise<readonly Reliance[]> {
  const once = await playWith(ask, 'once', draw);
  const twice = await playWith(ask, 'twice', draw);
  const [first] = otherIn(twice.played, once.played);
  if (first === undefined) return [];
  return [
    {
      effect: first.label,
      action: first.action,
      promise: `who sends ${ask.handler.event} gives what is sent again the same id`,
      otherwise: `it happens otherwise on one event that came twice (${boundaryWords('events')})`,
    },
  ];
}

/** Sends what steps take by `on` while they are under way: each handler in the first story that comes to its step. */
export async function trySurprises(
  lab: Lab,
  told: readonly ToldStory[],
  targets: readonly Target[],
  tally: Tally,
): Promise<{ readonly relies: readonly Reliance[]; readonly warnings: readonly Warning[] }> {
  const relies: Reliance[] = [];
  const warnings: Warning[] = [];
  const [draw = { no: 7, pick: 0, size: 7 }] = DRAWS;
  for (const one of told) {
    const { story, calm } = one;
    if (calm.status === 'HELD' || story.declined.size + story.away.size + story.denied.size > 0) continue;
    const own = targets.filter(({ label, effect }) => effect === label && calm.happened.has(label));
    for (const { step, handler } of handlersOf(lab, calm)) {
      const ask: Ask = { lab, told: one, targets: own, tally, step, handler, warnings };
      await comesOnce(ask);
      await comesForeign(ask, draw);
      relies.push(...(await comesTwice(ask, draw)));
    }
  }
  return { relies, warnings };
}

/** What a step takes while it is under way: by its own handlers, and by the document's, which are tried in each step. */
function handlersOf({ compiled, definition }: Lab, { steps }: Played): readonly Pick<Ask, 'step' | 'handler'>[] {
  return [...steps].flatMap((step) =>
    [...(compiled.steps.get(step)?.on ?? []), ...(definition.on ?? [])].map((handler) => ({ step, handler })),
  );
}
