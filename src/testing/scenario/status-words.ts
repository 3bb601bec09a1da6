import { isEnd, RUN_STATUSES, type RunStatus } from '../../model/statuses.ts';

/** Words of the cases for what no status of ours is called. */
const OTHER_WORDS = ['NEEDS PERSON', 'TIMED OUT', 'REJECTED AT START'] as const;

/** Every word for how a scenario ends. */
export const STATUS_WORDS = [...OTHER_WORDS, ...RUN_STATUSES] as const;
/** One of them. */
export type StatusWord = (typeof STATUS_WORDS)[number];

/** What a status word is read from. */
export interface EndSeen {
  /** null = its start was refused. */
  readonly status: RunStatus | null;
  /** The name of its end. */
  readonly outcome: string | null;
  readonly failure: string | null;
  /** What a person is needed for. */
  readonly incidents: readonly string[];
}

/** Whether a word says what was seen. */
export function isStatus(word: StatusWord, { status, outcome, failure, incidents }: EndSeen): boolean {
  if (word === 'REJECTED AT START' || status === null) return word === 'REJECTED AT START' && status === null;
  if (word === 'NEEDS PERSON') return status === 'HELD' || incidents.length > 0;
  if (word === 'TIMED OUT') return isEnd(status) && (outcome === 'timed-out' || failure === 'timeout');
  return word === status;
}

/** The word of the cases for what was seen. */
export function statusWord({ status }: EndSeen): StatusWord {
  if (status === null) return 'REJECTED AT START';
  return status === 'HELD' ? 'NEEDS PERSON' : status;
}

/** Words of a status text: `FAILED or COMPENSATED`. */
export function splitStatuses(text: string): readonly string[] {
  return text.split(/\s+or\s+/).map((word) => word.trim());
}
