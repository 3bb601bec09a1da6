import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { Ending, RunData } from '../model/run.ts';
import { advancePlan } from './advance-plan.ts';
import {
  planCompensation,
  type CompensationPlan,
  type PlanFault,
  type PlanOpen,
  type PlanSource,
} from './compensation-plan.ts';
import type { Draft } from './draft.ts';
import { OPERATORS } from './hold-step.ts';
import { pivotOf } from './pivot.ts';

/**
 * Compensation begins: all rows of the plan are written PROPOSED with their requests computed once (R12), or the run is
 * held before any of them. Behind a confirmed pivot only an order undoes anything (R20).
 */
export function compensateRun(draft: Draft, data: RunData): void {
  const { ending } = data;
  if (ending?.kind === 'terminated') {
    enqueueUndone(draft);
    return;
  }
  if (ending?.kind !== 'ordered' && pivotOf(draft.effects.pivots()) === 'behind') {
    holdBehindPivot(draft, ending);
    return;
  }
  beginPlan(draft, ending);
}

/** Writes the plan and requests its first compensation. */
export function beginPlan(draft: Draft, ending: Ending | null): void {
  const plan = planOf(draft, failureOf(ending));
  if (plan.kind === 'fault') {
    holdPlan(draft, plan);
    return;
  }
  invariant(plan.kind === 'plan', 'nothing is undone before all is settled', { runId: draft.base.run.runId });
  for (const row of plan.rows) draft.putEffect(row);
  draft.setControl({ plan: draft.effects.spansOf(plan.keys) });
  advancePlan(draft);
}

/**
 * Puts what was confirmed late behind the rows of the plan, so that never two are undone at once (R01, E08). Where its undo
 * cannot be computed, the plan goes on without it and a person is told, who undoes it by hand.
 */
export function extendPlan(draft: Draft, late: Effect): void {
  const { plan } = draft.control;
  if (plan === null) return;
  const added = planOf(draft, failureOf(draft.snapshot.data.ending), [draft.effectOf(late.key)]);
  invariant(added.kind !== 'open', 'what a person has confirmed is settled', { effectKey: late.key });
  if (added.kind === 'fault') {
    leaveToPerson(draft, added);
  } else {
    for (const row of added.rows) draft.putEffect(row);
    const keys = added.rows.map((row) => row.key);
    draft.setControl({ plan: [...plan, ...draft.effects.spansOf(keys)] });
  }
  advancePlan(draft);
}

function leaveToPerson(draft: Draft, { step, forwardKey, message }: PlanFault): void {
  draft.openIncident({
    id: `late-proof:${forwardKey}`,
    kind: 'late-proof',
    step,
    effectKey: forwardKey,
    message: `step ${step} happened after all, and its undo cannot be computed: undo it by hand, then let it stand (${message})`,
    from: OPERATORS,
    acts: ['waived'],
  });
}

/** The root `failure` of the undo that an end brings; null for an order. */
export function failureOf(ending: Ending | null): PlanSource['failure'] {
  return ending?.kind === 'ordered' ? null : (ending?.failure ?? null);
}

/** The plan as of now; pure, so that a preview sees the same (R24). */
export function planOf(
  draft: Draft,
  failure: PlanSource['failure'],
  effects: Iterable<Effect> = draft.effects.values(),
): CompensationPlan | PlanFault | PlanOpen {
  const { compiled } = draft.ctx;
  const { run } = draft.base;
  return planCompensation({
    program: compiled,
    run,
    revision: draft.revision,
    effects,
    ledger: draft.effects,
    failure,
  });
}

function enqueueUndone(draft: Draft): void {
  draft.enqueue({ type: 'run.undone', atMs: draft.atMs }, { type: 'run', id: draft.base.run.runId, step: null });
}

/** An undo that cannot be computed holds the run before any row of its plan is requested (R12). */
export function holdPlan(draft: Draft, fault: PlanFault): void {
  draft.openIncident({
    id: `compensation:${fault.forwardKey}`,
    kind: 'compensation',
    step: fault.step,
    effectKey: fault.forwardKey,
    message: `the undo of step ${fault.step} cannot be computed, so nothing of the plan was requested: ${fault.message}`,
    from: OPERATORS,
    acts: ['terminate'],
  });
}

function holdBehindPivot(draft: Draft, ending: Ending | null): void {
  const failure = ending?.failure ?? null;
  const message = `the point of no return is passed: ${failure === null ? 'the run was to be undone' : `${failure.code}: ${failure.message}`}`;
  draft.openIncident({
    id: 'pivot:compensation',
    kind: 'pivot',
    step: failure?.step ?? null,
    effectKey: null,
    message,
    from: OPERATORS,
    acts: ['compensate', 'terminate'],
  });
}
