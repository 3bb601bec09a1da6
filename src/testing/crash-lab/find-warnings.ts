import { compensationOf } from '../../decision/effect-policy.ts';
import type { ToldStory } from './find-stories.ts';
import { groupsAround, keepingRaces, runnerOf, timedAround } from './groups.ts';
import type { Lab } from './lab.ts';
import { MENDS } from './mends.ts';
import type { PlayedRow } from './play-records.ts';

/** Something that the author has said and may not have meant: the books are right, and somebody may be out of pocket. */
export interface Warning {
  readonly effect: string;
  readonly action: string;
  readonly story: string;
  readonly message: string;
  readonly mend: string;
}

/** Verbs whose steps go on side by side. */
const BESIDE: ReadonlySet<string> = new Set(['parallel', 'map']);
/** Ends of runs that were to come to nothing. */
const ENDED_BADLY: ReadonlySet<string> = new Set(['FAILED', 'COMPENSATED', 'CANCELLED']);

function standing({ calm }: ToldStory): readonly PlayedRow[] {
  return calm.rows.filter(
    ({ label, isUndo }) => !isUndo && calm.happened.has(label) && !calm.happened.has(`undo ${label}`),
  );
}

function isPivot(lab: Lab, { step: id }: PlayedRow): boolean {
  const step = lab.compiled.steps.get(id);
  return step?.verb === 'call' && step.pivot;
}

function saysNone(lab: Lab, { step: id, action }: PlayedRow): boolean {
  const step = lab.compiled.steps.get(id);
  return step?.verb === 'call' && compensationOf(step, lab.compiled.action(action))?.kind === 'none';
}

/** Whether the file says how it is undone. */
export function isUndoable(lab: Lab, { step: id, action }: Pick<PlayedRow, 'step' | 'action'>): boolean {
  const step = lab.compiled.steps.get(id);
  return step?.verb === 'call' && compensationOf(step, lab.compiled.action(action))?.kind === 'call';
}

/** What was done for nothing: a later step failed, and nothing undoes it. */
function doneForNothing(lab: Lab, told: ToldStory): readonly Warning[] {
  const { story, calm } = told;
  if (!ENDED_BADLY.has(calm.status)) return [];
  return standing(told)
    .filter((row) => saysNone(lab, row))
    .map(({ label, action }) => ({
      effect: label,
      action,
      story: story.name,
      message: `it stands although the run is ${calm.status}: by \`compensate: none\` nothing undoes it`,
      mend: MENDS.stands,
    }));
}

/** What can be refused behind the point of no return: nothing is undone any more, and nothing goes on. */
function strandedBehind(lab: Lab, told: ToldStory): readonly Warning[] {
  const { story, calm } = told;
  const pivot = standing(told).find((row) => isPivot(lab, row));
  if (pivot === undefined || calm.status !== 'HELD') return [];
  const left = standing(told).map(({ label }) => label);
  return calm.rows
    .filter(({ label }) => story.declined.has(label))
    .map(({ label, action }) => ({
      effect: label,
      action,
      story: story.name,
      message: `refused behind the pivot ${pivot.label} it holds the run until a person decides; what stands: ${left.join(', ')}`,
      mend: MENDS.stranded,
    }));
}

/** Whether a step comes behind an approval, not beside it in another branch or for another item. */
function isBehind(lab: Lab, step: string, approval: string): boolean {
  const { compiled } = lab;
  const order = [...compiled.steps.keys()];
  const around = compiled.place(approval).parents.filter((id) => BESIDE.has(compiled.step(id).verb));
  const isBeside = around.some((id) => compiled.place(step).parents.includes(id));
  return order.indexOf(step) > order.indexOf(approval) && !isBeside && !compiled.isLast(step);
}

/** What is done when people have said no as it is when they have said yes. */
function doneThoughDenied(lab: Lab, { story, calm }: ToldStory, told: readonly ToldStory[]): readonly Warning[] {
  const denied = [...story.denied].filter((step) => lab.compiled.step(step).verb === 'approve');
  const approved = told.filter((other) => other.story.denied.size === 0);
  const isSame = ({ label }: PlayedRow): boolean => approved.some((other) => other.calm.happened.has(label));
  return denied.flatMap((approval) =>
    calm.rows
      .filter((row) => calm.happened.has(row.label) && isSame(row) && isBehind(lab, row.step, approval))
      .map(({ label, action }) => ({
        effect: label,
        action,
        story: story.name,
        message: `it happens although ${approval} is denied, as if it were approved`,
        mend: MENDS.denied,
      })),
  );
}

/** Whether doing it again changes nothing, or is up to a workflow of its own. */
function isHarmless(lab: Lab, { action }: PlayedRow): boolean {
  const { transport, idempotency } = lab.compiled.action(action);
  return transport.kind === 'child' || idempotency?.kind === 'natural';
}

/** What was asked for twice in one run, to the byte, and done twice: an undo beside one made by hand, items that do not differ. */
function askedTwice(lab: Lab, { story, calm }: ToldStory): readonly Warning[] {
  const first = new Map<string, PlayedRow>();
  return calm.rows.flatMap((row): readonly Warning[] => {
    const { action, label, request } = row;
    if (isHarmless(lab, row) || !calm.happened.has(label)) return [];
    const name = JSON.stringify([action, request]);
    const before = first.get(name);
    first.set(name, before ?? row);
    if (before === undefined || before.label === label) return [];
    const message = `it asks for the same as ${before.label}, to the byte, and both are done`;
    return [{ effect: label, action, story: story.name, message, mend: MENDS.asked }];
  });
}

/** The group around a row by which a failure inside it was handled, and its code; null = none was. */
function leftGroup(
  lab: Lab,
  { step: id }: PlayedRow,
  { calm }: ToldStory,
): readonly [group: string, code: string] | null {
  const around = groupsAround(lab, id);
  for (const [failed, code] of calm.codes) {
    const own = lab.compiled.steps.get(failed);
    const outward = [...(own === undefined ? [] : [own]), ...groupsAround(lab, failed).toReversed()];
    const handler = outward.find((step) => step.catch.length > 0);
    if (handler !== undefined && around.includes(handler)) return [handler.id, code];
  }
  return null;
}

/** Whether a story leaves by an `end` where a step fails, without doing anything that is not done otherwise. */
function endsEarly(lab: Lab, { story, calm }: ToldStory, told: readonly ToldStory[]): string | null {
  const good = told.filter((other) => other.story.denied.size + other.story.declined.size === 0);
  const isUsual = (step: string): boolean => good.some((other) => other.calm.steps.has(step));
  if (calm.status !== 'COMPLETED' || ![...calm.steps].every(isUsual)) return null;
  const failed = [...calm.codes.keys()].filter((id) => story.denied.has(id) || story.declined.has(id));
  const leaves = (id: string): boolean =>
    lab.compiled.steps.get(id)?.catch.some(({ then, next }) => then === 'end' || next === 'end') === true;
  return failed.find(leaves) ?? null;
}

/** What can be undone and stands although the run has left the way on which it was done. */
function leftStanding(lab: Lab, own: ToldStory, told: readonly ToldStory[]): readonly Warning[] {
  if (own.calm.status === 'HELD') return [];
  const ended = endsEarly(lab, own, told);
  return standing(own).flatMap((row): readonly Warning[] => {
    const group = leftGroup(lab, row, own);
    if ((group ?? ended) === null || !isUndoable(lab, row) || own.story.slow.has(row.label)) return [];
    const why = group === null ? `the run ends when ${ended} fails` : `${group[0]} was left by ${group[1]}`;
    const message = `it stands although ${why}, and nobody undoes it`;
    return [{ effect: row.label, action: row.action, story: own.story.name, message, mend: MENDS.left }];
  });
}

/** What a group had on its way when its time was over, and nobody undid. */
function doneTooLate(lab: Lab, told: ToldStory): readonly Warning[] {
  const { story, calm } = told;
  if (calm.status === 'HELD') return [];
  return standing(told).flatMap(({ label, step, action }): readonly Warning[] => {
    const group = timedAround(lab, step);
    if (!story.slow.has(label) || group === null || calm.codes.get(group.id) !== 'timeout') return [];
    const message = `it takes longer than ${group.id} may, is done all the same, and stands although ${group.id} was left by timeout`;
    return [{ effect: label, action, story: story.name, message, mend: MENDS.slow }];
  });
}

/** Rows in the order of the file. */
function inOrder({ compiled }: Lab, rows: readonly PlayedRow[]): readonly PlayedRow[] {
  const order = [...compiled.steps.keys()];
  return [...rows].sort((left, right) => order.indexOf(left.step) - order.indexOf(right.step));
}

/** More acts of a race than it needs stand at the end. */
function keptLosers(lab: Lab, told: ToldStory): readonly Warning[] {
  const { story } = told;
  return keepingRaces(lab).flatMap(({ race, needed }): readonly Warning[] => {
    const runners = new Map<string, PlayedRow>();
    for (const row of inOrder(lab, standing(told))) {
      const runner = runnerOf(race, row.step, row.label);
      if (runner !== null && !isHarmless(lab, row)) runners.set(runner, row);
    }
    const rows = [...runners.values()];
    const [last] = rows.slice(-1);
    if (rows.length <= needed || last === undefined) return [];
    const beside = rows.slice(0, -1).map(({ label }) => label);
    const enough = needed === 1 ? 'one is' : `${needed} are`;
    const message = `it stands at the end beside ${beside.join(', ')}, where ${enough} enough for ${race.id}: \`losers: keep\` undoes none of them`;
    return [{ effect: last.label, action: last.action, story: story.name, message, mend: MENDS.kept }];
  });
}

/** What was told to others before it came to nothing, and nobody tells them otherwise. */
function toldForNothing(lab: Lab, { story, calm }: ToldStory, told: readonly ToldStory[]): readonly Warning[] {
  if (!ENDED_BADLY.has(calm.status)) return [];
  const good = told.filter((other) => other.calm.status === 'COMPLETED');
  const isGood = (step: string): boolean => good.some((other) => other.calm.steps.has(step));
  const published = [...calm.steps].flatMap((id) => {
    const step = lab.compiled.steps.get(id);
    return step?.verb === 'publish' ? [step] : [];
  });
  // Whoever publishes only where it fails says so; so does a `finally`, which knows the end.
  if (published.some(({ id }) => !isGood(id) || lab.compiled.isLast(id))) return [];
  return published.map(({ id, event }) => ({
    effect: id,
    action: event,
    story: story.name,
    message: `what it told stands although the run is ${calm.status}: nobody who heard it is told otherwise`,
    mend: MENDS.told,
  }));
}

/** Looks through stories without any trouble for what stands at their ends. */
export function findWarnings(lab: Lab, told: readonly ToldStory[]): readonly Warning[] {
  const all = told.flatMap((one) => [
    ...doneForNothing(lab, one),
    ...strandedBehind(lab, one),
    ...doneThoughDenied(lab, one, told),
    ...askedTwice(lab, one),
    ...doneTooLate(lab, one),
    ...leftStanding(lab, one, told),
    ...keptLosers(lab, one),
    ...toldForNothing(lab, one, told),
  ]);
  return distinct(all);
}

/** The first that says the same of an effect stands for all. */
export function distinct(all: readonly Warning[]): readonly Warning[] {
  const known = new Map<string, Warning>();
  for (const warning of all) {
    const name = JSON.stringify([warning.effect, warning.mend]);
    if (!known.has(name)) known.set(name, warning);
  }
  return [...known.values()];
}
