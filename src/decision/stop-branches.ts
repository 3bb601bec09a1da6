import { branchesOf, branchListId, losersOf, parallelAt } from '../machine/branches.ts';
import { lanesOf } from '../machine/lane-data.ts';
import { authorOf } from '../machine/lane-steps.ts';
import type { Effect } from '../model/effect.ts';
import type { RunData } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { setFinishing } from './finishing.ts';
import { countedIn } from './frames.ts';
import { laneStepOf } from './lane-step.ts';
import { presentRows } from './present-rows.ts';
import { effectSettled } from './settle-step.ts';
import { stepOutcomeOf } from './settlement.ts';
import { isInFlight } from './step-effects.ts';
import { undoRows } from './undo-steps.ts';
import { cancelEffect } from './withdraw-effect.ts';

/** What a parallel step says to its branches that are not wanted any more. */
export interface StopBranches {
  readonly step: string;
  /** Whether a call that is under way still makes its retries; null = as it was said before. */
  readonly retries: boolean | null;
}

/**
 * The branches of a step are not wanted any more, and each is told before anything else happens. What is in flight settles
 * (R05: a REQUESTED row is never cancelled locally), with its retries if it may; all else ends.
 */
export function stopBranches(draft: Draft, { step: id, retries }: StopBranches, data: RunData): void {
  const { finishing = [], activeSinceMs } = draft.control;
  const rows = presentRows(draft, [id], data);
  draft.enqueueFirst(
    { type: 'branches.stopped', step: id, open: [], atMs: draft.atMs },
    { type: 'branches', id, step: id },
  );
  if (retries === true) {
    const going = rows.filter((row) => isInFlight(row) || (row.state === 'AUTHORIZED' && row.attempt > 0));
    const steps = going.map((row) => laneStepOf(draft, row)).filter((step) => Object.hasOwn(activeSinceMs, step));
    setFinishing(draft, [...finishing, ...steps]);
  }
  if (retries !== false) return;
  const ended = rows.filter((row) => finishing.includes(laneStepOf(draft, row)));
  setFinishing(
    draft,
    finishing.filter((step) => !ended.some((row) => laneStepOf(draft, row) === step)),
  );
  for (const row of ended) {
    if (row.state !== 'AUTHORIZED') continue;
    const cancelled = cancelEffect(row, draft.atMs);
    draft.putEffect(cancelled);
    draft.enqueue(effectSettled(draft, laneStepOf(draft, row), stepOutcomeOf(cancelled)), {
      type: 'effect',
      id: `${row.key}:settled`,
      step: row.step,
    });
  }
}

/** A race is decided and all has settled: what those that lost it have done is undone before the next step (R08). */
export function undoLosers(draft: Draft, id: string, data: RunData): void {
  const rows = draft.ctx.compiled.step(id).verb === 'map' ? stoppedRows(draft, id, data) : losingRows(draft, id, data);
  const step = authorOf(id);
  if (!rows.some(({ state }) => state === 'CONFIRMED')) {
    draft.enqueue({ type: 'group.undone', step: id, atMs: draft.atMs }, { type: 'step', id, step });
    return;
  }
  const failure = { code: 'lost', message: `step ${step} was decided without it`, step };
  undoRows(draft, { step: id, rows, failure });
}

/** What the branches have done that lost. */
function losingRows(draft: Draft, id: string, data: RunData): readonly Effect[] {
  const { compiled } = draft.ctx;
  const lists = losersOf(parallelAt(compiled, id), branchesOf(data, id)).map((branch) => branchListId(id, branch));
  const inside = [...compiled.copies.keys()].filter((step) =>
    compiled.place(step).lists.some((list) => lists.includes(list)),
  );
  return presentRows(draft, inside, data);
}

/** What the items of a map have done that were not wanted any more. */
function stoppedRows(draft: Draft, id: string, data: RunData): readonly Effect[] {
  const { stopped } = lanesOf(data, id);
  const place = countedIn(draft.ctx.compiled.place(id).lists);
  return presentRows(draft, [id], data).filter(({ frames }) => stopped.includes(String(frames[place]?.[1])));
}
