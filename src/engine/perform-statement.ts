import { PawlError } from '../model/errors.ts';
import type { RunCommit } from '../model/run-commit.ts';
import type { Conclude, StatementAnswer, StatementAsk, StatementStore } from '../ports/statement-store.ts';
import {
  type CommitContext,
  LOST_ROUNDS_MAX,
  PAUSE_MS_MAX,
  PAUSE_MS_MIN,
  readBackOne,
  type SettledAnswer,
} from './commit-runs.ts';

/** What became of a statement and of the commit that keeps it. */
export type Performed = StatementAnswer | SettledAnswer;

/**
 * Has a statement carried out and committed with its run, and finds out what became of both when the answer is lost (P04):
 * they are one transaction, so the run's journal speaks for the table, too. What was not done is done again, from the
 * beginning. Transaction: the store's `act` opens one per try.
 */
export async function performStatement(
  context: CommitContext,
  act: NonNullable<StatementStore['act']>,
  ask: Omit<StatementAsk, 'part' | 'workerId'>,
  conclude: Conclude,
): Promise<Performed> {
  const { part, workerId, signal, clock, logger } = context;
  let kept: RunCommit | null = null;
  let losses = 0;
  for (let pauseMs = PAUSE_MS_MIN; !signal.aborted; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    try {
      return await act({ ...ask, part, workerId }, (report) => {
        kept = conclude(report);
        return kept;
      });
    } catch (error) {
      if (!(error instanceof PawlError) || error.retry === 'never') throw error;
      logger.warn({ runId: ask.runId, code: error.code }, 'statement.unanswered');
      losses += error.retry === 'reconcile' ? 1 : 0;
    }
    const seen = kept === null || losses === 0 ? null : await readBackOne(context, kept);
    if (seen !== null) return seen;
    if (losses >= LOST_ROUNDS_MAX) return { kind: 'lost' };
    await clock.sleep(pauseMs, signal);
  }
  return { kind: 'lost' };
}
