import type { Verbs } from '../app/verbs.ts';
import { answerWords } from '../app/answer-words.ts';
import type { CliContext } from './cli-context.ts';
import { printJson } from './cli-context.ts';
import { EXIT } from './exit-codes.ts';
import { terminalText } from './terminal-text.ts';
import { timeWords } from './time-words.ts';

/** What became of something that was asked of a run. */
export type Delivered = Awaited<ReturnType<Verbs['signal']>>;

/** What was answered, and why. */
type Answer = Pick<Delivered, 'outcome' | 'code' | 'detail'>;

const FORBIDDEN = new Set(['except', 'not-eligible', 'source']);
const BEFORE = 'it was there before, nothing changed';
const WORDS: Readonly<Record<string, string>> = {
  kept: 'kept, and taken when the run waits for it',
  duplicate: BEFORE,
  ended: 'the run has ended',
  unmatched: 'nothing in the run waits for it any more',
};

/** What was asked, in words. */
export interface Asked {
  /** A past participle with its subject: `approved by ana`. */
  readonly done: string;
  /** What follows, told only where it was done. */
  readonly then?: string;
  /** The opposite of `done`, where a plain "not" would say something else. */
  readonly undone?: string;
}

/** Tells what became of an act: a word, the reason in words, and the exit code that belongs to it. */
export function tellDelivered(context: CliContext, asked: Asked, delivered: Delivered): void {
  const { done, then, undone = `not ${done}` } = asked;
  context.exit = exitOf(delivered);
  if (printJson(context, delivered)) return;
  const { paint } = context;
  if (delivered.outcome === 'pending') {
    context.say(`${paint.warn('…')} ${terminalText(pendingWords(done, delivered))}`);
    return;
  }
  const isDone = delivered.outcome === 'applied' && then !== undefined;
  const reasons = [...(isDone ? [then] : []), ...reasonsOf(delivered)];
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  if (context.exit === EXIT.ok) context.say(`${paint.good('✔')} ${terminalText(`${done}${why}`)}`);
  else context.say(`${paint.bad('✘')} ${terminalText(`${undone} (${delivered.outcome})${why}`)}`);
}

/** It is in the run's inbox and certain to be decided, by the process that holds the run. */
function pendingWords(done: string, { detail }: Delivered): string {
  const [holder, until] = [factOf(detail, 'holder'), factOf(detail, 'until')];
  const lease = typeof until === 'string' ? `, whose lease ends ${timeWords(until)} unless it renews it,` : '';
  const who = typeof holder === 'string' ? `${holder}${lease} holds the run and` : 'whoever holds the run';
  return `not yet ${done}: it is stored, ${who} decides it between two steps (pawl why RUN)`;
}

/** Why, in words: the reason, who was first, what was decided. */
export function reasonsOf({ outcome, code, detail, again }: Answer & { readonly again?: boolean }): readonly string[] {
  const words = code === null ? WORDS[outcome] : answerWords(code);
  const message = factOf(detail, 'message');
  const answerableAtMs = factOf(detail, 'answerableAtMs');
  const isNew = outcome === 'applied' && again !== true;
  const decision = isNew && factOf(detail, 'decision') !== 'open' ? [] : decisionWords(detail);
  const isSaid = code === 'decided' && decision.length > 0;
  return [
    ...(again === true && outcome !== 'duplicate' ? [BEFORE] : []),
    ...(typeof message === 'string' ? [message] : words === undefined || isSaid ? [] : [words]),
    ...(typeof answerableAtMs === 'number' ? [`from ${timeOf(answerableAtMs)}`] : []),
    ...firstWords(factOf(detail, 'first')),
    ...endWords(detail),
    ...decision,
  ];
}

function factOf(detail: unknown, name: string): unknown {
  return typeof detail === 'object' && detail !== null ? Reflect.get(detail, name) : undefined;
}

function timeOf(atMs: number): string {
  return timeWords(new Date(atMs).toISOString());
}

const FIRST_WORDS: Readonly<Record<string, string>> = {
  cancel: 'has cancelled the run',
  terminate: 'has terminated the run',
  compensate: 'has ordered its undo',
  retry: 'has had it tried again',
  resolve: 'has resolved it',
  pause: 'has paused the run',
  resume: 'has resumed the run',
};

/** Who was first, where somebody was: `ana has resolved it as confirmed, 2026-01-02 10:00:00 UTC`. */
function firstWords(first: unknown): readonly string[] {
  const [by, act, as, at] = ['by', 'act', 'as', 'at'].map((name) => factOf(first, name));
  if (typeof by !== 'string' || typeof act !== 'string' || typeof at !== 'string') return [];
  const word = typeof as === 'string' ? ` as ${as}` : '';
  return [`${by} ${FIRST_WORDS[act] ?? act}${word}, ${timeWords(at)}`];
}

const DECISION_WORDS: Readonly<Record<string, string>> = {
  approved: 'it was approved',
  denied: 'it was denied',
  expired: 'nobody decided in time, it expired',
  held: 'nobody decided in time, the run is held',
  cancelled: 'it was withdrawn before anybody had decided',
  open: 'it is still open, more votes are needed',
};

/** How a run ended before anybody came: `FAILED (timeout), 2026-01-02 10:00:00 UTC`. */
function endWords(detail: unknown): readonly string[] {
  const [status, endedAtMs, code] = ['status', 'endedAtMs', 'code'].map((name) => factOf(detail, name));
  if (typeof status !== 'string' || typeof endedAtMs !== 'number') return [];
  return [`${status}${typeof code === 'string' ? ` (${code})` : ''}, ${timeOf(endedAtMs)}`];
}

/** What was decided, by whom and when. */
function decisionWords(detail: unknown): readonly string[] {
  const decision = factOf(detail, 'decision');
  const words = typeof decision === 'string' ? DECISION_WORDS[decision] : undefined;
  if (words === undefined) return [];
  const votes = factOf(detail, 'votes');
  const said = { approved: 'approve', denied: 'deny' }[String(decision)];
  const people = (Array.isArray(votes) ? votes : []).flatMap((vote: unknown) =>
    factOf(vote, 'decision') === said ? [String(factOf(vote, 'principal'))] : [],
  );
  const decidedAtMs = factOf(detail, 'decidedAtMs');
  const by = people.length === 0 ? '' : ` by ${people.join(', ')}`;
  return [`${words}${by}${typeof decidedAtMs === 'number' ? `, ${timeOf(decidedAtMs)}` : ''}`];
}

/** The exit code that belongs to an answer. */
export function exitOf({ outcome, code }: Pick<Answer, 'outcome' | 'code'>): CliContext['exit'] {
  if (outcome === 'applied' || outcome === 'kept' || outcome === 'duplicate' || outcome === 'pending') return EXIT.ok;
  if (code === 'not-found') return EXIT.notFound;
  return code !== null && FORBIDDEN.has(code) ? EXIT.auth : EXIT.conflict;
}
