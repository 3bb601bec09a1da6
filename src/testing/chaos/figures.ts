import type { ChaosClass } from './chaos-workflows.ts';
import type { RequestFate } from './tcp-proxy.ts';
import type { WorkerNews } from './worker-news.ts';

/** What has been counted, by name; a figure that nothing was counted for is 0. */
export class Figures {
  readonly #counts = new Map<string, number>();
  /** Faults that nothing outside explains, in words. */
  readonly bugs: string[] = [];

  add(name: FigureName, by = 1): void {
    this.#counts.set(name, this.of(name) + by);
  }

  of(name: FigureName): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Takes in what a worker said. */
  hear(news: WorkerNews): void {
    if (news.kind === 'answer' && isCounted(news.answer)) this.add(news.answer);
    if (news.kind !== 'log') return;
    if (news.event === 'lease.swept') this.add('takeovers', news.count);
    if (news.event === 'commit.answer-lost') this.add('commit answers lost');
    if (news.event === 'run.broken') this.bugs.push(`run.broken ${news.words}`);
  }

  lines(names: readonly FigureName[]): readonly string[] {
    return names.map((name) => `${String(this.of(name)).padStart(7)}  ${name}`);
  }
}

function isCounted(answer: string): answer is 'stale' | 'fenced' | 'busy' {
  return answer === 'stale' || answer === 'fenced' || answer === 'busy';
}

/** Everything that is counted. */
export type FigureName =
  | 'runs'
  | `effects ${ChaosClass}`
  | 'takeovers'
  | 'stale'
  | 'fenced'
  | 'busy'
  | 'UNKNOWN settled by query'
  | 'UNKNOWN settled by key'
  | 'UNKNOWN settled by person'
  | 'kills'
  | 'kills that hit an open attempt'
  | 'attempts open at a kill'
  | 'pauses past the lease'
  | 'server stopped at once'
  | 'black holes'
  | 'locks held at a console'
  | 'duplicated events'
  | 'commit answers lost'
  | Exclude<RequestFate['kind'], 'pass'>;

/** What must have happened at least once, whatever is done. */
export const KILL_FIGURES: readonly FigureName[] = [
  'runs',
  'effects key',
  'effects lookup',
  'effects none',
  'takeovers',
  'UNKNOWN settled by query',
  'UNKNOWN settled by key',
  'UNKNOWN settled by person',
  'kills',
  'kills that hit an open attempt',
  'attempts open at a kill',
];
/** What must have happened at least once in a storm. */
export const STORM_FIGURES: readonly FigureName[] = [
  ...KILL_FIGURES,
  'effects key+lookup',
  'effects natural',
  'stale',
  'fenced',
  'busy',
  'pauses past the lease',
  'server stopped at once',
  'black holes',
  'locks held at a console',
  'duplicated events',
  'commit answers lost',
  'delayed',
  'dropped before',
  'dropped after',
  'late',
];
