import type { Scope, Site } from '../definition/evaluator.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { EventView } from '../model/kernel.ts';
import { ownValue } from '../model/own-value.ts';
import type { Failure, Items, RunData, RunEnd, RunIdentity, StepRecord } from '../model/run.ts';
import { presentItem } from './items.ts';
import { authorOf } from './lane-steps.ts';
import type { ItemName, Program } from './program.ts';

/**
 * The roots of every expression in the flow: `input`, `constants`, `vars`, `steps`, `run`. Nothing in it depends on when it
 * is asked: `run.startedAt` and `steps.x.at` are recorded times, epoch milliseconds (the evaluator binds them as timestamps).
 */
export function flowScope(program: Program, run: RunIdentity, data: RunData, step: string | null = null): Scope {
  const roots = {
    input: run.input,
    constants: program.machine.definition.constants,
    vars: data.vars,
    run: runView(run, data.finally?.end ?? null),
  };
  return withSteps(program, roots, { steps: data.steps, step });
}

/** The view of the steps is made when it is read: most expressions read the input, and a run may have thousands of steps. */
function withSteps(program: Program, roots: Readonly<Record<string, Json>>, seen: SeenSteps): Scope {
  return Object.defineProperty({ ...roots }, 'steps', { enumerable: true, get: () => viewOf(program, seen) });
}

/** What is known of the steps, and the step that looks at it; null = the document. */
interface SeenSteps {
  readonly steps: RunData['steps'];
  readonly step: string | null;
}

/** The roots where a step's own expressions stand: the flow's, and `failure` inside a catch. */
export function stepScope(
  program: Program,
  at: { readonly run: RunIdentity; readonly data: RunData; readonly step: string },
): Scope {
  const scope = withItems(flowScope(program, at.run, at.data, at.step), program.itemsAround(at.step), at.data);
  const owner = program.catchOwner(at.step);
  const failure = owner === null ? undefined : ownValue(at.data.caught, owner);
  return failure === undefined ? scope : withRoot(scope, 'failure', failureView(failure));
}

function withItems(scope: Scope, names: readonly ItemName[], data: RunData): Scope {
  return names.reduce((around, { list, as }) => withItem(around, as, presentItem(data, list)), scope);
}

/** The scope with an item and its place in the list. */
export function withItem(scope: Scope, as: string, { value, no }: Pick<Items, 'value' | 'no'>): Scope {
  return withRoot(withRoot(scope, as, value), `${as}Index`, no);
}

/** Which schemas type the roots where a step's own expressions stand; goes with `stepScope`. */
export function stepSite(program: Program, step: string): Site {
  const owner = program.catchOwner(step);
  const within = program.isLast(step) ? { in: 'finally' as const } : {};
  return owner === null ? { kind: 'flow', ...within } : { kind: 'catch', step: authorOf(owner), ...within };
}

/** The scope with one more root; the others stay as lazy as they are. */
export function withRoot(scope: Scope, root: string, value: Json): Scope {
  const roots = Object.defineProperties({}, Object.getOwnPropertyDescriptors(scope));
  return Object.defineProperty(roots, root, { enumerable: true, value });
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

function runView(run: RunIdentity, end: RunEnd | null): JsonObject {
  const { key, startedBy, tenant, version } = run;
  const view = { id: run.runId, key, startedAt: run.startedAtMs, startedBy, tenant, version };
  return end === null ? view : { ...view, end: { ...end } };
}

const setViews = new WeakMap<object, Map<string, JsonObject>>();
const stepViews = new WeakMap<StepRecord, JsonObject>();

/** One view per set of records and lane, and one per record: what many expressions read is made once. */
function viewOf(program: Program, { steps, step }: SeenSteps): JsonObject {
  const lanes = step === null ? [] : program.lanesAround(step);
  const views = setViews.get(steps) ?? new Map<string, JsonObject>();
  setViews.set(steps, views);
  const lane = lanes.at(-1) ?? '';
  const known = views.get(lane);
  if (known !== undefined) return known;
  const view: Record<string, Json> = {};
  // A step in a lane is that of the lane where it is asked about; no other lane sees it.
  for (const [id, record] of Object.entries(steps))
    if (program.lanesAround(id).every((list) => lanes.includes(list))) view[authorOf(id)] = stepView(record);
  views.set(lane, view);
  return view;
}

function stepView(record: StepRecord): JsonObject {
  const known = stepViews.get(record);
  if (known !== undefined) return known;
  const { skipped, attempts, code, atMs, output } = record;
  const view = { skipped, attempts, code, at: atMs, ...(output === undefined ? {} : { output }) };
  stepViews.set(record, view);
  return view;
}
