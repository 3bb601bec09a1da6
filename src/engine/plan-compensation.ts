import { type CompensationPlan, planCompensation } from '../decision/compensation-plan.ts';
import { readRequest } from '../decision/effect-key.ts';
import type { Effect } from '../model/effect.ts';
import { ConflictError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { readRun } from './read-run.ts';

/** One compensation of a preview. */
export interface PlannedUndo {
  readonly effectKey: string;
  readonly step: string;
  readonly action: string;
  /** The confirmed effect that it makes amends for. */
  readonly compensates: string | null;
  /** What would be sent, without secrets. */
  readonly request: Json;
  /** PROPOSED: not yet written or not yet requested; else how far it is. */
  readonly state: string;
}

/** What stays as it is. */
export interface StandingEffect {
  readonly effectKey: string;
  readonly step: string;
  readonly action: string;
  readonly output: Json;
}

/** What a plan would do to a ledger. */
export interface UndoView {
  /** In the order of requesting. */
  readonly undo: readonly PlannedUndo[];
  /** Confirmed and not undone by this plan. */
  readonly standing: readonly StandingEffect[];
}

/** What ordering the compensation would do now; the order names `planHash`, and is stale when the run has moved (R24). */
export interface CompensationPreview extends UndoView {
  readonly revision: number;
  readonly planHash: string;
}

/** A plan over a ledger as people see it. */
export function undoView(plan: CompensationPlan, effects: readonly Effect[]): UndoView {
  const rows = new Map([...effects, ...plan.rows].map((effect) => [effect.key, effect]));
  const undo = plan.keys.flatMap((key) => rows.get(key) ?? []);
  const settled = effects.filter((effect) => effect.compensates !== null && effect.state === 'CONFIRMED');
  const undone = new Set([...undo, ...settled].map((row) => row.compensates));
  const stands = effects.filter(
    (effect) => effect.compensates === null && effect.state === 'CONFIRMED' && !undone.has(effect.key),
  );
  return {
    undo: undo.map((row) => ({
      effectKey: row.key,
      step: row.step,
      action: row.action,
      compensates: row.compensates,
      request: readRequest(row).with,
      state: row.state,
    })),
    standing: stands.map(({ key, step, action, output }) => ({
      effectKey: key,
      step,
      action,
      output: output ?? null,
    })),
  };
}

/**
 * Computes, without writing anything, what compensating a run would do. Transaction: none.
 * @throws PAWL_RUN_NOT_FOUND; PAWL_EVENT_REFUSED while effects are open, or when a request cannot be computed.
 */
export async function previewCompensation(engine: Engine, run: RunIdentity): Promise<CompensationPreview> {
  const { version, state } = await readRun(engine, run);
  const { revision } = state;
  const effects = [...state.effects.values()];
  const plan = planCompensation({ program: version.compiled, run, revision, effects, failure: null });
  if (plan.kind === 'open') {
    throw new ConflictError(
      'PAWL_EVENT_REFUSED',
      `${plan.open.length} ${plan.open.length === 1 ? 'effect is' : 'effects are'} not settled yet; nothing is compensated before`,
      { open: [...plan.open] },
    );
  }
  if (plan.kind === 'fault') {
    throw new ConflictError('PAWL_EVENT_REFUSED', `the undo of step ${plan.step} cannot be computed: ${plan.message}`, {
      step: plan.step,
    });
  }
  return { revision, planHash: plan.planHash, ...undoView(plan, effects) };
}
