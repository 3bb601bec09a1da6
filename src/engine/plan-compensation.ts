import { planCompensation } from '../decision/compensation-plan.ts';
import { effectView } from '../decision/effect-view.ts';
import { readRequest } from '../decision/effect-key.ts';
import type { Effect } from '../model/effect.ts';
import { ConflictError, InvariantError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { loadStored } from './find-run.ts';
import { loadRun } from './load-run.ts';

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

/** What ordering the compensation would do now; the order names `planHash`, and is stale when the run has moved (R24). */
export interface CompensationPreview {
  readonly revision: number;
  readonly planHash: string;
  /** In the order of requesting. */
  readonly undo: readonly PlannedUndo[];
  /** Confirmed and not undone by this plan. */
  readonly standing: readonly StandingEffect[];
}

function planned(row: Effect): PlannedUndo {
  return {
    effectKey: row.key,
    step: row.step,
    action: row.action,
    compensates: row.compensates,
    request: readRequest(row).with,
    state: row.state,
  };
}

function standingOf(effects: readonly Effect[], undone: ReadonlySet<string>): readonly StandingEffect[] {
  const stands = effects.filter(
    (effect) => effect.compensates === null && effect.state === 'CONFIRMED' && !undone.has(effect.key),
  );
  return stands.map((effect) => ({
    effectKey: effect.key,
    step: effect.step,
    action: effect.action,
    output: outputOf(effect),
  }));
}

function outputOf(effect: Effect): Json {
  const view = effectView(effect);
  return typeof view === 'object' && view !== null && !Array.isArray(view)
    ? ((view as Readonly<Record<string, Json>>)['output'] ?? null)
    : null;
}

/**
 * Computes, without writing anything, what compensating a run would do. Transaction: none.
 * @throws PAWL_RUN_NOT_FOUND; PAWL_EVENT_REFUSED while effects are open, or when a request cannot be computed.
 */
export async function previewCompensation(engine: Engine, run: RunIdentity): Promise<CompensationPreview> {
  const { stored } = await loadStored(engine, run);
  const version = await engine.versions.byDigest(run.digest);
  const loaded = version === null ? null : loadRun(version, stored);
  if (version === null || loaded === null || loaded.kind === 'misfit') {
    throw new InvariantError('the run cannot be read by this process', {
      runId: run.runId,
      field: loaded?.kind === 'misfit' ? loaded.field : 'digest',
    });
  }
  const effects = [...loaded.state.effects.values()];
  const plan = planCompensation({ program: version.compiled, run, revision: stored.revision, effects, failure: null });
  if (plan.kind === 'open') {
    throw new ConflictError(
      'PAWL_EVENT_REFUSED',
      `${plan.open.length} effects are not settled yet; nothing is compensated before`,
      { open: [...plan.open] },
    );
  }
  if (plan.kind === 'fault') {
    throw new ConflictError('PAWL_EVENT_REFUSED', `the undo of step ${plan.step} cannot be computed: ${plan.message}`, {
      step: plan.step,
    });
  }
  const rows = new Map([...effects, ...plan.rows].map((effect) => [effect.key, effect]));
  const undo = plan.keys.flatMap((key) => rows.get(key) ?? []);
  const settled = effects.filter((effect) => effect.compensates !== null && effect.state === 'CONFIRMED');
  const undone = new Set([...undo, ...settled].flatMap((row) => row.compensates ?? []));
  return {
    revision: stored.revision,
    planHash: plan.planHash,
    undo: undo.map(planned),
    standing: standingOf(effects, undone),
  };
}
