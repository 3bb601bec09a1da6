import type { AwaitStep } from '../model/definition.ts';
import type { EventView } from '../model/kernel.ts';
import type { RunData } from '../model/run.ts';
import { keptTimer } from './kept-timers.ts';
import type { Draft } from './draft.ts';
import { atEntry, enqueueSettled } from './settle-step.ts';
import { firstInOrder, noteApplied, viewOf } from './event-order.ts';
import { awaitTakes } from './match-event.ts';
import { scopeAt } from './step-scope.ts';
import { authorOf } from '../machine/lane-steps.ts';

/** Waits for an event; one that came before its wait is matched now, in the order of their coming, or of their sender's numbers (V01, V03). */
export function enterAwait(draft: Draft, step: AwaitStep, data: RunData): void {
  if (atEntry(draft, step.id, () => checkMatch(draft, step, data)) === null) return;
  const takes = (view: EventView): boolean => awaitTakes(draft, step, data, view);
  const found = draft.kept.find((event) => takes(viewOf(draft, event)));
  if (found !== undefined) {
    const event = firstInOrder(draft, found, takes);
    noteApplied(draft, event);
    draft.clearTimer(keptTimer(event));
    draft.answer(event, 'applied', { detail: { step: authorOf(step.id) } });
    enqueueSettled(draft, step.id, { ok: true, output: viewOf(draft, event).data, attempts: 0 });
    return;
  }
  if (step.timeoutMs !== null) draft.setTimer(`${step.id}:timeout`, draft.atMs + step.timeoutMs);
}

/** A `match` that cannot be computed is a failure of the step, not an event that never fits. */
function checkMatch(draft: Draft, step: AwaitStep, data: RunData): true {
  if (step.match === null) return true;
  const at = scopeAt(draft, step.id, data);
  draft.ctx.compiled.evaluator.render(step.match, at.site, at.scope);
  return true;
}
