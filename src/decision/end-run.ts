import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Ending, RunData } from '../model/run.ts';
import { isGroup } from '../model/step-lists.ts';
import { applySettlement, settlingOf } from './apply-settlement.ts';
import { currentCompensation } from './compensation-plan.ts';
import { chooseDoubt } from './doubt.ts';
import type { Draft } from './draft.ts';
import { standingOf } from './run-status.ts';
import { stayInDoubt } from './settlement.ts';
import { isInFlight, withdrawUnsent } from './step-effects.ts';

/** The run has come to an end: whatever would still wait is over, and what stands is said. */
export function endRun(draft: Draft, data: RunData): void {
  const { ending } = data;
  invariant(ending !== null, 'a run ended without an end', { runId: draft.base.run.runId });
  withdrawUnsent(draft, null);
  for (const name of [...draft.timers.keys()]) draft.clearTimer(name);
  for (const event of draft.kept) draft.answer(event, 'unmatched');
  draft.closeIncidents(({ kind }) => kind !== 'late-proof' && kind !== 'unknown');
  draft.setControl({ activeSinceMs: groupsOf(draft), reads: {}, cancelWaiting: null, deadlineWaiting: false });
  draft.endedAtMs = draft.atMs;
  for (const effect of draft.effects.values()) if (effect.state === 'UNKNOWN') askOn(draft, effect);
}

/** Steps are not active any more; that a group was entered is known from nothing else, if it was left before anything in it was done. */
function groupsOf(draft: Draft): Readonly<Record<string, number>> {
  const { compiled } = draft.ctx;
  const times = Object.entries(draft.control.activeSinceMs);
  return Object.fromEntries(times.filter(([id]) => isGroup(compiled.step(id))));
}

/** What a terminated run leaves in doubt is not sent again; it is asked about, or waits for a person, until somebody knows. */
function askOn(draft: Draft, effect: Effect): void {
  if (effect.doubt !== 'resend') return;
  const settling = settlingOf(draft, effect);
  const { code, lastError } = effect;
  applySettlement(draft, stayInDoubt(settling, chooseDoubt({ ...settling, cause: 'lost' }), { code, lastError }));
}

/** What an ended run has to show: its output, or why it did not complete. */
export function endingRows(draft: Draft): { readonly output: Json | undefined; readonly failure: Json | undefined } {
  const { ending } = draft.snapshot.data;
  if (draft.phase !== 'ended' || ending === null) return { output: undefined, failure: undefined };
  if (ending.kind === 'done') return { output: ending.output, failure: undefined };
  return { output: undefined, failure: failureView(draft, ending) };
}

/** What is said of a run that did not complete: why, what was undone, what stands in the world, of what nobody knows. */
function failureView(draft: Draft, ending: Ending): Json {
  const rows = [...draft.effects.values()];
  const undone = rows.filter((row) => row.compensates === null && isUndone(row, rows)).map((row) => row.step);
  const { code, message, step } = ending.failure ?? {
    code: ending.kind,
    message: `the run was ${ending.kind}`,
    step: null,
  };
  const unknown = rows.filter(isInFlight).map((row) => row.step);
  return { code, message, step, undone, standing: standingOf(rows).map((row) => row.step), unknown };
}

function isUndone(forward: Effect, rows: readonly Effect[]): boolean {
  return currentCompensation(forward.key, rows)?.state === 'CONFIRMED';
}
