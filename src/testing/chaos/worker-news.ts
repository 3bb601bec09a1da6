import type { LogEvent } from '../../model/log-events.ts';
import type { CommitAnswer } from '../../model/run-commit.ts';

/** One line that a worker under test tells the process that started it. */
export type WorkerNews =
  | { readonly kind: 'working' }
  /** A payment that it was told to make is in the database. */
  | { readonly kind: 'started'; readonly no: string; readonly run: string }
  /** The first byte of a sending is about to leave. */
  | { readonly kind: 'sent'; readonly effect: string; readonly run: string }
  /** That sending is over, however. */
  | { readonly kind: 'answered'; readonly effect: string }
  /** A commit that was not applied. */
  | { readonly kind: 'answer'; readonly answer: CommitAnswer['kind'] }
  /** A warning or an error. `words`: the facts of those that may be a fault of ours. */
  | { readonly kind: 'log'; readonly event: LogEvent; readonly count: number; readonly words: string };

/** What a worker is told to start, one line of JSON each. */
export interface Payment {
  readonly workflow: string;
  /** Its run's key. */
  readonly no: string;
}

/** Reads a line; null when it is none of them. */
export function readNews(line: string): WorkerNews | null {
  return line.startsWith('{"kind":') ? (JSON.parse(line) as WorkerNews) : null;
}
