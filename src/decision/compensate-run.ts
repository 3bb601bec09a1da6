import { invariant } from '../model/errors.ts';
import type { Ending, RunData } from '../model/run.ts';
import { advancePlan } from './advance-plan.ts';
import { planCompensation, type CompensationPlan, type PlanFault, type PlanOpen } from './compensation-plan.ts';
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
  if (ending?.kind !== 'ordered' && pivotOf(draft.effects.values()) === 'behind') {
    holdBehindPivot(draft, ending);
    return;
  }
  beginPlan(draft, ending);
}

/** Writes the plan and requests its first compensation. */
export function beginPlan(draft: Draft, ending: Ending | null): void {
  const plan = planOf(draft, ending);
  if (plan.kind === 'fault') {
    holdPlan(draft, plan);
    return;
  }
  invariant(plan.kind === 'plan', 'nothing is undone before all is settled', { runId: draft.base.run.runId });
  for (const row of plan.rows) draft.putEffect(row);
  draft.setControl({ plan: plan.keys });
  advancePlan(draft);
}

/** Puts what was confirmed late behind the rows of the plan, so that never two are undone at once (R01, E08). */
export function extendPlan(draft: Draft): void {
  const { plan } = draft.control;
  const wanted = planOf(draft, draft.snapshot.data.ending);
  if (plan === null || wanted.kind !== 'plan') return;
  for (const row of wanted.rows) draft.putEffect(row);
  draft.setControl({ plan: [...plan, ...wanted.rows.map((row) => row.key)] });
  advancePlan(draft);
}

/** The plan as of now; pure, so that a preview sees the same (R24). */
export function planOf(draft: Draft, ending: Ending | null): CompensationPlan | PlanFault | PlanOpen {
  const { compiled } = draft.ctx;
  const source = { program: compiled, run: draft.base.run, revision: draft.revision, effects: draft.effects.values() };
  return planCompensation({ ...source, failure: ending?.kind === 'ordered' ? null : (ending?.failure ?? null) });
}

function enqueueUndone(draft: Draft): void {
  draft.enqueue({ type: 'run.undone', atMs: draft.atMs }, { type: 'run', id: draft.base.run.runId, step: null });
}

function holdPlan(draft: Draft, fault: PlanFault): void {
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
