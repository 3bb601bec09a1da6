import type { Verbs } from '../app/verbs.ts';
import { answerWords } from './answer-words.ts';
import type { CliContext } from './cli-context.ts';
import { printJson } from './cli-context.ts';
import { EXIT } from './exit-codes.ts';
import { terminalText } from './terminal-text.ts';
import { timeWords } from './time-words.ts';

/** What became of something that was asked of a run. */
export type Delivered = Awaited<ReturnType<Verbs['signal']>>;

const FORBIDDEN = new Set(['except', 'not-eligible', 'source']);
const BEFORE = 'it was there before, nothing changed';
const WORDS: Readonly<Record<string, string>> = {
  kept: 'kept, and taken when the run waits for it',
  duplicate: BEFORE,
  ended: 'the run has ended',
  unmatched: 'nothing in the run waits for it any more',
};

/**
 * Tells what became of an act: a word, the reason in words, and the exit code that belongs to it.
 * @param done what was asked as a past participle with its subject: `approved by ana`.
 */
export function tellDelivered(context: CliContext, done: string, delivered: Delivered): void {
  context.exit = exitOf(delivered);
  if (printJson(context, delivered)) return;
  const { paint } = context;
  if (delivered.outcome === 'pending') {
    context.say(
      `${paint.warn('…')} ${terminalText(done)}: stored, not decided yet; the run's holder is busy (pawl show RUN --history)`,
    );
    return;
  }
  const reasons = reasonsOf(delivered);
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  if (context.exit === EXIT.ok) context.say(`${paint.good('✔')} ${terminalText(`${done}${why}`)}`);
  else context.say(`${paint.bad('✘')} ${terminalText(`not ${done} (${delivered.outcome})${why}`)}`);
}

function reasonsOf({ outcome, code, detail, again }: Delivered): readonly string[] {
  const words = code === null ? WORDS[outcome] : answerWords(code);
  const fact = (name: string): unknown =>
    typeof detail === 'object' && detail !== null ? Reflect.get(detail, name) : undefined;
  const message = fact('message');
  const answerableAtMs = fact('answerableAtMs');
  const decision = fact('decision');
  const isNew = outcome === 'applied' && !again;
  return [
    ...(again && outcome !== 'duplicate' ? [BEFORE] : []),
    ...(typeof message === 'string' ? [message] : words === undefined ? [] : [words]),
    ...(typeof answerableAtMs === 'number' ? [`from ${timeWords(new Date(answerableAtMs).toISOString())}`] : []),
    ...(typeof decision === 'string' && !isNew ? [`the decision is: ${decision}`] : []),
  ];
}

function exitOf({ outcome, code }: Delivered): CliContext['exit'] {
  if (outcome === 'applied' || outcome === 'kept' || outcome === 'duplicate' || outcome === 'pending') return EXIT.ok;
  if (code === 'not-found') return EXIT.notFound;
  return code !== null && FORBIDDEN.has(code) ? EXIT.auth : EXIT.conflict;
}
