import { KEEPING } from '../machine/kernel-names.ts';
import { isStepping } from '../model/statuses.ts';
import type { Draft } from './draft.ts';
import { forgetKept, hasKept } from './kept-losers.ts';
import { topState } from './snapshot-envelope.ts';
import { undoRows } from './undo-steps.ts';

/** Once all that losers had on its way is settled, what waited for it begins: undos, else the end of the run (R08). */
export function releaseKept(draft: Draft): void {
  if (!isStepping(draft.phase) || hasKept(draft)) return;
  const { undosWaiting: waiting = [], kept } = draft.control;
  forgetKept(draft);
  for (const { step, keys, failure } of waiting)
    undoRows(draft, { step, rows: keys.map((key) => draft.effectOf(key)), failure });
  // What a loser is to undo is awaited, too.
  const left = (draft.control.undos ?? []).map(({ step }) => step).filter((step) => kept?.undos.includes(step));
  if (left.length > 0) draft.setControl({ kept: { rows: [], undos: left } });
  if (hasKept(draft)) return;
  if (topState(draft.snapshot.value) !== KEEPING) return;
  draft.enqueue({ type: 'run.kept', atMs: draft.atMs }, { type: 'run', id: draft.base.run.runId, step: null });
}
