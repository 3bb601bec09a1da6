import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Ending, RunData } from '../model/run.ts';
import { currentCompensation } from './compensation-plan.ts';
import type { Draft } from './draft.ts';
import { standingOf } from './run-status.ts';
import { withdrawUnsent } from './step-effects.ts';

/** The run has come to an end: whatever would still wait is over, and what stands is said. */
export function endRun(draft: Draft, data: RunData): void {
  const { ending } = data;
  invariant(ending !== null, 'a run ended without an end', { runId: draft.base.run.runId });
  withdrawUnsent(draft, null);
  for (const name of [...draft.timers.keys()]) draft.clearTimer(name);
  for (const event of draft.kept) draft.answer(event, 'unmatched');
  draft.closeIncidents((incident) => incident.kind !== 'late-proof');
  draft.setControl({ activeSinceMs: {}, reads: {}, cancelWaiting: null, deadlineWaiting: false });
  draft.endedAtMs = draft.atMs;
}

/** What an ended run has to show: its output, or why it did not complete. */
export function endingRows(draft: Draft): { readonly output: Json | undefined; readonly failure: Json | undefined } {
  const { ending } = draft.snapshot.data;
  if (draft.phase !== 'ended' || ending === null) return { output: undefined, failure: undefined };
  if (ending.kind === 'done') return { output: ending.output, failure: undefined };
  return { output: undefined, failure: failureView(draft, ending) };
}

/** What is said of a run that did not complete: why, what was undone, what stands in the world. */
function failureView(draft: Draft, ending: Ending): Json {
  const rows = [...draft.effects.values()];
  const undone = rows.filter((row) => row.compensates === null && isUndone(row, rows)).map((row) => row.step);
  const { code, message, step } = ending.failure ?? {
    code: ending.kind,
    message: `the run was ${ending.kind}`,
    step: null,
  };
  return { code, message, step, undone, standing: standingOf(rows).map((row) => row.step) };
}

function isUndone(forward: Effect, rows: readonly Effect[]): boolean {
  return currentCompensation(forward.key, rows)?.state === 'CONFIRMED';
}
