import type { RunData, RunState, WaitingUndo } from '../model/run.ts';
import type { Effect } from '../model/effect.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Draft } from './draft.ts';
import { isOpen } from './effect-lifecycle.ts';
import { isFinishing } from './finishing.ts';
import { presentRows } from './present-rows.ts';
import { isInFlight } from './step-effects.ts';
import { recallChildren } from './tell-child.ts';
import { laneStepOf } from './lane-step.ts';

/**
 * A race is decided and the run goes on at once: what its losers have on its way, a call between its retries included, and what
 * they are undoing settles meanwhile (R08).
 */
export function keepLosers(draft: Draft, id: string, data: RunData): void {
  const rows = presentRows(draft, [id], data).filter(
    (row) => isInFlight(row) || (row.state === 'AUTHORIZED' && isFinishing(draft, laneStepOf(draft, row))),
  );
  const lost = rows.map((row) => laneStepOf(draft, row));
  if (lost.length > 0) recallChildren(draft, lost, 'recalled');
  // They were told to stop; nobody is there any more to hear it.
  draft.queue = draft.queue.filter(({ event }) => event.type !== 'branches.stopped' || event.step !== id);
  const { compiled } = draft.ctx;
  const isInside = (step: string): boolean => compiled.place(step).parents.includes(id);
  const undos = [...(draft.control.undos ?? []), ...(draft.control.undosWaiting ?? [])]
    .map(({ step }) => step)
    .filter(isInside);
  if (rows.length === 0 && undos.length === 0) return;
  const { kept = { rows: [], undos: [] } } = draft.control;
  draft.setControl({ kept: { rows: [...kept.rows, ...rows.map(({ key }) => key)], undos: [...kept.undos, ...undos] } });
}

/** Whether an effect is one that nobody in the machine waits for any more. */
export function isKept({ control }: Pick<RunState, 'control'>, key: EffectKey): boolean {
  return control.kept?.rows.includes(key) === true;
}

/** Whether losers have anything on its way: until it is settled the run does not end, and nothing is compensated (R08). */
export function hasKept({ control, effects }: Pick<RunState, 'control' | 'effects'>): boolean {
  const { kept, undos = [] } = control;
  if (kept === undefined) return false;
  const isUndoing = undos.some(({ step }) => kept.undos.includes(step));
  return isUndoing || kept.rows.some((key) => isOpenRow(effects.get(key)));
}

function isOpenRow(row: Effect | undefined): boolean {
  return row !== undefined && isOpen(row.state);
}

/** An undo waits for what losers have on its way. @returns whether it does. */
export function waitsForKept(draft: Draft, undo: WaitingUndo): boolean {
  if (!hasKept(draft)) return false;
  draft.setControl({ undosWaiting: [...(draft.control.undosWaiting ?? []), undo] });
  return true;
}

/** The run stops, or all is settled: nothing waits any more. */
export function forgetKept(draft: Draft): void {
  const { kept, undosWaiting } = draft.control;
  if (kept !== undefined && kept.rows.length + kept.undos.length > 0)
    draft.setControl({ kept: { rows: [], undos: [] } });
  if (undosWaiting !== undefined && undosWaiting.length > 0) draft.setControl({ undosWaiting: [] });
}
