import type { Scope, Site } from '../definition/evaluator.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { EventView } from '../model/kernel.ts';
import { ownValue } from '../model/own-value.ts';
import type { Failure, RunData, RunIdentity, StepRecord } from '../model/run.ts';
import type { Program } from './program.ts';

/**
 * The roots of every expression in the flow: `input`, `constants`, `vars`, `steps`, `run`. Nothing in it depends on when it
 * is asked: `run.startedAt` and `steps.x.at` are recorded times, epoch milliseconds (the evaluator binds them as timestamps).
 */
export function flowScope(program: Program, run: RunIdentity, data: RunData): Scope {
  return {
    input: run.input,
    constants: program.machine.definition.constants,
    vars: data.vars,
    steps: stepViews(data.steps),
    run: runView(run),
  };
}

/** The roots where a step's own expressions stand: the flow's, and `failure` inside a catch. */
export function stepScope(
  program: Program,
  at: { readonly run: RunIdentity; readonly data: RunData; readonly step: string },
): Scope {
  const scope = flowScope(program, at.run, at.data);
  const owner = program.catchOwner(at.step);
  const failure = owner === null ? undefined : ownValue(at.data.caught, owner);
  return failure === undefined ? scope : { ...scope, failure: failureView(failure) };
}

/** Which schemas type the roots where a step's own expressions stand; goes with `stepScope`. */
export function stepSite(program: Program, step: string): Site {
  const owner = program.catchOwner(step);
  return owner === null ? { kind: 'flow' } : { kind: 'catch', step: owner };
}

/** A failure as the root `failure` shows it. */
export function failureView(failure: Failure): JsonObject {
  const { code, message, step, data } = failure;
  return {
    code,
    class: failure.class,
    message,
    step,
    data,
    cause: failure.cause === null ? null : failureView(failure.cause),
  };
}

/** An event as the root `event` shows it. */
export function eventView(event: EventView): JsonObject {
  const { id, name, data, source, sequence } = event;
  return { id, name, data, source, receivedAt: event.receivedAtMs, sequence };
}

function runView(run: RunIdentity): JsonObject {
  const { key, startedBy, tenant, version } = run;
  return { id: run.runId, key, startedAt: run.startedAtMs, startedBy, tenant, version };
}

const views = new WeakMap<object, JsonObject>();

/** One view per set of records: every expression of a transition reads the same one. */
function stepViews(steps: RunData['steps']): JsonObject {
  const known = views.get(steps);
  if (known !== undefined) return known;
  const view = Object.fromEntries(Object.entries(steps).map(([id, record]) => [id, stepView(record)] as const));
  views.set(steps, view);
  return view;
}

function stepView(record: StepRecord): JsonObject {
  const view: Record<string, Json> = {
    skipped: record.skipped,
    attempts: record.attempts,
    code: record.code,
    at: record.atMs,
  };
  if (record.output !== undefined) view['output'] = record.output;
  return view;
}
