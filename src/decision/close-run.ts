import { invariant } from '../model/errors.ts';
import type { Ending, RunData, RunEnd } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { endOf } from './end-run.ts';
import { DEADLINE } from './settle-run.ts';
import { withdrawUnsent } from './step-effects.ts';

/** The end is reached and `finally` is to run: what belonged to the way there is over, and its steps are told what the end is. */
export function closeRun(draft: Draft, { ending }: RunData): void {
  invariant(ending !== null, 'a run closes without an end', { runId: draft.base.run.runId });
  withdrawUnsent(draft, null);
  if (draft.timers.has(DEADLINE)) draft.clearTimer(DEADLINE);
  draft.closeIncidents(({ kind }) => kind !== 'late-proof');
  const { runId } = draft.base.run;
  draft.enqueue(
    { type: 'run.closing', end: tellEnd(draft, ending), atMs: draft.atMs },
    { type: 'run', id: runId, step: null },
  );
}

function tellEnd(draft: Draft, ending: Ending): RunEnd {
  const { kind: reason } = ending;
  invariant(reason !== 'terminated', 'nothing runs after a terminate', { runId: draft.base.run.runId });
  const { code, message, step, undone, standing } = endOf(draft, ending);
  return reason === 'done'
    ? { reason, code: null, message: null, step: null, undone, standing }
    : { reason, code, message, step, undone, standing };
}
