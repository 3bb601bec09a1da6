import type { Effect } from '../model/effect.ts';
import type { RunState } from '../model/run.ts';
import { isStepping } from '../model/statuses.ts';
import { advancePlan } from './advance-plan.ts';
import { isLeaving } from './aside.ts';
import type { Draft } from './draft.ts';
import type { EffectPolicy } from './effect-policy.ts';
import { endFinishing, isFinishing } from './finishing.ts';
import { orFault } from './faults.ts';
import { OPERATORS } from './hold-step.ts';
import { isKept } from './kept-losers.ts';
import { Ledger } from './ledger.ts';
import { mayRetry } from './may-retry.ts';
import { afterPivot } from './pivot-waiters.ts';
import { callStepOf, policyOf } from './row-policy.ts';
import { effectSettled, enqueueSettled } from './settle-step.ts';
import { settleIfDone } from './settle-run.ts';
import type { Settlement, Settling } from './settlement.ts';
import { scopeAt } from './step-scope.ts';
import { laneStepOf } from './lane-step.ts';

/** Everything that a row is settled with. */
export function settlingOf(draft: Draft, effect: Effect): Settling {
  const policy = settlingPolicy(draft, effect);
  return {
    effect,
    contract: draft.ctx.compiled.action(effect.action),
    policy,
    numbers: draft.ctx.numbers,
    nowMs: draft.atMs,
    retrying: mayStart(draft, effect) && !isAwaited(draft, effect) && !isLeaving(draft, effect.step),
    mayRetry: (failure) => mayRetry(draft, policy.retry, { kind: 'effect', effect }, failure),
  };
}

/** A run that was terminated sends nothing any more; asking changes nothing in the world, so it still asks what it can. */
function settlingPolicy(draft: Draft, effect: Effect): EffectPolicy {
  const policy = policyOf(draft, effect);
  return draft.phase === 'ended' && policy.onUnknown !== 'review' ? { ...policy, onUnknown: 'reconcile' } : policy;
}

/** Whether a row may be sent anew: a forward row while its step is active or finishes, a compensation while it belongs to a plan. */
export function mayStart(draft: Pick<RunState, 'phase' | 'control' | 'effects'>, effect: Effect): boolean {
  if (effect.compensates !== null) return draft.phase === 'compensating' || isUndoing(draft, effect);
  if (!isStepping(draft.phase)) return false;
  const step = laneStepOf(draft, effect);
  return Object.hasOwn(draft.control.activeSinceMs, step) || isFinishing(draft, step);
}

/** Whether a compensation is of what a step undoes while the run goes on (R21), in whatever generation. */
function isUndoing(
  { phase, control, effects }: Pick<RunState, 'phase' | 'control' | 'effects'>,
  effect: Effect,
): boolean {
  const { undos = [] } = control;
  const { compensates } = effect;
  if (!isStepping(phase) || compensates === null) return false;
  const ledger = Ledger.of(effects);
  return undos.some(({ keys }) => ledger.isPlanned(keys, compensates));
}

/** A cancel or the deadline waits for what becomes of the pivot (R18, R19): what is known not to have happened stays so. */
function isAwaited({ control }: Draft, effect: Effect): boolean {
  return effect.pivot && (control.cancelWaiting !== null || control.deadlineWaiting);
}

/** Writes what a row came to; once it is settled, and only then, the run is moved (E09). */
export function applySettlement(draft: Draft, settlement: Settlement): void {
  const { effect, receipt, incident, settled, unreadable } = settlement;
  const written = receipt === null ? effect : draft.settleEffect(effect, receipt);
  if (receipt === null) draft.putEffect(effect);
  if (unreadable) {
    // No receipt holds the bytes of an answer that settles nothing (E12).
    const sourceId = `attempt:${effect.attempt}:query:${effect.queries}`;
    draft.observe({ effectKey: effect.key, source: 'unreadable', sourceId, detail: { ...unreadable } });
  }
  if (incident !== null) openReview(draft, written, incident);
  else draft.closeIncidents((known) => known.kind === 'unknown' && known.effectKey === effect.key);
  if (settled === null) return;
  if (written.compensates !== null) {
    advancePlan(draft);
    return;
  }
  const step = laneStepOf(draft, written);
  endFinishing(draft, step);
  // A cancel that waited for a pivot that failed stops the run before the failure is routed (R18).
  afterPivot(draft, written);
  if (isStepping(draft.phase) && !isKept(draft, written.key)) {
    if (settlement.step !== undefined) enqueueSettled(draft, step, settlement.step);
    else
      draft.enqueue(effectSettled(draft, step, settled), {
        type: 'effect',
        id: `${written.key}:settled`,
        step: written.step,
      });
  }
  if (draft.phase === 'settling') settleIfDone(draft);
}

function openReview(draft: Draft, effect: Effect, incident: NonNullable<Settlement['incident']>): void {
  const { kind, message, acts } = incident;
  draft.openIncident({
    id: `unknown:${effect.key}`,
    kind,
    step: effect.step,
    effectKey: effect.key,
    message,
    from: reviewersOf(draft, effect),
    acts,
  });
}

/** Who may answer a review: what the step names, else operators. */
export function reviewersOf(draft: Draft, effect: Effect): readonly string[] {
  const review = effect.compensates === null ? callStepOf(draft, effect).review : null;
  if (review === null) return OPERATORS;
  const { site, scope } = scopeAt(draft, laneStepOf(draft, effect), draft.snapshot.data);
  const named = (): readonly string[] => {
    const names = review.from.map((name) => draft.ctx.compiled.evaluator.render(name, site, scope));
    return names.flat().filter((name) => typeof name === 'string');
  };
  return orFault(named, () => OPERATORS);
}
