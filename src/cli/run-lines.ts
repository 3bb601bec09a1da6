import type { Verbs } from '../app/verbs.ts';
import type { Json } from '../model/json.ts';
import { EFFECT_STATES } from '../model/statuses.ts';
import type { Paint } from './paint.ts';
import { pad, terminalText } from './terminal-text.ts';
import { counted, spanWords, timeWords } from './time-words.ts';

/** A run as `show` gives it. */
export type RunView = Awaited<ReturnType<Verbs['show']>>;

type Effect = RunView['effects'][number];
type Step = RunView['steps'][number];
type Message = RunView['messages'][number];

const ENDED_BADLY = new Set(['FAILED', 'COMPENSATED', 'COMPENSATED_WITH_ERRORS', 'CANCELLED', 'TERMINATED']);

/** Whether a run has ended otherwise than COMPLETED. */
export function endedBadly(status: string): boolean {
  return ENDED_BADLY.has(status);
}

/** A run as an indented list of its steps with marks: fits 80 columns and says everything in words too. */
export function runLines(run: RunView, paint: Paint): readonly string[] {
  const forward = new Map(
    run.effects.filter((effect) => effect.compensates === null).map((effect) => [effect.step, effect]),
  );
  const depths = depthsOf(run.steps);
  const shown = run.steps.filter((step) => step.status !== 'pending' || step.parent === null || forward.has(step.id));
  return [
    `${paint.strong(`${run.workflow}@${run.version}`)}  ${terminalText(keyOf(run))}  ${paint.quiet(run.id)}`,
    ...stateLines(run, paint),
    ...prunedLines(run, paint),
    ...shown.flatMap((step) => stepLines(step, forward.get(step.id), { paint, depth: depths.get(step.id) ?? 0 })),
    ...run.effects.filter((effect) => effect.compensates !== null).map((effect) => undoLine(effect, paint)),
    ...keptLines(run, paint),
    ...familyLines(run, paint),
    ...run.effects.flatMap((effect) => troubleLines(effect, paint)),
    ...run.pastOrders.map((past) => pastOrderLine(past, paint)),
    ...orderLines(run.order, paint),
    ...pausedLines(run, paint),
    ...run.waitingFor.flatMap((waiting) => waitingLines(waiting, paint)),
    ...run.messages.map((message) => messageLine(message, paint)),
    ...failureLines(run.failure, paint),
    ...failureLines(run.finallyFailed ?? null, paint, 'finally failed: '),
    statusLine(run, paint),
  ];
}

/** Who has stopped it, and how it goes on. */
function pausedLines({ id, paused }: RunView, paint: Paint): readonly string[] {
  if (paused === undefined) return [];
  const words = `paused by ${paused.by} since ${timeWords(paused.since)} (${paused.reason}): pawl resume ${id}`;
  return [`  ${paint.warn('‖')} ${terminalText(words)}`];
}

/** Forward rows of a run whose steps are not known any more. */
function keptLines({ prunedAt, effects }: RunView, paint: Paint): readonly string[] {
  if (prunedAt === undefined) return [];
  return effects
    .filter(({ compensates }) => compensates === null)
    .map((effect) => {
      const mark = effect.state === 'CONFIRMED' ? paint.good('✔') : paint.quiet('·');
      const facts = [effect.action, effect.state, effect.externalId ?? '', attemptWords(effect)];
      const words = facts.filter((fact) => fact !== '').map(terminalText);
      return `  ${mark} ${pad(terminalText(effect.step), 18)} ${words.join('  ')}`;
    });
}

/** The run that has started it, and those that it has started. */
function familyLines({ parent, children = [] }: RunView, paint: Paint): readonly string[] {
  const above =
    parent === undefined
      ? []
      : [`step ${parent.step} of ${parent.id}${parent.detached ? ', which does not wait for it' : ''}`];
  const below = children.map(({ step, id, workflow, version, status }) =>
    [pad(terminalText(step), 18), id, `${workflow}@${version}`, status ?? 'not started yet'].join(' '),
  );
  return [
    ...above.map((words) => `  ${paint.quiet('↑')} child of ${terminalText(words)}`),
    ...below.map((words) => `  ${paint.now('↳')} ${words}`),
  ];
}

/** The states in which a machine rests. */
function stateLines({ states = [] }: RunView, paint: Paint): readonly string[] {
  return states.length === 0 ? [] : [`  ${paint.now('◆')} in ${terminalText(states.join(', '))}`];
}

/** What is left of a run whose time was over: its proof. */
function prunedLines({ prunedAt }: RunView, paint: Paint): readonly string[] {
  if (prunedAt === undefined) return [];
  const words = `its state was pruned ${timeWords(prunedAt)}: kept are receipts, effect keys, approvals and acts; it cannot be undone any more`;
  return [`  ${paint.quiet('□')} ${words}`];
}

/** A key that was freed has more runs than one: their numbers tell them apart. */
function keyOf({ key, startNumber }: RunView): string {
  return startNumber === undefined ? key : `${key}#${startNumber}`;
}

/** A person's order that is on its way, and what it waits for. */
function orderLines(order: RunView['order'], paint: Paint): readonly string[] {
  if (order === null) return [];
  const { act, state, by, reason, at, waitsFor } = order;
  const when = at === null ? '' : ` ${timeWords(at)}`;
  const steps = waitsFor.join(', ');
  const then = {
    accepted: waitsFor.length === 0 ? '' : `, waits for ${steps} to be decided`,
    recorded: `: applies if ${steps} did not happen, lapses if it did`,
  }[state];
  return [`  ${paint.now('■')} ${terminalText(`${act} ${state}${when} by ${by} (${reason})${then}`)}`];
}

const PAST_WORDS: Readonly<Record<RunView['pastOrders'][number]['end'], string>> = {
  pivot: 'lapsed: the point of no return was confirmed',
  terminated: 'lapsed: the run was terminated',
  followed: 'another order followed',
};

/** A person's order that the run does not follow any more, and why. */
function pastOrderLine({ act, by, reason, at, end, endedAt }: RunView['pastOrders'][number], paint: Paint): string {
  const words = `${act} ${timeWords(at)} by ${by} (${reason}): ${PAST_WORDS[end]} ${timeWords(endedAt)}`;
  return `  ${paint.quiet('□')} ${terminalText(words)}`;
}

function failureLines(failure: Json, paint: Paint, before = ''): readonly string[] {
  const code = factOf(failure, 'code');
  if (code === null) return [];
  const step = factOf(failure, 'step');
  const words = `${before}${code}${step === null ? '' : ` at ${step}`}: ${factOf(failure, 'message') ?? ''}`;
  return [`  ${paint.bad('!')} ${terminalText(words)}`];
}

function factOf(failure: Json, name: 'code' | 'message' | 'step'): string | null {
  if (typeof failure !== 'object' || failure === null) return null;
  const fact: unknown = Reflect.get(failure, name);
  return typeof fact === 'string' ? fact : null;
}

function depthsOf(steps: readonly Step[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const step of steps) depths.set(step.id, step.parent === null ? 0 : (depths.get(step.parent) ?? 0) + 1);
  return depths;
}

interface Look {
  readonly paint: Paint;
  readonly depth: number;
}

function stepLines(step: Step, effect: Effect | undefined, { paint, depth }: Look): readonly string[] {
  const facts =
    effect === undefined
      ? [step.verb, step.status]
      : [effect.action, effect.state, effect.externalId ?? '', attemptWords(effect), tookWords(step, effect)];
  const code = step.code === null && effect?.code !== undefined && effect.state === 'UNKNOWN' ? effect.code : step.code;
  const words = [...facts, code === null ? '' : `(${code})`]
    .filter((word) => word !== '')
    .map(terminalText)
    .join('  ');
  return [`  ${'  '.repeat(depth)}${markOf(step, effect, paint)} ${pad(terminalText(step.id), 18)} ${words}`];
}

function markOf(step: Step, effect: Effect | undefined, paint: Paint): string {
  if (effect?.state === 'UNKNOWN' && effect.doubt !== 'event' && step.status !== 'held') return paint.warn('?');
  if (step.status === 'completed' && effect?.observedBy === 'person') return paint.good('☑');
  if (step.status === 'pending' && effect !== undefined) return lateMark(effect, paint);
  return {
    pending: paint.quiet('·'),
    active: paint.now('▶'),
    held: paint.bad('⏸'),
    completed: paint.good('✔'),
    skipped: paint.quiet('–'),
    failed: paint.bad('✘'),
  }[step.status];
}

/** A run that was terminated goes on no more, and what it had in flight still comes to its end: the step itself has none. */
function lateMark({ state, observedBy }: Effect, paint: Paint): string {
  if (state === 'CONFIRMED') return paint.good(observedBy === 'person' ? '☑' : '✔');
  return state === 'FAILED' || state === 'ABSENT' ? paint.bad('✘') : paint.quiet('·');
}

/** From the first byte to the end of the step; told only where it was one attempt with one answer. */
function tookWords(step: Step, effect: Effect): string {
  const isPlain = effect.sent === 1 && effect.unsent === 0 && effect.resends === 0 && effect.queries === 0;
  if (!isPlain || step.at === null || effect.requestedAt === null) return '';
  return spanWords(Math.max(0, Date.parse(step.at) - Date.parse(effect.requestedAt)));
}

function attemptWords(effect: Effect): string {
  const words = [];
  if (effect.sent > 1) words.push(`attempt ${effect.sent}`);
  if (effect.unsent > 0) words.push(`${effect.unsent} not sent`);
  if (effect.resends > 0) words.push(`${effect.resends} resent`);
  if (effect.queries > 0) words.push(`asked ${effect.queries}x`);
  if (effect.receiptNo !== null) words.push(`receipt #${effect.receiptNo}`);
  if (effect.observedBy === 'person') words.push('told by a person');
  return words.join(', ');
}

function undoLine(effect: Effect, paint: Paint): string {
  const sign = effect.observedBy === 'person' ? '↶' : '↩';
  const mark =
    effect.state === 'CONFIRMED' ? paint.good(sign) : effect.state === 'FAILED' ? paint.bad(sign) : paint.warn(sign);
  const facts = [effect.action, effect.state, effect.externalId ?? '', attemptWords(effect)].filter(
    (word) => word !== '',
  );
  return `  ${mark} ${pad(terminalText(placeWords(effect)), 18)} ${facts.map(terminalText).join('  ')}`;
}

/** Which of the times that a step was done is meant. */
interface Place {
  readonly step: string;
  readonly item?: string | undefined;
  readonly turn?: string | undefined;
}

/** A step, and the item of its map and the turn of its repeat that are meant: `charge [sku-1]`, `charge [turn 2]`; not safe for a terminal yet. */
export function placeWords({ step, item, turn }: Place): string {
  const meant = [item, turn === undefined ? undefined : `turn ${turn}`].filter((word) => word !== undefined);
  return meant.length === 0 ? step : `${step} [${meant.join(', ')}]`;
}

/** Why an open effect has not gone through yet: the last thing that went wrong with it. */
function troubleLines(effect: Effect, paint: Paint): readonly string[] {
  const isOpen = effect.state === 'AUTHORIZED' || effect.state === 'UNKNOWN';
  if (!isOpen || effect.lastError === null || effect.doubt === 'event') return [];
  return [`  ${paint.warn('!')} ${terminalText(placeWords(effect))}: ${terminalText(effect.lastError)}`];
}

/** What it has sent: delivered, on its way, given up or dropped. */
function messageLine({ event, topic, step, id, state, attempts, lastError }: Message, paint: Paint): string {
  const mark = { delivered: paint.good('✉'), waiting: paint.now('✉'), dead: paint.bad('✉'), dropped: paint.quiet('✉') }[
    state
  ];
  const facts = [event ?? topic, state, attempts > 1 ? `sent ${attempts}x` : '', id, lastError ?? ''].filter(
    (fact) => fact !== '',
  );
  return `  ${mark} ${pad(terminalText(step ?? ''), 18)} ${facts.map(terminalText).join('  ')}`;
}

function waitingLines(waiting: Waiting, paint: Paint): readonly string[] {
  const first = `  ${paint.warn('…')} ${terminalText(waitingWords(waiting))}`;
  return waiting.command === null ? [first] : [first, `      ${paint.quiet(terminalText(waiting.command))}`];
}

type Waiting = RunView['waitingFor'][number];

/** A blocker in pieces: ` at STEP`, who, ` until TIME`, and when the next thing happens. */
interface Pieces {
  readonly at: string;
  readonly by: string;
  readonly end: string;
  readonly when: string;
  readonly since: string;
  readonly progress: string | null;
}

const WAITING_WORDS: Readonly<Record<Waiting['kind'], (pieces: Pieces) => string>> = {
  approval: ({ at, by, end, progress }) =>
    `waits for an approval${at}${progress === null ? ' by' : `: ${progress} of`} ${by}${end}`,
  event: ({ at, by, end, progress }) =>
    `waits for the event ${by}${progress === null ? '' : ` with ${progress}`}${at}${end}`,
  timer: ({ at, end }) => `waits${at}${end}`,
  person: ({ at, by }) => `waits for a person${at}: ${by}`,
  worker: ({ at }) => `waits for a worker${at}`,
  queue: ({ at, by, end, progress }) =>
    progress === null ? `with a remote worker${at}${end}` : `waits for ${by}${at}${end}`,
  answer: ({ at }) => `waits for the provider's answer${at}`,
  retry: ({ at, when }) => `tries again${at}: ${when}`,
  resend: ({ at, when }) => `in doubt${at}: the same request is sent again ${when}`,
  query: ({ at, when }) => `in doubt${at}: the provider is asked ${when}`,
  child: ({ at, by, progress }) => `waits for the child${at}: ${by}${progress === null ? '' : ` ${progress}`}`,
  share: ({ at, by, progress }) =>
    `shared${at}: waits for ${by}, which carries it out${progress === null ? '' : `: ${progress}`}`,
  lock: ({ progress, since }) => `waits since ${since} for the lock ${progress}`,
  decision: ({ by, since, progress }) => `${progress ?? 'an order'} is stored since ${since}: ${by} decides it`,
};

/** What keeps a run from moving as a sentence. */
function waitingWords({ kind, step, item, since, until, by, progress }: Waiting): string {
  return WAITING_WORDS[kind]({
    at: step === null ? '' : ` at ${placeWords({ step, item })}`,
    by: by.join(', '),
    end: until === null ? '' : `, until ${timeWords(until)}`,
    when: until === null ? 'next' : `at ${timeWords(until)}`,
    since: since === null ? '' : timeWords(since),
    progress,
  });
}

const ALWAYS_COUNTED: ReadonlySet<string> = new Set(['CONFIRMED', 'FAILED', 'UNKNOWN']);

function statusLine(run: RunView, paint: Paint): string {
  const tone =
    run.status === 'COMPLETED' ? paint.good : endedBadly(run.status) || run.status === 'HELD' ? paint.bad : paint.now;
  const count = (state: string): number => run.effects.filter((effect) => effect.state === state).length;
  const undos = run.effects.filter((effect) => effect.compensates !== null);
  // A compensation that was tried again, or marked by hand, has more rows than one: what counts is what it is for.
  const countFor = (rows: typeof undos): number => new Set(rows.map((effect) => effect.compensates)).size;
  const undone = countFor(undos.filter((effect) => effect.state === 'CONFIRMED'));
  const others = EFFECT_STATES.filter((state) => !ALWAYS_COUNTED.has(state) && count(state) > 0);
  const rest = others.map((state) => `, ${count(state)} ${state.toLowerCase()}`).join('');
  const undo = undos.length === 0 ? '' : `, ${undone} of ${countFor(undos)} undone`;
  const took =
    run.endedAt === null ? '' : ` after ${spanWords(Math.max(0, Date.parse(run.endedAt) - Date.parse(run.startedAt)))}`;
  return `${tone(run.status)}${took}  ${counted(run.effects.length, 'effect')}: ${count('CONFIRMED')} confirmed, ${count('FAILED')} failed, ${count('UNKNOWN')} unknown${rest}${undo}`;
}
