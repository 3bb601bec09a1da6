import type { Scope } from '../definition/evaluator.ts';
import type { Program } from '../machine/program.ts';
import type { Compensation } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { Failure, RunIdentity } from '../model/run.ts';
import { acceptWith } from './accept-with.ts';
import { childBody, startsChild } from './child-run.ts';
import { compensationIngredients, effectKey, readRequest } from './effect-key.ts';
import { queueOf } from './hand-out.ts';
import { isDone, isOpen } from './effect-lifecycle.ts';
import { compensationOf } from './effect-policy.ts';
import { effectView } from './effect-view.ts';
import { orFault } from './faults.ts';
import { Ledger } from './ledger.ts';
import { inheritedLinks } from './link-root.ts';
import { proposeEffect } from './propose-effect.ts';
import { renderRequest } from './render-request.ts';
import { undoVoters } from './undo-voters.ts';

/** What a plan is made from: the version, the ledger, and why. */
export interface PlanSource {
  readonly program: Pick<Program, 'machine' | 'evaluator' | 'step' | 'steps' | 'place' | 'action' | 'isLast'>;
  readonly run: RunIdentity;
  readonly revision: number;
  /** Rows of which those that are confirmed are undone; rows of undos count for nothing. */
  readonly effects: Iterable<Effect>;
  /** What is being undone or is undone already. */
  readonly ledger: Pick<Ledger, 'undoOf'>;
  /** The root `failure`; null for an order, which has the code `ordered`. */
  readonly failure: Pick<Failure, 'code' | 'message' | 'step'> | null;
}

/** The compensations of a run, the last receipt first: in `reverse` the order in which they are requested (R01). */
export interface CompensationPlan {
  readonly kind: 'plan';
  /** Rows to be written now, PROPOSED, each with its request computed for good (R12). */
  readonly rows: readonly Effect[];
  /** The keys of all rows of the plan in order, those written earlier and not yet done included. */
  readonly keys: readonly EffectKey[];
  /** What a preview shows and an order names; another revision or ledger gives another hash (R24). */
  readonly planHash: string;
}

/** A compensation's request could not be computed: nothing of the plan is written, the run is HELD (R12). */
export interface PlanFault {
  readonly kind: 'fault';
  readonly step: string;
  readonly forwardKey: EffectKey;
  readonly message: string;
}

/** Forward rows are open: they are settled before anything is compensated (R03, R04). */
export interface PlanOpen {
  readonly kind: 'open';
  readonly open: readonly EffectKey[];
}

/**
 * Plans the undo of a run from its ledger: every CONFIRMED effect with a compensation, the last receipt first (R01, R06).
 * FAILED, ABSENT, CANCELLED and REFUSED rows get none (R02), nor do those of `finally`; a row that has its compensation
 * keeps it (R13).
 */
export function planCompensation(source: PlanSource): CompensationPlan | PlanFault | PlanOpen {
  const effects = [...source.effects];
  const open = effects.filter((effect) => effect.compensates === null && isOpen(effect.state));
  if (open.length > 0) return { kind: 'open', open: open.map((effect) => effect.key) };
  const rows: Effect[] = [];
  const planned: Effect[] = [];
  for (const forward of undoOrder(effects)) {
    const known = source.ledger.undoOf(forward.key);
    if (known !== undefined && isDone(known)) continue;
    const row = known === undefined ? planRow(source, forward) : reopened(known);
    if (row === null) continue;
    if ('kind' in row) return row;
    if (row !== known) rows.push(row);
    planned.push(row);
  }
  return { kind: 'plan', rows, keys: planned.map((row) => row.key), planHash: planHashOf(source, planned) };
}

/** Confirmed forward rows, the highest receipt number first: completion order is that number, not a clock (R06). */
function undoOrder(effects: readonly Effect[]): readonly Effect[] {
  const confirmed = effects.filter((effect) => effect.compensates === null && effect.state === 'CONFIRMED');
  const numbered = confirmed.map((effect) => ({ effect, receiptNo: receiptNoOf(effect) }));
  return numbered.sort((left, right) => right.receiptNo - left.receiptNo).map(({ effect }) => effect);
}

function receiptNoOf(effect: Effect): number {
  invariant(effect.receiptNo !== null, 'a confirmed effect has a receipt', { key: effect.key });
  return effect.receiptNo;
}

function planRow(source: PlanSource, forward: Effect): Effect | PlanFault | null {
  const { program } = source;
  if (program.isLast(forward.step)) return null;
  const step = program.step(forward.step);
  invariant(step.verb === 'call', 'an effect belongs to a call', { key: forward.key, step: forward.step });
  const compensation = compensationOf(step, program.action(forward.action));
  if (compensation === null || compensation.kind === 'none') return null;
  return orFault<Effect | PlanFault, PlanFault>(
    () => {
      const voters = undoVoters(program, source.run, forward);
      if (voters !== null && 'fault' in voters) return faultOf(forward, voters.fault);
      return proposeCompensation(source, forward, compensation);
    },
    (message) => faultOf(forward, message),
  );
}

/** Why no plan undoes what is confirmed: it is of `finally`, a person has waived its undo, `compensate: none`, or none is said. */
export type WhyStanding = 'finally' | 'waived' | 'none' | 'undeclared';

/** Why a confirmed effect stays as it is; asked only of one that a plan leaves out and no confirmed undo makes amends for. */
export function whyStanding({ program, ledger }: PlanSource, forward: Effect): WhyStanding {
  if (program.isLast(forward.step)) return 'finally';
  if (ledger.undoOf(forward.key) !== undefined) return 'waived';
  const step = program.step(forward.step);
  invariant(step.verb === 'call', 'an effect belongs to a call', { key: forward.key, step: forward.step });
  return compensationOf(step, program.action(forward.action)) === null ? 'undeclared' : 'none';
}

function proposeCompensation(
  source: PlanSource,
  forward: Effect,
  compensation: Extract<Compensation, { kind: 'call' }>,
): Effect {
  const { evaluator, action } = source.program;
  const scope = recordedScope(source, forward);
  const site = { kind: 'compensate', action: forward.action } as const;
  const contract = action(compensation.action);
  const rendered = compensation.with === null ? {} : evaluator.render(compensation.with, site, scope);
  const withValue = acceptWith(contract, rendered);
  const ingredients = compensationIngredients(forward.key, 0);
  const plain = {
    ...renderRequest(evaluator, contract, { with: withValue, key: effectKey(ingredients), scope }),
    ...inheritedLinks(readRequest(forward)),
  };
  const body = childBody({ key: null, input: withValue, detach: false });
  return proposeEffect({
    ingredients,
    step: forward.step,
    frames: forward.frames,
    request: startsChild(contract.name) ? { ...plain, body } : plain,
    queue: queueOf(contract),
    pivot: false,
    state: 'PROPOSED',
    approvalId: null,
    compensates: forward.key,
  });
}

/** Only what cannot change: the recorded effect, the failure, input, constants and the run's name (R12). */
function recordedScope(source: PlanSource, forward: Effect): Scope {
  const { run, program, failure } = source;
  const { code, message, step } = failure ?? { code: 'ordered', message: 'compensated by order', step: null };
  return {
    input: run.input,
    constants: program.machine.definition.constants,
    run: { id: run.runId, key: run.key },
    effect: effectView(forward),
    failure: { code, message, step },
  };
}

function faultOf(forward: Effect, message: string): PlanFault {
  return { kind: 'fault', step: forward.step, forwardKey: forward.key, message };
}

function planHashOf(source: PlanSource, planned: readonly Effect[]): string {
  const rows: Json = planned.map((row) => [row.key, row.requestHash]);
  return hashJson(['plan/1', source.run.runId, source.revision, rows]);
}

/**
 * The row under which a person lets a refused compensation go once more: the next generation's key, the same bytes (R16).
 * It is PROPOSED: the plan says when its turn is (R01).
 * @throws PAWL_INVARIANT for a row that is no settled compensation.
 */
export function nextGeneration(effect: Effect): Effect {
  const { ingredients } = effect;
  invariant(
    ingredients.kind === 'compensation' && !isOpen(effect.state),
    'only a settled compensation has a next generation',
  );
  return rowOfGeneration(effect, ingredients.forwardKey, ingredients.generation + 1);
}

/**
 * A compensation that was withdrawn before it was sent comes back under the next generation; any other stands as it is: what
 * people have refused waits for a person (R23).
 */
function reopened(known: Effect): Effect {
  return known.state === 'CANCELLED' ? nextGeneration(known) : known;
}

/** Whether a compensation was refused for good, by the provider or by those who must agree to it: a person decides (R16, R23). */
export function isRefusedForGood({ compensates, state }: Effect): boolean {
  return compensates !== null && (state === 'FAILED' || state === 'REFUSED');
}

function rowOfGeneration(effect: Effect, forwardKey: EffectKey, generation: number): Effect {
  const ingredients = compensationIngredients(forwardKey, generation);
  const { step, frames, compensates, requestHash } = effect;
  const blank = proposeEffect({
    ingredients,
    step,
    frames,
    request: readRequest(effect),
    queue: effect.queue,
    pivot: false,
    state: 'PROPOSED',
    approvalId: null,
    compensates,
  });
  invariant(blank.requestHash === requestHash, 'a next generation sends the same bytes', { key: effect.key });
  return blank;
}

/** What a plan's next act is. */
export type PlanStep =
  /** This row may be authorized now; the one before it is confirmed (R01). */
  | { readonly kind: 'authorize'; readonly key: EffectKey }
  /** A row of the plan is open: wait for it. */
  | { readonly kind: 'wait'; readonly key: EffectKey }
  /** These rows were refused for good: a person retries, marks undone or waives (R16, R17). */
  | { readonly kind: 'held'; readonly keys: readonly EffectKey[] }
  | { readonly kind: 'done' };

/**
 * Walks a plan: never two compensations at once, the rest untouched while one is held (R01, R16); under `continue` the
 * rest runs first and what is left is held at the end (R17).
 * @param keys the plan's keys in order; each stands for the current generation of its forward effect.
 * @param onFailure what a refused row does to the plan.
 */
export function nextInPlan(
  keys: readonly EffectKey[],
  effects: ReadonlyMap<EffectKey, Effect>,
  onFailure: (effect: Effect) => 'hold' | 'continue',
): PlanStep {
  const ledger = Ledger.of(effects);
  // It may stand behind a row that a person has let go once more.
  for (const row of ledger.live())
    if (row.compensates !== null && ledger.isPlanned(keys, row.compensates)) return { kind: 'wait', key: row.key };
  const refused: EffectKey[] = [];
  for (const row of ledger.remaining(keys)) {
    if (isDone(row)) continue;
    if (row.state === 'PROPOSED') return { kind: 'authorize', key: row.key };
    if (onFailure(row) === 'hold') return { kind: 'held', keys: [row.key] };
    refused.push(row.key);
  }
  return refused.length === 0 ? { kind: 'done' } : { kind: 'held', keys: refused };
}

/** How far a plan is, for people: "2 of 3 undone, 1 needs a person". */
export interface PlanProgress {
  readonly total: number;
  readonly undone: number;
  readonly waived: number;
  /** Refused for good: needs a person. */
  readonly refused: number;
}

/** Counts a plan's rows. */
export function planProgress(keys: readonly EffectKey[], effects: ReadonlyMap<EffectKey, Effect>): PlanProgress {
  const rows = Ledger.of(effects).planned(keys);
  const count = (holds: (effect: Effect) => boolean): number => rows.filter((row) => holds(row)).length;
  return {
    total: rows.length,
    undone: count((row) => row.state === 'CONFIRMED'),
    waived: count((row) => row.state === 'WAIVED'),
    refused: count((row) => !isOpen(row.state) && !isDone(row)),
  };
}

/** The progress in words. */
export function describeProgress(progress: PlanProgress): string {
  const { total, undone, waived, refused } = progress;
  const parts = [`${undone} of ${total} undone`];
  if (waived > 0) parts.push(`${waived} waived`);
  if (refused > 0) parts.push(refused === 1 ? '1 needs a person' : `${refused} need a person`);
  return parts.join(', ');
}
