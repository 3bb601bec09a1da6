import type { AttemptReport, Outcome } from '../model/outcome.ts';
import type { Departure } from './outlet.ts';
import type { Touch } from './touch.ts';

/** How one request leaves, and what is made of what came back. */
export interface Journey {
  /** Touches the world; never throws for its faults. */
  leave(): Promise<AttemptReport>;
  judge(report: AttemptReport): Outcome;
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
  const outcome = judge(report);
  pass.heard(report, outcome);
  return outcome;
}
