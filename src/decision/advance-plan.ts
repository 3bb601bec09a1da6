import type { Effect } from '../model/effect.ts';
import type { EffectKey } from '../model/ids.ts';
import { describeProgress, nextInPlan, planProgress, planRows } from './compensation-plan.ts';
import type { Draft } from './draft.ts';
import { OPERATORS } from './hold-step.ts';
import { policyOf } from './row-policy.ts';
import { authorizeEffect } from './request-effect.ts';

/** The next act of the plan: one compensation at a time (R01); what was refused for good waits for a person (R16, R17). */
export function advancePlan(draft: Draft): void {
  const { plan } = draft.control;
  if (plan === null || draft.phase !== 'compensating') return;
  const onFailure = (effect: Effect): 'hold' | 'continue' => policyOf(draft, effect).onFailure;
  const next = nextInPlan(plan, draft.effects, onFailure);
  closeSolved(draft, plan);
  switch (next.kind) {
    case 'authorize':
      draft.putEffect(authorizeEffect(draft.effectOf(next.key), null));
      return;
    case 'held':
      for (const key of next.keys) holdRow(draft, draft.effectOf(key), plan);
      return;
    case 'done':
      draft.enqueue({ type: 'run.undone', atMs: draft.atMs }, { type: 'run', id: draft.base.run.runId, step: null });
      return;
    case 'wait':
      return;
  }
}

/** Incidents of rows that a person has retried, marked or waived are over. */
function closeSolved(draft: Draft, plan: readonly EffectKey[]): void {
  const refused = new Set(
    planRows(plan, draft.effects)
      .filter(isRefused)
      .map((row) => row.key),
  );
  draft.closeIncidents(
    (incident) => incident.kind === 'compensation' && incident.effectKey !== null && !refused.has(incident.effectKey),
  );
}

function isRefused(row: Effect): boolean {
  return row.state === 'FAILED';
}

function holdRow(draft: Draft, effect: Effect, plan: readonly EffectKey[]): void {
  const progress = describeProgress(planProgress(plan, draft.effects));
  draft.openIncident({
    id: `compensation:${effect.key}`,
    kind: 'compensation',
    step: effect.step,
    effectKey: effect.key,
    message: `the undo of step ${effect.step} was refused (${String(effect.code)}): ${progress}`,
    from: OPERATORS,
    acts: ['retry', 'undone', 'waived', 'terminate'],
  });
}
