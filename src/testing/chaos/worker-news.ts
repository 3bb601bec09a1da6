import type { LogEvent } from '../../model/log-events.ts';
import type { CommitAnswer } from '../../model/run-commit.ts';

/** One line that a worker under test tells the process that started it. */
export type WorkerNews =
  | { readonly kind: 'working' }
  /** Sendings under way in it now. */
  | { readonly kind: 'open'; readonly open: number }
  /** A commit that was not applied. */
  | { readonly kind: 'answer'; readonly answer: CommitAnswer['kind'] }
  /** A warning or an error. `words`: the facts of those that may be a fault of ours. */
  | { readonly kind: 'log'; readonly event: LogEvent; readonly count: number; readonly words: string };

/** Reads a line; null when it is none of them. */
export function readNews(line: string): WorkerNews | null {
  return line.startsWith('{"kind":') ? (JSON.parse(line) as WorkerNews) : null;
}
