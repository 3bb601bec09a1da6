import type { Effect } from '../model/effect.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Draft } from './draft.ts';
import { cancelEffect } from './withdraw-effect.ts';
import { laneStepOf } from './lane-step.ts';

/** Whether something of a row is on its way in the world, so that only an outcome can close it. */
export function isInFlight(effect: Effect): boolean {
  return effect.state === 'REQUESTED' || effect.state === 'UNKNOWN';
}

/** Steps that have something on its way, or undo something: it must settle before they can be left for good. */
export function openSteps(draft: Draft): readonly string[] {
  const inFlight = liveRows(draft).filter(isInFlight);
  const { undos = [], undosWaiting = [], finishing = [] } = draft.control;
  const undoing = [...undos, ...undosWaiting].map(({ step }) => step);
  return [...new Set([...inFlight.map((row) => laneStepOf(draft, row)), ...undoing, ...finishing])];
}

/** Cancels at once what is not in flight: of one step, or of all (`step` null). @param kept rows that are left as they are. */
export function withdrawUnsent(draft: Draft, step: string | null, kept: readonly EffectKey[] = []): void {
  for (const effect of liveRows(draft)) {
    const isUnsent = (effect.state === 'PROPOSED' || effect.state === 'AUTHORIZED') && !kept.includes(effect.key);
    if (isUnsent && (step === null || laneStepOf(draft, effect) === step))
      draft.putEffect(cancelEffect(effect, draft.atMs));
  }
}

/** The rows that steps asked for; compensations are not among them. */
export function forwardRows(draft: Draft): readonly Effect[] {
  return [...draft.effects.values()].filter((effect) => effect.compensates === null);
}

/** Those of them that may still change by themselves. */
export function liveRows(draft: Draft): readonly Effect[] {
  return [...draft.effects.live()].filter((effect) => effect.compensates === null);
}
