import { canonicalJson } from '../model/canonical-json.ts';
import type { ActionContract } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import type { Json } from '../model/json.ts';
import { displayRunId } from '../model/run-id.ts';
import { childMessageId, childOf, childStartOf, isDetached, startsChild } from './child-run.ts';
import type { Draft } from './draft.ts';
import { touchEffect } from './effect-lifecycle.ts';
import { liveRows, isInFlight } from './step-effects.ts';
import { laneStepOf } from './lane-step.ts';

type Matter = 'start' | 'cancel' | 'undo';

/** Messages to one child are delivered in their order (V09): it is started before it is cancelled. */
function send(draft: Draft, effect: Effect, matter: Matter, body: object): void {
  draft.send({
    messageId: childMessageId(draft.base.run.runId, effect.key, matter),
    topic: `child.${matter}`,
    key: childOf(effect),
    step: effect.step,
    frames: effect.frames,
    body: canonicalJson(body as Json),
  });
}

/**
 * The message that a row of a child is, written in the commit that makes it REQUESTED (V08).
 * @returns the row as it is to be written: with the id of the child that it starts.
 */
export function requestChild(draft: Draft, effect: Effect, contract: ActionContract): Effect {
  const { run } = draft.base;
  if (!startsChild(effect.action)) {
    send(draft, effect, 'undo', orderOf(draft, effect));
    return effect;
  }
  const locks = [...(draft.control.parent?.locks ?? []), ...(run.lock === undefined ? [] : [run.lock.name])];
  const start = childStartOf(run, effect, { contract, nowMs: draft.atMs, locks });
  const named = { ...effect, externalId: start.runId };
  send(draft, named, 'start', start);
  return named;
}

function orderOf(draft: Draft, effect: Effect): object {
  const { order } = draft.control;
  const { ending } = draft.snapshot.data;
  const reason = order?.reason ?? ending?.failure?.message ?? `step ${effect.step} of its parent is left`;
  return { runId: childOf(effect), effectKey: effect.key, by: displayRunId(draft.base.run.runId), reason };
}

/** Codes of a row whose child was told to end: with its step, or because the step's time is over. */
const RECALLED: readonly (string | null)[] = ['recalled', 'timeout'];

/** Whether the child of a row was told to end. */
export function isRecalled({ code }: Pick<Effect, 'code'>): boolean {
  return RECALLED.includes(code);
}

/**
 * Children of these steps (null = of all) are not wanted any more: each undoes itself and tells its end, which is waited for.
 * @param code why.
 */
export function recallChildren(draft: Draft, steps: readonly string[] | null, code: 'recalled' | 'timeout'): void {
  for (const effect of liveRows(draft)) {
    const isWaited = isInFlight(effect) && (steps === null || steps.includes(laneStepOf(draft, effect)));
    if (!isWaited || isRecalled(effect) || !startsChild(effect.action)) continue;
    if (isDetached(effect)) continue;
    draft.putEffect(touchEffect(effect, { code }));
    send(draft, effect, 'cancel', orderOf(draft, effect));
  }
}
