import type { Scope, Site } from '../definition/evaluator.ts';
import { eventSite, formSite } from '../definition/expression-places.ts';
import { fillDefaults } from '../definition/fill-defaults.ts';
import { compileSchema } from '../definition/schema-validator.ts';
import type { CatchClause, Handler, Step, Template } from '../model/definition.ts';
import { invariant, PawlError, RefusedError } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { EventView, KernelEvent } from '../model/kernel.ts';
import { ownValue } from '../model/own-value.ts';
import { findUnstorable } from '../model/storable.ts';
import type { Failure, RunData, RunIdentity } from '../model/run.ts';
import { itemsAtEntry, keysOf, nextItem } from './compute-items.ts';
import { failingAt, parallelAt } from './branches.ts';
import type { ComputationRef } from './kernel-names.ts';
import { authorOf } from './lane-steps.ts';
import type { Program } from './program.ts';
import { eventView, failureView, flowScope, stepScope, stepSite, withRoot } from './scope.ts';

/** What a computation came to; a fault is a value too, because it routes like any failure. */
export type Computed = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly failure: Failure };

/** What one advance is made with. The memo makes every expression computed once for the values it reads. */
export interface Turn {
  readonly program: Program;
  readonly run: RunIdentity;
  readonly nowMs: number;
  /** Whether an unhandled failure keeps its step. */
  readonly holds: boolean;
  /** null while the run is entered. */
  readonly event: KernelEvent | null;
  /** Invokes whose states are entered again through a history: that is no other act (rule E01). */
  readonly recalled: Set<string>;
  readonly memo: Map<string, { readonly data: RunData; readonly computed: Computed }>;
}

/** Computes what a reference stands for, on these values, once. */
export function compute(turn: Turn, data: RunData, of: ComputationRef): Computed {
  const key = keyOf(of);
  const known = turn.memo.get(key);
  if (known !== undefined && known.data === data) return known.computed;
  const computed = attempt(turn, data, of);
  turn.memo.set(key, { data, computed });
  return computed;
}

/**
 * What was computed before the transition that is being made: its guards have seen it, its actions must use the same (other
 * actions of the transition may have changed the data since).
 */
export function computedBefore(turn: Turn, data: RunData, of: ComputationRef): Computed {
  return turn.memo.get(keyOf(of))?.computed ?? compute(turn, data, of);
}

function keyOf(of: ComputationRef): string {
  const list = 'list' in of ? of.list : '';
  return `${of.kind}/${of.step ?? ''}/${'index' in of ? of.index : ''}${'at' in of ? of.at : ''}${list}`;
}

function attempt(turn: Turn, data: RunData, of: ComputationRef): Computed {
  try {
    return { ok: true, value: storable(evaluate(turn, data, of)) };
  } catch (error) {
    if (!isExpressionFault(error)) throw error;
    const failure: Failure = {
      code: 'expression',
      class: 'expression',
      message: error.message,
      step: authorOf(of.step),
      data: null,
      cause: null,
    };
    return { ok: false, failure };
  }
}

function isExpressionFault(error: unknown): error is PawlError {
  return error instanceof PawlError && error.code === 'PAWL_EXPRESSION_FAULT';
}

function evaluate(turn: Turn, data: RunData, of: ComputationRef): Json {
  return 'at' in of ? formValue(turn, data, of) : stepValue(turn, data, of);
}

/** What is computed of a step by its name alone. */
const VALUES = {
  set: setValues,
  fail: failValues,
  count: countValue,
  items: itemsAtEntry,
  keys: keysOf,
} as const;

function stepValue(turn: Turn, data: RunData, of: Exclude<ComputationRef, { readonly at: string }>): Json {
  switch (of.kind) {
    case 'when':
      return holds(turn, data, { step: of.step, guard: turn.program.step(of.step).when });
    case 'branch':
      return holds(turn, data, { step: of.step, guard: branchOf(turn.program.step(of.step), of.index) });
    case 'while':
    case 'until':
      return holds(turn, data, { step: of.step, guard: turnsGuard(turn.program.step(of.step), of.kind) });
    case 'handler':
      return handlerValues(turn, data, of);
    case 'output':
      return outputValue(turn, data, of.step);
    case 'clause':
      return clauseMatches(turn, data, of);
    case 'item':
      return nextItem(turn, data, of.step, of.list);
    default:
      return VALUES[of.kind](turn, data, of.step);
  }
}

type Guarded = { readonly step: string; readonly guard: Step['when'] };

function holds(turn: Turn, data: RunData, { step, guard }: Guarded): boolean {
  invariant(guard !== null, 'a condition that is not there', { step });
  const { program, run } = turn;
  return program.evaluator.holds(guard, stepSite(program, step), stepScope(program, { run, data, step }));
}

function branchOf(step: Step, index: number): Step['when'] {
  invariant(step.verb === 'choose', 'not a choose step', { step: step.id });
  const branch = step.branches[index];
  invariant(branch !== undefined, 'no such branch', { step: step.id, index });
  return branch.when;
}

function turnsGuard(step: Step, kind: 'while' | 'until'): Step['when'] {
  invariant(step.verb === 'repeat', 'not a repeat step', { step: step.id });
  return step[kind];
}

function setValues(turn: Turn, data: RunData, id: string): Json {
  const { program, run } = turn;
  const step = program.step(id);
  invariant(step.verb === 'set', 'not a set step', { step: id });
  const at = { site: stepSite(program, id), scope: stepScope(program, { run, data, step: id }) };
  return fitVars(program, renderAll(turn, step.set, at));
}

/** What a machine asks, writes or raises; it may read the event that is being taken. An action whose `when` is false gives null. */
function formValue(turn: Turn, data: RunData, of: Extract<ComputationRef, { readonly at: string }>): Json {
  const { program, run, event } = turn;
  const part = program.part(of.at);
  const site = formSite(part.event);
  const around = flowScope(program, run, data);
  const scope = event?.type === 'event.received' ? withRoot(around, 'event', eventView(event.event)) : around;
  if (part.when !== null && !program.evaluator.holds(part.when, site, scope))
    return part.kind === 'guard' ? false : null;
  if (part.kind === 'guard') return true;
  if (part.kind === 'assign') return fitVars(program, renderAll(turn, part.set, { site, scope }));
  return { data: part.data === null ? {} : program.evaluator.render(part.data, site, scope) };
}

/** Values as their vars take them: with the defaults of the var's schema, and fitting it. @throws PAWL_EXPRESSION_FAULT. */
function fitVars(program: Program, values: JsonObject): JsonObject {
  const schemas = new Map(program.machine.definition.vars);
  const fitted = Object.entries(values).map(([name, value]) => {
    const schema = schemas.get(name) ?? true;
    const filled = fillDefaults(schema, value);
    const misfit = compileSchema(schema)(filled)[0];
    if (misfit === undefined) return [name, filled] as const;
    throw new RefusedError('PAWL_EXPRESSION_FAULT', `the value does not fit the var ${name}: ${misfit.message}`);
  });
  return Object.fromEntries(fitted);
}

/** What is computed is kept, so it must be storable (rule P11). @throws PAWL_EXPRESSION_FAULT. */
function storable(value: Json): Json {
  const found = findUnstorable(value);
  if (found === null) return value;
  const where = found.pointer === '' ? 'a value' : `the value at "${found.pointer}"`;
  throw new RefusedError('PAWL_EXPRESSION_FAULT', `${where} cannot be stored: ${found.reason}`);
}

function renderAll(
  turn: Turn,
  entries: readonly (readonly [string, Template])[],
  at: { site: Site; scope: Scope },
): JsonObject {
  const render = (template: Template): Json => turn.program.evaluator.render(template, at.site, at.scope);
  return Object.fromEntries(entries.map(([name, template]) => [name, render(template)] as const));
}

function failValues(turn: Turn, data: RunData, id: string): Json {
  const { program, run } = turn;
  const step = program.step(id);
  invariant(step.verb === 'fail', 'not a fail step', { step: id });
  const entries = [['code', step.code] as const, ['message', step.message] as const, ['data', step.data] as const];
  const present = entries.flatMap(([name, template]) => (template === null ? [] : [[name, template] as const]));
  return renderAll(turn, present, { site: stepSite(program, id), scope: stepScope(program, { run, data, step: id }) });
}

/** How many branches must succeed. @throws PAWL_EXPRESSION_FAULT for what is no whole number. */
function countValue(turn: Turn, data: RunData, id: string): Json {
  const { program, run } = turn;
  const { join, branches } = parallelAt(program, id);
  if (join.kind !== 'count') return join.kind === 'all' ? branches.length : 1;
  const at = { site: stepSite(program, id), scope: stepScope(program, { run, data, step: id }) };
  const count = program.evaluator.render(join.count, at.site, at.scope);
  if (Number.isSafeInteger(count)) return count;
  throw new RefusedError('PAWL_EXPRESSION_FAULT', `count is no whole number: ${JSON.stringify(count)}`);
}

/** The event that a handler takes. */
export function eventOf(turn: Turn): EventView {
  const { event } = turn;
  invariant(event?.type === 'handler.taken', 'a handler without its event');
  return event.event;
}

/** The handler that a step declares, or the document (`step` null). */
export function handlerOf(program: Program, step: string | null, index: number): Handler {
  const { on = [] } = step === null ? program.machine.definition : program.step(step);
  const handler = on[index];
  invariant(handler !== undefined, 'no such handler', { step, index });
  return handler;
}

function handlerValues(turn: Turn, data: RunData, of: Extract<ComputationRef, { kind: 'handler' }>): Json {
  const { program, run } = turn;
  const handler = handlerOf(program, of.step, of.index);
  const around = of.step === null ? flowScope(program, run, data) : stepScope(program, { run, data, step: of.step });
  const scope = withRoot(around, 'event', eventView(eventOf(turn)));
  return fitVars(program, renderAll(turn, handler.set, { site: eventSite(handler.event, authorOf(of.step)), scope }));
}

function outputValue(turn: Turn, data: RunData, id: string | null): Json {
  const { program, run } = turn;
  const { evaluator, machine } = program;
  const own = id === null ? null : outputOf(program.step(id));
  if (own !== null && id !== null)
    return evaluator.render(own, stepSite(program, id), stepScope(program, { run, data, step: id }));
  const output = machine.definition.output;
  return output === null ? null : evaluator.render(output, { kind: 'flow' }, flowScope(program, run, data));
}

function outputOf(step: Step): Template | null {
  return step.verb === 'choose' || step.verb === 'scope' || step.verb === 'end' ? step.output : null;
}

function clauseMatches(turn: Turn, data: RunData, of: Extract<ComputationRef, { kind: 'clause' }>): boolean {
  const { program, run } = turn;
  const clause = program.step(of.step).catch[of.index];
  const failing = failingOutward(data, failingAt(program, data, of.step), of.crossed);
  invariant(clause !== undefined && failing !== null, 'no such clause, or no failure', {
    step: of.step,
    index: of.index,
  });
  if (!namesFailure(clause, failing)) return false;
  if (clause.when === null) return true;
  const scope = withRoot(stepScope(program, { run, data, step: of.step }), 'failure', failureView(failing));
  return program.evaluator.holds(clause.when, { kind: 'catch', step: authorOf(of.step) }, scope);
}

/** `any` is all but a cancel; the run's deadline never comes this way. */
function namesFailure(clause: CatchClause, failure: Failure): boolean {
  return clause.on.some(
    (name) => name === failure.code || name === failure.class || (name === 'any' && failure.class !== 'cancelled'),
  );
}

/** The failure that is being routed, with the failures of the catches that it leaves as its causes (rule R22). */
export function failingOutward(data: RunData, failing: Failure | null, crossed: readonly string[]): Failure | null {
  if (failing === null) return null;
  return crossed.reduce((failure, step) => withCause(failure, ownValue(data.caught, step) ?? null), failing);
}

/** Appends what was first at the end of the chain of causes. */
export function withCause(failure: Failure, cause: Failure | null): Failure {
  if (cause === null || failure === cause) return failure;
  return { ...failure, cause: failure.cause === null ? cause : withCause(failure.cause, cause) };
}
