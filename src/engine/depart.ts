import type { AttemptReport, Outcome } from '../model/outcome.ts';
import type { OutcomeKind } from '../model/statuses.ts';
import type { Departure } from './outlet.ts';
import type { Touch } from './touch.ts';

/** How one request leaves, and what is made of what came back. */
export interface Journey {
  /** Touches the world; never throws for its faults. */
  leave(): Promise<AttemptReport>;
  judge(report: AttemptReport): Outcome;
}

/** Kinds of answers that speak of one sending alone, unless the action's own table says more (E15). */
const OF_ONE_SENDING: ReadonlySet<OutcomeKind> = new Set(['rejected', 'unavailable', 'throttled']);

/** A no to what may have been sent before, in commits that the database has lost, leaves a doubt (P14, E15). */
function doubted(outcome: Outcome): Outcome {
  const isDoubtful = outcome.sent && !outcome.named && OF_ONE_SENDING.has(outcome.kind);
  return isDoubtful ? { ...outcome, kind: 'unknown' } : outcome;
}

/**
 * Has a request leave if the outlet lets it, and tells the outlet what it found (E14, P14); else judges that nothing left.
 * Transaction: none.
 */
export async function depart(touch: Touch, departure: Departure, { leave, judge }: Journey): Promise<Outcome> {
  const pass = touch.outlet.ask(departure, touch.nowMs());
  if (pass.kind === 'refusal')
    return judge({ kind: 'unsent', reason: pass.reason, lacks: pass.lacks, afterMs: pass.waitMs });
  const report = await leave();
  const judged = judge(report);
  const outcome = pass.mayRepeat === true ? doubted(judged) : judged;
  pass.heard(report, judged);
  return outcome;
}
