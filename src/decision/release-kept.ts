import { KEEPING } from '../machine/kernel-names.ts';
import { assertNever, invariant } from '../model/errors.ts';
import type { RunData, WaitingUndo } from '../model/run.ts';
import { isStepping } from '../model/statuses.ts';
import type { Draft } from './draft.ts';
import { forgetKept, hasKept } from './kept-losers.ts';
import { topState } from './snapshot-envelope.ts';
import { undoLosers } from './stop-branches.ts';
import { enterUndo, undoGroup, undoItem } from './undo-steps.ts';

/** Once all that losers had on its way is settled, what waited for it begins: undos, else the end of the run (R08). */
export function releaseKept(draft: Draft): void {
  if (!isStepping(draft.phase) || hasKept(draft)) return;
  const { undosWaiting: waiting = [], kept } = draft.control;
  forgetKept(draft);
  for (const undo of waiting) begin(draft, undo, draft.snapshot.data);
  // What a loser is to undo is awaited, too.
  const left = (draft.control.undos ?? []).map(({ step }) => step).filter((step) => kept?.undos.includes(step));
  if (left.length > 0) draft.setControl({ kept: { rows: [], undos: left } });
  if (hasKept(draft)) return;
  if (topState(draft.snapshot.value) !== KEEPING) return;
  draft.enqueue({ type: 'run.kept', atMs: draft.atMs }, { type: 'run', id: draft.base.run.runId, step: null });
}

function begin(draft: Draft, { kind, step: id }: WaitingUndo, data: RunData): void {
  switch (kind) {
    case 'group':
      undoGroup(draft, id, data);
      return;
    case 'item':
      undoItem(draft, id, data);
      return;
    case 'losers':
      undoLosers(draft, id, data);
      return;
    case 'verb': {
      const step = draft.ctx.compiled.step(id);
      invariant(step.verb === 'undo', 'another verb than undo waits for losers', { step: id });
      enterUndo(draft, step, data);
      return;
    }
    default:
      assertNever(kind);
  }
}
