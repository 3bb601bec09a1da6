import type { Program } from '../machine/program.ts';
import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Ending, RunData, RunEnd } from '../model/run.ts';
import { isGroup } from '../model/step-lists.ts';
import { applySettlement, settlingOf } from './apply-settlement.ts';
import { chooseDoubt } from './doubt.ts';
import type { Draft } from './draft.ts';
import type { Ledger } from './ledger.ts';
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
  for (const effect of [...draft.effects.live()]) if (effect.state === 'UNKNOWN') askOn(draft, effect);
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

/** What of a run says how it ended. */
export interface Ended extends Pick<Draft, 'phase' | 'snapshot'> {
  readonly effects: Pick<Ledger, 'values' | 'undoOf'>;
  readonly ctx: { readonly compiled: Pick<Program, 'isLast'> };
}

/** What an ended run has to show: its output, or why it did not complete. */
export function endingRows(draft: Ended): { readonly output: Json | undefined; readonly failure: Json | undefined } {
  const { ending } = draft.snapshot.data;
  if (draft.phase !== 'ended' || ending === null) return { output: undefined, failure: undefined };
  const beside = finallyFailed(draft);
  if (ending.kind === 'done') return { output: ending.output, failure: beside === null ? undefined : beside };
  return { output: undefined, failure: { ...endOf(draft, ending), ...beside } };
}

/** The failure of `finally` is told beside the end, and changes nothing of it. */
function finallyFailed({ snapshot }: Pick<Ended, 'snapshot'>): { readonly finallyFailed: JsonObject } | null {
  const failure = snapshot.data.finally?.failure ?? null;
  if (failure === null) return null;
  const { code, message, step } = failure;
  return { finallyFailed: { code, message, step } };
}

/** What is said of an end that was not reached by the way forward. */
export interface ToldEnd extends Omit<RunEnd, 'reason' | 'code' | 'message'> {
  readonly code: string;
  readonly message: string;
  /** Steps of which nobody knows whether they happened. */
  readonly unknown: readonly string[];
}

/** The order in which acts were completed (R06); what was not is behind them, in the order of the first sending. */
function byCompletion(left: Effect, right: Effect): number {
  const place = ({ receiptNo, firstRequestedAtMs }: Effect): readonly [number, number] => [
    receiptNo ?? Number.MAX_SAFE_INTEGER,
    firstRequestedAtMs ?? Number.MAX_SAFE_INTEGER,
  ];
  const [one, other] = [place(left), place(right)];
  return one[0] - other[0] || one[1] - other[1] || (left.key < right.key ? -1 : 1);
}

/** What is said of a run that did not complete: why, what was undone, what stands in the world, of what nobody knows. */
export function endOf(draft: Ended, ending: Ending): ToldEnd {
  const rows = [...draft.effects.values()].sort(byCompletion);
  const undone = rows.filter((row) => draft.effects.undoOf(row.key)?.state === 'CONFIRMED').map((row) => row.step);
  const { code, message, step } = ending.failure ?? {
    code: ending.kind,
    message: `the run was ${ending.kind}`,
    step: null,
  };
  const standing = standingOf(rows, draft.ctx.compiled).map((row) => row.step);
  const unknown = rows.filter(isInFlight).map((row) => row.step);
  return { code, message, step, undone, standing, unknown };
}
