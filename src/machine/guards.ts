import { invariant } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { GuardRef } from '../model/machine.ts';
import { ownValue } from '../model/own-value.ts';
import type { RunData } from '../model/run.ts';
import { failureIn, parallelAt } from './branches.ts';
import { compute, type Turn } from './compute.ts';
import { mapOf } from './compute-items.ts';
import { itemsOf, itemsVerdict } from './items.ts';
import type { GuardName, GuardParams } from './kernel-names.ts';
import { isClaimable } from './lane-data.ts';
import { sidesOf } from './sides.ts';
import { turnsOf } from './turns.ts';

type Check<Name extends GuardName> = (turn: Turn, data: RunData, params: GuardParams[Name]) => boolean;

/** What each guard of the closed list asks. None throws for an expression that cannot be computed: that is a verdict too. */
const GUARDS: { readonly [Name in GuardName]: Check<Name> } = {
  all: (turn, data, { guards }) => guards.every((one) => checkGuard(turn, data, one)),
  settled: ({ event }, _data, { step, ok }) =>
    (event?.type === 'effect.settled' || event?.type === 'step.settled') &&
    event.step === step &&
    (ok === null || event.outcome.ok === ok),
  named: ({ event }, _data, { name, except, since }) =>
    event?.type === 'event.received' &&
    isNamed(event.event.name, name) &&
    !except.includes(event.event.name) &&
    (since === null || event.early?.includes(since) !== true),
  taken: ({ event }, _data, { step, handler, open }) =>
    event?.type === 'handler.taken' &&
    event.step === step &&
    event.handler === handler &&
    (open === null || event.open === open),
  expired: ({ event }, _data, { step, open, closed }) =>
    event?.type === 'group.expired' &&
    event.step === step &&
    (open === null || event.open.includes(open)) &&
    (closed === null || !event.open.includes(closed)),
  halted: ({ event }, _data, { step, open, closed }) =>
    event?.type === 'branches.stopped' &&
    event.step === step &&
    (open === null || event.open.includes(open)) &&
    (closed === null || !event.open.includes(closed)),
  undone: ({ event }, _data, { step }) => event?.type === 'group.undone' && event.step === step,
  retried: ({ event }, _data, { step }) => event?.type === 'step.retried' && event.step === step,
  terminated: ({ event }) => event?.type === 'run.stopped' && event.ending.kind === 'terminated',
  verdict: (turn, data, { of }) => {
    const computed = compute(turn, data, of);
    return computed.ok && computed.value === true;
  },
  faulty: (turn, data, { of }) => !compute(turn, data, of).ok,
  jumpable: (_turn, data, { step, max }) => (ownValue(data.jumps, step) ?? 0) < max,
  turnable: (_turn, data, { list, max }) => turnsOf(data, list).no + 1 < max,
  duplicated: (turn, data, { of }) => {
    const computed = compute(turn, data, of);
    return computed.ok && (computed.value as JsonObject)['duplicate'] !== null;
  },
  itemsAre: ({ program }, data, { step, list, is }) => itemsVerdict(mapOf(program, step), itemsOf(data, list)) === is,
  failing: (_turn, data, { in: branch }) => (branch === undefined ? data.failing : failureIn(data, branch)) !== null,
  need: (turn, data, { step, is }) => {
    const need = compute(turn, data, { kind: 'count', step });
    if (!need.ok) return false;
    return is === 'none'
      ? Number(need.value) <= 0
      : Number(need.value) > parallelAt(turn.program, step).branches.length;
  },
  claimable: ({ program }, data, { step }) => isClaimable(mapOf(program, step), data),
  idle: (_turn, { lanes = {} }, { list }) => !Object.hasOwn(lanes, list),
  joined: ({ program }, data, { step, as }) => {
    const { decision, isOver, stopping, way } = sidesOf(program, data, step);
    if (as === 'stops') return decision !== null && !stopping && !isOver;
    // Those under way were told; nobody waits for them.
    if (as === 'kept') return decision === 'met' && way === null && (stopping || isOver);
    return decision === as && isOver;
  },
  leaving: ({ program }, data, { step, way }) => {
    const sides = sidesOf(program, data, step);
    return sides.way === way && sides.isOver;
  },
  leavable: ({ program }, data, { step, way }) => {
    const { way: before } = sidesOf(program, data, step);
    return before === null || before < way;
  },
  sound: (_turn, data) => data.failing === null,
  holding: ({ holds }) => holds,
  closable: (_turn, data) => data.finally === undefined && data.ending?.kind !== 'terminated',
  completing: (_turn, data) => data.ending?.kind === 'done',
};

/** The names that XState must know. */
export const GUARD_NAMES = Object.keys(GUARDS) as readonly GuardName[];

/**
 * Whether a guard holds.
 * @throws PAWL_INVARIANT for a name outside the closed list.
 */
export function checkGuard(turn: Turn, data: RunData, ref: GuardRef): boolean {
  const check = (GUARDS as Readonly<Record<string, Check<never>>>)[ref.type];
  invariant(check !== undefined && Object.hasOwn(GUARDS, ref.type), 'no such guard', { guard: ref.type });
  return check(turn, data, ref.params as never);
}

/** Whether a name is what a machine waits for: itself, anything (`*`), or what begins with the same words (`order.*`). */
export function isNamed(name: string, wanted: string): boolean {
  if (wanted === '*' || wanted === name) return true;
  if (!wanted.endsWith('.*')) return false;
  const words = wanted.slice(0, -'.*'.length);
  return name === words || name.startsWith(`${words}.`);
}
