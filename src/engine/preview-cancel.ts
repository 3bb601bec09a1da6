import { planCompensation } from '../decision/compensation-plan.ts';
import { isOpen } from '../decision/effect-lifecycle.ts';
import { Ledger } from '../decision/ledger.ts';
import { cancelVerdict } from '../decision/on-cancel.ts';
import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { type UndoView, undoView } from './plan-compensation.ts';
import { readRun } from './read-run.ts';

/** What cancelling a run would do now, by the rule that decides the cancel (R18). */
export interface CancelPreview extends UndoView {
  /** `waits`: recorded, applies if the pivot fails, lapses if it is confirmed. */
  readonly verdict: 'applies' | 'waits' | 'refused';
  /** Why it would be refused, as the answer to the act names it; null otherwise. */
  readonly code: string | null;
  /** In flight or in doubt: settled first, and undone if it happened. */
  readonly open: readonly { readonly step: string; readonly action: string; readonly state: string }[];
  /** Why the undo cannot be computed: then the cancelled run is held before any of it is sent (R12); null = it can. */
  readonly fault: string | null;
}

function isInFlight(effect: Effect): boolean {
  return effect.state === 'REQUESTED' || effect.state === 'UNKNOWN';
}

/**
 * Computes, without writing anything, what a cancel would come to. Transaction: none.
 * @throws PAWL_RUN_NOT_FOUND.
 */
export async function previewCancel(engine: Engine, run: RunIdentity): Promise<CancelPreview> {
  const { version, state } = await readRun(engine, run);
  const verdict = cancelVerdict(state);
  const effects = [...state.effects.values()];
  const settled = effects.filter((effect) => !isOpen(effect.state));
  const failure = { code: 'cancelled', message: 'cancelled', step: null };
  const ledger = Ledger.of(new Map(settled.map((effect) => [effect.key, effect])));
  const source = { program: version.compiled, run, revision: state.revision, effects: settled, ledger, failure };
  const plan = planCompensation(source);
  const open = effects.filter(isInFlight).map(({ step, action, state: now }) => ({ step, action, state: now }));
  const told = { verdict: verdict.kind, code: verdict.kind === 'refused' ? verdict.code : null, open } as const;
  invariant(plan.kind !== 'open', 'settled effects are open', { runId: run.runId });
  if (plan.kind === 'plan') return { ...told, ...undoView(source, plan), fault: null };
  const fault = `the undo of step ${plan.step} cannot be computed: ${plan.message}`;
  return { ...told, undo: [], standing: [], fault };
}
