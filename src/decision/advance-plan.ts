import type { Effect } from '../model/effect.ts';
import type { EffectKey } from '../model/ids.ts';
import type { UndoPlan } from '../model/run.ts';
import { isStepping } from '../model/statuses.ts';
import { describeProgress, isRefusedForGood, nextInPlan, planProgress } from './compensation-plan.ts';
import type { Draft } from './draft.ts';
import { OPERATORS } from './hold-step.ts';
import { type NextAtOnce, nextAtOnce } from './next-at-once.ts';
import { policyOf } from './row-policy.ts';
import { enqueueSettled } from './settle-step.ts';
import { authorizeUndo } from './undo-approval.ts';
import { undoOrderOf } from './undo-order.ts';
import { authorOf } from '../machine/lane-steps.ts';

/** A plan that is being carried out: the run's own (`step` null), or what a step undoes while the run goes on (R21). */
type Plan = Omit<UndoPlan, 'step'> & { readonly step: string | null };

function plansOf({ phase, control, effects }: Draft): readonly Plan[] {
  if (isStepping(phase)) return control.undos ?? [];
  const { plan } = control;
  return phase === 'compensating' && plan !== null ? [{ step: null, keys: effects.keysOf(plan) }] : [];
}

/** The next acts of each plan: in reverse one compensation at a time (R01), else all that may go (R07); what was refused for good waits for a person (R16, R17). */
export function advancePlan(draft: Draft): void {
  const plans = plansOf(draft);
  if (plans.length === 0) return;
  closeSolved(draft, plans);
  for (const plan of plans) advance(draft, plan);
}

function advance(draft: Draft, plan: Plan): void {
  const onFailure = (effect: Effect): 'hold' | 'continue' => policyOf(draft, effect).onFailure;
  const order = undoOrderOf(draft.ctx.compiled);
  if (!order.isReverse) {
    advanceAtOnce(draft, plan, nextAtOnce(plan.keys, draft.effects, { order, onFailure }));
    return;
  }
  const next = nextInPlan(plan.keys, draft.effects, onFailure);
  switch (next.kind) {
    case 'authorize':
      if (authorizeUndo(draft, next.key)) advance(draft, plan);
      return;
    case 'held':
      for (const key of next.keys) holdRow(draft, draft.effectOf(key), plan.keys);
      return;
    case 'done':
      finish(draft, plan.step);
      return;
    case 'wait':
      return;
  }
}

function advanceAtOnce(draft: Draft, plan: Plan, next: NextAtOnce): void {
  const { step, keys } = plan;
  const settled = next.authorize.filter((key) => authorizeUndo(draft, key));
  if (settled.length > 0) {
    advance(draft, plan);
    return;
  }
  for (const key of next.held) holdRow(draft, draft.effectOf(key), keys);
  if (next.isDone) finish(draft, step);
}

/** All of a plan is settled: the run, the clause or the step that asked for it goes on. */
function finish(draft: Draft, step: string | null): void {
  const { atMs } = draft;
  if (step === null) {
    draft.enqueue({ type: 'run.undone', atMs }, { type: 'run', id: draft.base.run.runId, step: null });
    return;
  }
  draft.setControl({ undos: (draft.control.undos ?? []).filter((plan) => plan.step !== step) });
  if (draft.ctx.compiled.copies.get(step)?.verb === 'undo')
    enqueueSettled(draft, step, { ok: true, output: null, attempts: 0 });
  else draft.enqueue({ type: 'group.undone', step, atMs }, { type: 'step', id: step, step: authorOf(step) });
}

/** Incidents of rows that a person has retried, marked or waived are over. */
function closeSolved(draft: Draft, plans: readonly Plan[]): void {
  draft.closeIncidents(
    ({ kind, effectKey }) => kind === 'compensation' && effectKey !== null && !isHeld(draft, plans, effectKey),
  );
}

function isHeld(draft: Draft, plans: readonly Plan[], effectKey: EffectKey): boolean {
  const { effects } = draft;
  const row = draft.effectOf(effectKey);
  const { compensates } = row;
  if (compensates === null || !isRefusedForGood(row) || effects.undoOf(compensates) !== row) return false;
  return plans.some(({ keys }) => effects.isPlanned(keys, compensates));
}

function holdRow(draft: Draft, effect: Effect, plan: readonly EffectKey[]): void {
  const progress = describeProgress(planProgress(plan, draft.effects));
  const what = effect.state === 'REFUSED' && effect.code !== 'shared-effect' ? 'not approved' : 'refused';
  draft.openIncident({
    id: `compensation:${effect.key}`,
    kind: 'compensation',
    step: effect.step,
    effectKey: effect.key,
    message: `the undo of step ${effect.step} was ${what} (${String(effect.code)}): ${progress}`,
    from: OPERATORS,
    acts: ['retry', 'undone', 'waived', 'terminate'],
  });
}
