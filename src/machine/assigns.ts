import { assertNever, invariant } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { ActionRef } from '../model/machine.ts';
import { ownValue, withoutKey } from '../model/own-value.ts';
import type { Ending, Failure, RunData, StepRecord } from '../model/run.ts';
import { allSteps, innerSteps } from '../model/step-lists.ts';
import { compute, computedBefore, eventOf, failingOutward, type Turn, withCause } from './compute.ts';
import type { AssignName, AssignParams, FailureSource } from './kernel-names.ts';
import { bodyListId } from './outline.ts';
import { NO_TURNS, turnsOf } from './turns.ts';

type Assign<Name extends AssignName> = (turn: Turn, data: RunData, params: AssignParams[Name]) => RunData;

/** What each data action of the closed list does. All are pure; none reads a clock. */
const ASSIGNS: { readonly [Name in AssignName]: Assign<Name> } = {
  'record.settled': (turn, data, { step, ran }) => remember(data, { step, ran, record: settledRecord(turn) }),
  'record.skipped': (turn, data, { step }) =>
    remember(data, { step, ran: null, record: { ...blank(turn), skipped: true } }),
  'record.done': (turn, data, { step, ran, output }) =>
    remember(output === 'turns' ? withoutTurns(data, step) : data, {
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
    const inside = allSteps(innerSteps(turn.program.step(step))).map(({ id }) => id);
    const before = turnsOf(data, list);
    return {
      ...data,
      visits: withoutKey(data.visits, list),
      ran: withoutKey(data.ran ?? {}, step),
      steps: inside.reduce(withoutKey, data.steps),
      turns: { ...data.turns, [list]: first ? NO_TURNS : { ...before, no: before.no + 1 } },
    };
  },
  'turn.end': (turn, data, { step, list }) => {
    const before = turnsOf(data, list);
    const output = outputOf(turn, data, { step, output: 'ran' }) ?? null;
    return { ...data, turns: { ...data.turns, [list]: { ...before, outputs: [...before.outputs, output] } } };
  },
  fail: (turn, data, { step, source }) => {
    const failing = failureFrom(turn, data, { step, source });
    return { ...(endsStep(source) ? withFailed(turn, data, failing) : data), failing };
  },
  catch: (_turn, data, { step, crossed }) => {
    const failure = failingOutward(data, crossed);
    invariant(failure !== null, 'a clause without a failure', { step });
    const caught = crossed.reduce(withoutKey, data.caught);
    return { ...data, failing: null, caught: { ...caught, [step]: failure } };
  },
  uncatch: (_turn, data, { steps }) => ({ ...data, caught: steps.reduce(withoutKey, data.caught) }),
  raise: (_turn, data, { step }) => ({ ...data, failing: ownValue(data.caught, step) ?? null }),
  forgive: (_turn, data) => ({ ...data, failing: null }),
  'end.done': (turn, data, { step }) => finished(turn, data, step),
  'end.failed': (_turn, data, { crossed }) =>
    ended(data, { kind: 'failed', as: null, output: null, failure: failingOutward(data, crossed) }),
  'end.cancelled': (_turn, data) => ended(data, { kind: 'cancelled', as: null, output: null, failure: null }),
  'end.stopped': ({ event }, data) => {
    invariant(event?.type === 'run.stopped' || event?.type === 'run.reopened', 'an ending without its event');
    return ended(data, event.ending);
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

/** The outputs of all turns are the output of the step from now on; the number still tells which turn was the last. */
function withoutTurns(data: RunData, step: string): RunData {
  const list = bodyListId(step, 'turn');
  return { ...data, turns: { ...data.turns, [list]: { ...turnsOf(data, list), outputs: [] } } };
}

function blank(turn: Turn): StepRecord {
  return { skipped: false, attempts: 0, code: null, atMs: turn.nowMs };
}

const ENDS: ReadonlySet<FailureSource['kind']> = new Set(['step', 'no-match', 'timeout', 'turns']);

/** Whether a failure is the last word of the step that it names: of one that settled, or whose time to go on has come, it is not. */
function endsStep(source: FailureSource): boolean {
  if (source.kind === 'fault') return source.of.kind !== 'clause';
  return ENDS.has(source.kind);
}

function withFailed(turn: Turn, data: RunData, { step, code }: Failure): RunData {
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
  const record = { skipped: false, attempts: event.outcome.attempts, atMs: event.atMs };
  if (event.outcome.ok) return { ...record, code: null, output: event.outcome.output };
  return { ...record, code: event.outcome.failure.code };
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
  const last = ownValue(data.ran ?? {}, at.step);
  const record = last === undefined ? undefined : ownValue(data.steps, last);
  return record?.output ?? null;
}

function increment(counts: Readonly<Record<string, number>>, key: string): Readonly<Record<string, number>> {
  return { ...counts, [key]: (ownValue(counts, key) ?? 0) + 1 };
}

function ended(data: RunData, ending: Ending): RunData {
  return { ...data, failing: null, caught: {}, ending };
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
    case 'no-match':
      return { ...plain, code: 'no-match', class: 'no-match', message: `no branch of ${step ?? ''} is true` };
    case 'turns':
      return { ...plain, code: 'limit', class: 'limit', message: `step ${step ?? ''} has made all its turns` };
    case 'timeout':
      return { ...plain, code: 'timeout', class: 'timeout', message: `step ${step ?? ''} took too long` };
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
    default:
      return assertNever(source);
  }
}

function faultFailure(turn: Turn, data: RunData, source: Extract<FailureSource, { kind: 'fault' }>): Failure {
  const computed = computedBefore(turn, data, source.of);
  invariant(!computed.ok, 'a fault that is none', { step: source.of.step });
  return source.cause ? withCause(computed.failure, failingOutward(data, crossedBy(source))) : computed.failure;
}

function limitFailure(data: RunData, step: string | null, caught: boolean): Failure {
  const message = `step ${step ?? ''} has closed its cycle as often as maxJumps allows`;
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
