import { invariant } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { SettledAct } from '../model/kernel.ts';
import type { ActionRef } from '../model/machine.ts';
import { ownValue, withoutKey } from '../model/own-value.ts';
import type { Ending, Failure, RunData, StepRecord } from '../model/run.ts';
import { allSteps, innerSteps } from '../model/step-lists.ts';
import {
  beginBranches,
  branchesOf,
  branchListId,
  comesLate,
  endBranch,
  failingAt,
  failureIn,
  joinFailure,
  outputOfBranches,
  parallelAt,
  withFailing,
} from './branches.ts';
import { compute, computedBefore, eventOf, failingOutward, type Turn, withCause } from './compute.ts';
import { beginItem, closeItems, endItem, enterItems, itemsFailure, loseItem, mappedOutput } from './item-data.ts';
import type { AssignName, AssignParams, FailureSource } from './kernel-names.ts';
import { claimItem, endLane } from './lane-data.ts';
import { authorOf, laneSteps } from './lane-steps.ts';
import { mapOf } from './compute-items.ts';
import { bodyListId, isLaneList } from './outline.ts';
import { leaveSides } from './sides.ts';
import { NO_TURNS, turnsOf } from './turns.ts';

type Assign<Name extends AssignName> = (turn: Turn, data: RunData, params: AssignParams[Name]) => RunData;

/** What each data action of the closed list does. All are pure; none reads a clock. */
const ASSIGNS: { readonly [Name in AssignName]: Assign<Name> } = {
  'record.settled': (turn, data, { step, ran }) => remember(data, { step, ran, record: settledRecord(turn) }),
  'record.skipped': (turn, data, { step }) =>
    remember(data, { step, ran: null, record: { ...blank(turn), skipped: true } }),
  'record.done': (turn, data, { step, ran, output }) =>
    remember(withoutRounds(turn, data, { step, output }), {
      step,
      ran,
      record: withOutput(blank(turn), outputOf(turn, data, { step, output })),
    }),
  set: (turn, data, { of }) => {
    const computed = computedBefore(turn, data, of);
    invariant(computed.ok, 'vars written from what could not be computed', { step: of.step });
    return { ...data, vars: { ...data.vars, ...(computed.value as JsonObject) } };
  },
  'machine.assign': (turn, data, { of }) => {
    // Actions come one after the other, each on what the one before it left; after one that failed none is made.
    if (data.failing !== null) return data;
    const computed = compute(turn, data, of);
    if (!computed.ok) return { ...data, failing: computed.failure };
    return computed.value === null ? data : { ...data, vars: { ...data.vars, ...(computed.value as JsonObject) } };
  },
  visit: ({ recalled }, data, { step, list }) => {
    const before = ownValue(data.visits, list);
    if (recalled.delete(step) && before !== undefined) return data;
    return { ...data, visits: { ...data.visits, [list]: before === undefined ? 0 : before + 1 } };
  },
  recall: ({ recalled }, data, { steps }) => {
    for (const step of steps) recalled.add(step);
    return data;
  },
  jump: (_turn, data, { step, list }) => ({
    ...data,
    jumps: increment(data.jumps, step),
    visits: increment(data.visits, list),
  }),
  'list.enter': (_turn, data, { list, choose }) => {
    const visits = withoutKey(data.visits, list);
    return choose === null ? { ...data, visits } : { ...data, visits, ran: withoutKey(data.ran ?? {}, choose) };
  },
  'turn.begin': (turn, data, { step, list, first }) => {
    const before = turnsOf(data, list);
    return {
      ...withoutBody(turn, data, { step, list }),
      turns: { ...data.turns, [list]: first ? NO_TURNS : { ...before, no: before.no + 1 } },
    };
  },
  'turn.end': (turn, data, { step, list }) => {
    const before = turnsOf(data, list);
    const output = outputOf(turn, data, { step, output: 'ran' }) ?? null;
    return { ...data, turns: { ...data.turns, [list]: { ...before, outputs: [...before.outputs, output] } } };
  },
  'items.enter': (turn, data, { step, list }) => enterItems(turn, data, { step, list }),
  'item.begin': (turn, data, { step, list }) =>
    beginItem(turn, withoutBody(turn, data, { step, list }), { step, list }),
  'item.claim': ({ program }, data, { step, list }) => claimItem(mapOf(program, step), data, list),
  'lane.end': ({ program }, data, { step, list }) => endLane(mapOf(program, step), data, list),
  'item.end': (turn, data, { step, list, crossed = null }) => {
    if (crossed !== null) return loseItem(turn, data, { step, list, crossed });
    return endItem(turn, data, { step, list }, lastOutput(data, isLaneList(list) ? list : step));
  },
  fail: (turn, data, { step, source }) => {
    const failing = failureFrom(turn, data, { step, source });
    const told = endsStep(source) ? withFailed(turn, data, step, failing.code) : data;
    return withFailing(turn.program, told, step, { ...failing, step: authorOf(failing.step) });
  },
  'branches.begin': (turn, data, { step }) => {
    const need = computedBefore(turn, data, { kind: 'count', step });
    invariant(need.ok, 'branches begin without their number', { step });
    return beginBranches(data, parallelAt(turn.program, step), Number(need.value));
  },
  'branch.end': (turn, data, { step, branch, as }) => {
    const list = branchListId(step, branch);
    const failure = as === 'failed' ? failureIn(data, list) : null;
    const isLate = as === 'succeeded' && comesLate(parallelAt(turn.program, step), branchesOf(data, step));
    const status = isLate ? 'stopped' : as;
    const output = status === 'succeeded' ? lastOutput(data, list) : null;
    return endBranch(data, step, { branch, status, code: failure?.code ?? null, output }, failure);
  },
  'branch.lose': (_turn, data, { list, crossed }) => {
    const failure = failingOutward(data, failureIn(data, list), crossed);
    invariant(failure !== null, 'a branch fails without a failure', { list });
    return {
      ...data,
      caught: crossed.reduce(withoutKey, data.caught),
      failingIn: { ...data.failingIn, [list]: failure },
    };
  },
  'branches.leave': ({ program }, data, left) => leaveSides(program, data, left),
  catch: (turn, data, { step, crossed }) => {
    const failure = failingOutward(data, failingAt(turn.program, data, step), crossed);
    invariant(failure !== null, 'a clause without a failure', { step });
    const caught = crossed.reduce(withoutKey, data.caught);
    return { ...withFailing(turn.program, data, step, null), caught: { ...caught, [step]: failure } };
  },
  uncatch: (_turn, data, { steps }) => ({ ...data, caught: steps.reduce(withoutKey, data.caught) }),
  raise: (turn, data, { step }) => withFailing(turn.program, data, step, ownValue(data.caught, step) ?? null),
  forgive: (_turn, data) => ({ ...data, failing: null }),
  'end.done': (turn, data, { step }) => finished(turn, data, step),
  'end.failed': (_turn, data, { crossed }) =>
    ended(data, { kind: 'failed', as: null, output: null, failure: failingOutward(data, data.failing, crossed) }),
  'end.cancelled': (_turn, data) => ended(data, { kind: 'cancelled', as: null, output: null, failure: null }),
  'end.stopped': ({ event }, data) => {
    invariant(event?.type === 'run.stopped' || event?.type === 'run.reopened', 'an ending without its event');
    return ended(data, event.ending);
  },
  'finally.begin': ({ event }, data) => {
    invariant(event?.type === 'run.closing', 'a finally without what it is told');
    return { ...data, finally: { end: event.end, failure: null } };
  },
  'finally.skip': (_turn, data) => ({ ...data, finally: { end: null, failure: null } }),
  'finally.failed': (_turn, data, { crossed }) => {
    const { finally: begun } = data;
    invariant(begun !== undefined, 'a finally that fails before it has begun');
    return {
      ...data,
      failing: null,
      caught: {},
      finally: { ...begun, failure: failingOutward(data, data.failing, crossed) },
    };
  },
};

/** The names that XState must know. */
export const ASSIGN_NAMES = Object.keys(ASSIGNS) as readonly AssignName[];

/**
 * The data after an action.
 * @throws PAWL_INVARIANT for a name outside the closed list.
 */
export function applyAssign(turn: Turn, data: RunData, ref: ActionRef): RunData {
  const assign = (ASSIGNS as Readonly<Record<string, Assign<never>>>)[ref.type];
  invariant(assign !== undefined && Object.hasOwn(ASSIGNS, ref.type), 'no such action', { action: ref.type });
  return assign(turn, data, ref.params as never);
}

function withoutRounds(turn: Turn, data: RunData, { step, output }: Done): RunData {
  if (output === 'turns') return withoutTurns(data, step);
  return output === 'items' ? closeItems(turn, data, step) : data;
}

type Done = Pick<AssignParams['record.done'], 'step' | 'output'>;

type Body = { readonly step: string; readonly list: string };

/** The body of a group begins anew: what its steps have left is forgotten. */
function withoutBody(turn: Turn, data: RunData, { step, list }: Body): RunData {
  const isLane = isLaneList(list);
  const group = turn.program.step(step);
  const inside = allSteps(isLane ? laneSteps(group, list) : innerSteps(group)).map(({ id }) => id);
  return {
    ...data,
    visits: withoutKey(data.visits, list),
    ran: withoutKey(data.ran ?? {}, isLane ? list : step),
    steps: inside.reduce(withoutKey, data.steps),
  };
}

/** The outputs of all turns are the output of the step from now on; the number still tells which turn was the last. */
function withoutTurns(data: RunData, step: string): RunData {
  const list = bodyListId(step, 'turn');
  return { ...data, turns: { ...data.turns, [list]: { ...turnsOf(data, list), outputs: [] } } };
}

function blank(turn: Turn): StepRecord {
  return { skipped: false, attempts: 0, code: null, atMs: turn.nowMs };
}

const ENDS: ReadonlySet<FailureSource['kind']> = new Set([
  'step',
  'no-match',
  'timeout',
  'turns',
  'join',
  'duplicate-item',
  'items',
]);

/** Whether a failure is the last word of the step that it names: of one that settled, or whose time to go on has come, it is not. */
function endsStep(source: FailureSource): boolean {
  if (source.kind === 'fault') return source.of.kind !== 'clause';
  return ENDS.has(source.kind);
}

function withFailed(turn: Turn, data: RunData, step: string | null, code: string): RunData {
  return step === null ? data : { ...data, steps: { ...data.steps, [step]: { ...blank(turn), code } } };
}

function withOutput(record: StepRecord, output: Json | undefined): StepRecord {
  return output === undefined ? record : { ...record, output };
}

/** An empty `ran` is left out: the data of runs without a choose stays as small as it was. */
function remember(
  data: RunData,
  at: { readonly step: string; readonly ran: string | null; readonly record: StepRecord },
): RunData {
  const steps = { ...data.steps, [at.step]: at.record };
  return at.ran === null ? { ...data, steps } : { ...data, steps, ran: { ...data.ran, [at.ran]: at.step } };
}

function settledRecord(turn: Turn): StepRecord {
  const { event } = turn;
  invariant(event?.type === 'effect.settled' || event?.type === 'step.settled', 'a settled step without its event');
  return recordOf(event);
}

/** What a run remembers of a step that has settled. */
export function recordOf({ outcome, atMs }: Pick<SettledAct, 'outcome' | 'atMs'>): StepRecord {
  const record = { skipped: false, attempts: outcome.attempts, atMs };
  if (outcome.ok) return { ...record, code: null, output: outcome.output };
  return { ...record, code: outcome.failure.code };
}

function outputOf(
  turn: Turn,
  data: RunData,
  at: { step: string; output: AssignParams['record.done']['output'] },
): Json | undefined {
  if (at.output === 'none') return undefined;
  if (at.output === 'computed') {
    const computed = computedBefore(turn, data, { kind: 'output', step: at.step });
    invariant(computed.ok, 'an output that could not be computed', { step: at.step });
    return computed.value;
  }
  if (at.output === 'turns') return turnsOf(data, bodyListId(at.step, 'turn')).outputs;
  if (at.output === 'items') return mappedOutput(turn, data, at.step);
  if (at.output === 'branches') return outputOfBranches(parallelAt(turn.program, at.step), branchesOf(data, at.step));
  return lastOutput(data, at.step);
}

/** What the step gave that ran last in a group or a branch. */
function lastOutput(data: RunData, group: string): Json {
  const last = ownValue(data.ran ?? {}, group);
  const record = last === undefined ? undefined : ownValue(data.steps, last);
  return record?.output ?? null;
}

function increment(counts: Readonly<Record<string, number>>, key: string): Readonly<Record<string, number>> {
  return { ...counts, [key]: (ownValue(counts, key) ?? 0) + 1 };
}

function ended(data: RunData, ending: Ending): RunData {
  const { failingIn: _routed, ...rest } = data;
  return { ...rest, failing: null, caught: {}, ending };
}

function finished(turn: Turn, data: RunData, step: string | null): RunData {
  const computed = computedBefore(turn, data, { kind: 'output', step });
  invariant(computed.ok, 'an output that could not be computed', { step });
  const end = step === null ? null : turn.program.step(step);
  return ended(data, { kind: 'done', as: end?.verb === 'end' ? end.as : null, output: computed.value, failure: null });
}

type Failing = { readonly step: string | null; readonly source: FailureSource };

function failureFrom(turn: Turn, data: RunData, at: Failing): Failure {
  const { step, source } = at;
  const plain = { step, data: null, cause: null } as const;
  switch (source.kind) {
    case 'event':
      return settledFailure(turn);
    case 'fault':
      return faultFailure(turn, data, source);
    case 'step':
      return declaredFailure(turn, data, source);
    case 'limit':
      return limitFailure(data, step, source.caught);
    case 'duplicate-item':
    case 'items':
      return itemsFailure(turn, data, step, source);
    case 'join':
      invariant(step !== null, 'a join of no step');
      return joinFailure(parallelAt(turn.program, step), branchesOf(data, step));
    case 'handler': {
      const event = eventOf(turn);
      return {
        ...plain,
        code: event.name,
        class: 'rejected',
        message: `event ${event.name} makes the step fail`,
        data: event.data,
      };
    }
    case 'state': {
      const { code, state } = source;
      return { ...plain, code, class: 'rejected', message: `the machine has failed in state ${state}` };
    }
    default:
      return ownFailure(step, source.kind);
  }
}

const OWN_FAILURES = {
  'no-match': { class: 'no-match', message: (step: string) => `no branch of ${step} is true` },
  turns: { class: 'limit', message: (step: string) => `step ${step} has made all its turns` },
  timeout: { class: 'timeout', message: (step: string) => `step ${step} took too long` },
} as const;

/** A failure that a step has by itself; its code is its class. */
function ownFailure(step: string | null, kind: keyof typeof OWN_FAILURES): Failure {
  const { class: code, message } = OWN_FAILURES[kind];
  return { code, class: code, message: message(authorOf(step) ?? ''), step, data: null, cause: null };
}

function faultFailure(turn: Turn, data: RunData, source: Extract<FailureSource, { kind: 'fault' }>): Failure {
  const computed = computedBefore(turn, data, source.of);
  invariant(!computed.ok, 'a fault that is none', { step: source.of.step });
  const outward = failingOutward(data, failingAt(turn.program, data, source.of.step), crossedBy(source));
  return source.cause ? withCause(computed.failure, outward) : computed.failure;
}

function limitFailure(data: RunData, step: string | null, caught: boolean): Failure {
  const message = `step ${authorOf(step) ?? ''} has closed its cycle as often as maxJumps allows`;
  const failure: Failure = { code: 'limit', class: 'limit', message, step, data: null, cause: null };
  return caught && step !== null ? withCause(failure, ownValue(data.caught, step) ?? null) : failure;
}

function crossedBy(source: Extract<FailureSource, { kind: 'fault' }>): readonly string[] {
  return source.of.kind === 'clause' ? source.of.crossed : [];
}

function settledFailure(turn: Turn): Failure {
  const { event } = turn;
  invariant(
    (event?.type === 'effect.settled' || event?.type === 'step.settled') && !event.outcome.ok,
    'a failure without its event',
  );
  return event.outcome.failure;
}

function declaredFailure(turn: Turn, data: RunData, source: Extract<FailureSource, { kind: 'step' }>): Failure {
  const computed = computedBefore(turn, data, source.of);
  if (!computed.ok) return computed.failure;
  const said = computed.value as JsonObject;
  const code = textOf(said['code'], 'failed');
  return {
    code,
    class: 'rejected',
    message: textOf(said['message'], code),
    step: source.of.step,
    data: said['data'] ?? null,
    cause: null,
  };
}

function textOf(value: Json | undefined, otherwise: string): string {
  if (value === undefined || value === null) return otherwise;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
