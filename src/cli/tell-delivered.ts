import type { Verbs } from '../app/verbs.ts';
import type { CliContext } from './cli-context.ts';
import { printJson } from './cli-context.ts';
import { EXIT } from './exit-codes.ts';

/** What became of something that was asked of a run. */
export type Delivered = Awaited<ReturnType<Verbs['signal']>>;

const FORBIDDEN = new Set(['except', 'not-eligible', 'source']);

/** In words, by code: what it means and what to do next. */
const WORDS: Readonly<Record<string, string>> = {
  except: 'you are among those who must not decide this (rule A03)',
  'not-eligible':
    'none of your roles may do this: say --as NAME, or give the role under "principals" in pawl.config.yaml',
  subject: 'the request has changed since you looked: read it again with pawl show',
  decided: 'it was decided before',
  voted: 'you have voted before, and differently',
  ended: 'the run has ended',
  pivot: 'the point of no return is confirmed: the run only goes forward',
  'waits-for-pivot':
    'the point of no return is in doubt: this is recorded, applies if it did not happen, and lapses if it did',
  quarantine: 'too early: a request that has left may still arrive',
  plan: 'the plan no longer fits the run: look at it again',
  'not-held': 'nothing of that step waits for a person',
  'not-in-doubt': 'that effect is not in doubt',
  'no-reconcile': 'that action cannot be asked what happened',
  'not-found': 'there is nothing under that name',
  undeclared: 'the workflow declares no such event',
};

/** Tells what became of an act: a word, the reason in words, and the exit code that belongs to it. */
export function tellDelivered(context: CliContext, done: string, delivered: Delivered): void {
  const { outcome, code } = delivered;
  context.exit = exitOf(delivered);
  if (printJson(context, delivered)) return;
  const reason = code === null ? '' : `: ${WORDS[code] ?? code}`;
  const { paint } = context;
  if (outcome === 'pending')
    context.say(
      `${paint.warn('stored')}, not decided yet: the run's holder is busy; ask again to see what became of it`,
    );
  else if (context.exit === EXIT.ok)
    context.say(`${paint.good('✔')} ${done} (${outcome}${delivered.again ? ', again' : ''})${reason}`);
  else context.say(`${paint.bad('✘')} not ${done} (${outcome})${reason}`);
}

function exitOf({ outcome, code }: Delivered): CliContext['exit'] {
  if (outcome === 'applied' || outcome === 'kept' || outcome === 'duplicate' || outcome === 'pending') return EXIT.ok;
  if (code === 'not-found') return EXIT.notFound;
  return code !== null && FORBIDDEN.has(code) ? EXIT.auth : EXIT.conflict;
}
