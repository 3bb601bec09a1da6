import {
  type CompensationPlan,
  planCompensation,
  type PlanSource,
  type WhyStanding,
  whyStanding,
} from '../decision/compensation-plan.ts';
import { readRequest } from '../decision/effect-key.ts';
import { itemNameOf } from '../decision/item-name.ts';
import { Ledger } from '../decision/ledger.ts';
import { undoOrderOf } from '../decision/undo-order.ts';
import { undoRounds } from '../decision/undo-rounds.ts';
import { undoVoters } from '../decision/undo-voters.ts';
import type { Voters } from '../decision/voting.ts';
import type { Effect, Frame } from '../model/effect.ts';
import { ConflictError, invariant } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { readRun } from './read-run.ts';

/** One compensation of a preview. */
export interface PlannedUndo {
  readonly effectKey: string;
  /** From 1: those of one round are requested side by side, once those of the rounds before are confirmed; null where that is not known. */
  readonly round: number | null;
  readonly step: string;
  /** Key of the item of a map that it was done for; absent where its step stands in none. */
  readonly item?: string;
  readonly action: string;
  /** The confirmed effect that it makes amends for. */
  readonly compensates: string | null;
  /** What would be sent, without secrets. */
  readonly request: Json;
  /** PROPOSED: not yet written or not yet requested; else how far it is. */
  readonly state: string;
  /** Who must agree to it before it is requested (R23); null = nobody is asked. */
  readonly approve: UndoVotersView | null;
}

/** Who decides about one compensation. */
export type UndoVotersView = Pick<Voters, 'title' | 'from' | 'except' | 'quorum' | 'denials'>;

/** What stays as it is. */
export interface StandingEffect {
  readonly effectKey: string;
  readonly step: string;
  /** Key of the item of a map that it was done for; absent where its step stands in none. */
  readonly item?: string;
  readonly action: string;
  readonly output: Json;
  readonly why: WhyStanding;
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

/** Who must agree to an undo; the plan was computed, so that they can be, too. */
function votersView({ program, run }: PlanSource, forward: Effect | undefined): UndoVotersView | null {
  invariant(forward !== undefined, 'a plan undoes what is in the ledger');
  const voters = undoVoters(program, run, forward);
  if (voters === null) return null;
  invariant(!('fault' in voters), 'who agrees to an undo was computed with its plan', { key: forward.key });
  const { title, from, except, quorum, denials } = voters;
  return { title, from, except, quorum, denials };
}

/** The item that an effect belongs to, as part of what is told; nothing where it stands in no map. */
function itemPart(frames: readonly Frame[]): { readonly item?: string } {
  const item = itemNameOf(frames);
  return item === null ? {} : { item };
}

/** A plan over a ledger as people see it. */
export function undoView(source: PlanSource, plan: CompensationPlan): UndoView {
  const effects = [...source.effects];
  const rows = new Map([...effects, ...plan.rows].map((effect) => [effect.key, effect]));
  const planned = plan.keys.flatMap((key) => rows.get(key) ?? []);
  const rounds = undoRounds(planned, undoOrderOf(source.program));
  const roundOf = ({ key }: Effect): number => rounds.get(key) ?? 0;
  const undo = planned.toSorted((one, other) => roundOf(one) - roundOf(other));
  const settled = effects.filter((effect) => effect.compensates !== null && effect.state === 'CONFIRMED');
  const undone = new Set([...undo, ...settled].map((row) => row.compensates));
  const stands = effects.filter(
    (effect) => effect.compensates === null && effect.state === 'CONFIRMED' && !undone.has(effect.key),
  );
  return {
    undo: undo.map((row) => ({
      effectKey: row.key,
      round: rounds.get(row.key) ?? null,
      step: row.step,
      ...itemPart(row.frames),
      action: row.action,
      compensates: row.compensates,
      request: readRequest(row).with,
      state: row.state,
      approve: votersView(
        source,
        effects.find(({ key }) => key === row.compensates),
      ),
    })),
    standing: stands.map((effect) => ({
      effectKey: effect.key,
      step: effect.step,
      ...itemPart(effect.frames),
      action: effect.action,
      output: effect.output ?? null,
      why: whyStanding(source, effect),
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
  const ledger = Ledger.of(state.effects);
  const source = { program: version.compiled, run, revision, effects, ledger, failure: null };
  const plan = planCompensation(source);
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
  return { revision, planHash: plan.planHash, ...undoView(source, plan) };
}
