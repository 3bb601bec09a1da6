import {
  type CompensationPlan,
  planCompensation,
  type PlanSource,
  type WhyStanding,
  whyStanding,
} from '../decision/compensation-plan.ts';
import { childOf } from '../decision/child-run.ts';
import { readRequest } from '../decision/effect-key.ts';
import { itemNameOf, turnNameOf } from '../decision/item-name.ts';
import { Ledger } from '../decision/ledger.ts';
import { undoOrderOf } from '../decision/undo-order.ts';
import { undoRounds } from '../decision/undo-rounds.ts';
import { undoVoters } from '../decision/undo-voters.ts';
import type { Voters } from '../decision/voting.ts';
import type { Effect } from '../model/effect.ts';
import { ConflictError, invariant } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import { displayRunId } from '../model/run-id.ts';
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
  /** Number of the turn of a repeat that it was done in, from 1, `1/2` of nested ones; absent where its step stands in none. */
  readonly turn?: string;
  readonly action: string;
  /** The confirmed effect that it makes amends for. */
  readonly compensates: string | null;
  /** What would be sent, without secrets. */
  readonly request: Json;
  /** PROPOSED: not yet written or not yet requested; else how far it is. */
  readonly state: string;
  /** Who must agree to it before it is requested (R23); null = nobody is asked. */
  readonly approve: UndoVotersView | null;
  /** The run that it undoes as a whole; absent where it undoes no run. */
  readonly child?: ChildUndo;
}

/** A child that is undone, and what its own plan is now: it makes that plan itself once it is told. */
export interface ChildUndo {
  readonly id: string;
  /** null where it is not told: why says `refused`, or a preview has children beyond the first hundred. */
  readonly plan: UndoView | null;
  /** Why no plan of the child can be made now; null where there is one, or none was asked for. */
  readonly refused: string | null;
}

/** Who decides about one compensation. */
export type UndoVotersView = Pick<Voters, 'title' | 'from' | 'except' | 'quorum' | 'denials'>;

/** What stays as it is. */
export interface StandingEffect {
  readonly effectKey: string;
  readonly step: string;
  /** Key of the item of a map that it was done for; absent where its step stands in none. */
  readonly item?: string;
  /** Number of the turn of a repeat that it was done in, from 1, `1/2` of nested ones; absent where its step stands in none. */
  readonly turn?: string;
  readonly action: string;
  readonly output: Json;
  readonly why: WhyStanding;
}

/** What a plan would do to a ledger. */
export interface UndoView {
  /** In the order of requesting. */
  readonly undo: readonly PlannedUndo[];
  /** Confirmed and not undone by this plan, in the order of their receipts. */
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

/** The item and the turn that an effect belongs to, as part of what is told; nothing where it stands in no map and no repeat. */
function repetitionPart({ program }: PlanSource, { step, frames }: Effect): { item?: string; turn?: string } {
  const item = itemNameOf(frames);
  const turn = turnNameOf(program.place(step).lists, frames);
  return { ...(item === null ? {} : { item }), ...(turn === null ? {} : { turn }) };
}

/** The child that a row undoes as a whole, its plan not asked for; nothing where it undoes no run. */
function childPart({ program }: PlanSource, row: Effect): { child?: ChildUndo } {
  const { transport } = program.action(row.action);
  if (transport.kind !== 'child' || transport.act !== 'undo') return {};
  return { child: { id: displayRunId(childOf(row)), plan: null, refused: null } };
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
  const stands = effects
    .filter((effect) => effect.compensates === null && effect.state === 'CONFIRMED' && !undone.has(effect.key))
    .toSorted((one, other) => (one.receiptNo ?? 0) - (other.receiptNo ?? 0));
  return {
    undo: undo.map((row) => ({
      effectKey: row.key,
      round: rounds.get(row.key) ?? null,
      step: row.step,
      ...repetitionPart(source, row),
      action: row.action,
      compensates: row.compensates,
      request: readRequest(row).with,
      state: row.state,
      approve: votersView(
        source,
        effects.find(({ key }) => key === row.compensates),
      ),
      ...childPart(source, row),
    })),
    standing: stands.map((effect) => ({
      effectKey: effect.key,
      step: effect.step,
      ...repetitionPart(source, effect),
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
