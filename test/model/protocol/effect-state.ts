import { BIRTH_STATES, canMove } from '../../../src/decision/effect-lifecycle.ts';
import type { EffectState } from '../../../src/model/statuses.ts';

/** Where the fields of a state of the effect protocol lie. Forward effects are 0 and 1, their compensations 2 and 3. */
export const AT = {
  phase: 0,
  cancelled: 1,
  leased: 2,
  badWrite: 3,
  lastEnd: 4,
  loser: 5,
  replica: 6,
  savedPhase: 7,
  savedCancelled: 8,
  savedEnd: 9,
  row: 10,
  applied: 14,
  answer: 18,
  orphans: 22,
  results: 26,
  savedRow: 30,
  worker: 34,
} as const;

/** Fields of a worker, `WORKER_SIZE` each, from `AT.worker` on. */
export const OF_WORKER = { at: 0, holds: 1, effect: 2, wire: 3 } as const;
/** Fields that each worker has. */
export const WORKER_SIZE = 4;

/** Phases of the run; `held` waits for a person. */
export const PHASE = { forward: 0, compensating: 1, completed: 2, compensated: 3, held: 4 } as const;

/**
 * What the ledger says of an effect. `settledWithout` is FAILED or ABSENT, `review` an UNKNOWN row (or a compensation that
 * was refused for good) that a person is asked about. A row that is sent again stays `unknown`: nothing that may follow
 * tells REQUESTED with an earlier doubt from UNKNOWN.
 */
export const ROW = { none: 0, requested: 1, unknown: 2, confirmed: 3, settledWithout: 4, review: 5 } as const;

/** Where a worker is. */
export const DOING = {
  idle: 0,
  decide: 1,
  send: 2,
  wait: 3,
  heardDone: 4,
  heardRefused: 5,
  heardNothing: 6,
  ask: 7,
  sendAgain: 8,
  writePosition: 9,
} as const;

/** What is on a worker's wire: a request, or its answer. */
export const WIRE = { none: 0, request: 1, done: 2, refused: 3 } as const;

/** Bits of every field; what a variant has no use for takes none. */
export function bitsOf(workers: number, isFailover: boolean): readonly number[] {
  const saved = (bits: number): number => (isFailover ? bits : 0);
  const four = (bits: number): number[] => [bits, bits, bits, bits];
  return [
    ...[3, 1, 1, 1, 3, 1],
    ...[saved(2), saved(3), saved(1), saved(3)],
    ...[...four(3), ...four(2), ...four(2), ...four(2), ...four(2), ...four(saved(3))],
    ...Array.from({ length: workers }, () => [4, 1, 2, 2]).flat(),
  ];
}

/** Moves of the engine's table, as `FROM>TO`, that a change of a model's row stands for; `new>TO` is a birth. */
const MOVES_OF_CHANGE: ReadonlyMap<number, readonly string[]> = new Map([
  [changeOf(ROW.none, ROW.requested), ['new>REQUESTED']],
  [changeOf(ROW.requested, ROW.unknown), ['REQUESTED>UNKNOWN']],
  [changeOf(ROW.requested, ROW.confirmed), ['REQUESTED>CONFIRMED']],
  [changeOf(ROW.requested, ROW.settledWithout), ['REQUESTED>FAILED']],
  [changeOf(ROW.requested, ROW.review), ['REQUESTED>UNKNOWN']],
  [changeOf(ROW.unknown, ROW.confirmed), ['UNKNOWN>CONFIRMED']],
  [changeOf(ROW.unknown, ROW.settledWithout), ['UNKNOWN>FAILED']],
  [changeOf(ROW.unknown, ROW.review), []],
  [changeOf(ROW.review, ROW.confirmed), ['UNKNOWN>CONFIRMED']],
  [changeOf(ROW.review, ROW.settledWithout), ['UNKNOWN>ABSENT']],
  // A compensation that did not happen: its row is closed, the next generation's is born by the next intent.
  [changeOf(ROW.review, ROW.none), ['UNKNOWN>ABSENT']],
  [changeOf(ROW.settledWithout, ROW.review), []],
]);

/** A change of a model's row as one number, below `CHANGES_MAX`. */
export function changeOf(from: number, to: number): number {
  return from * 8 + to;
}
/** Upper bound of `changeOf`. */
export const CHANGES_MAX = 64;

/** Names of the model's rows, for moves that the engine's table has no word for. */
const ROW_NAMES = ['new', 'REQUESTED', 'UNKNOWN', 'CONFIRMED', 'FAILED', 'UNKNOWN'];

/** The moves that a change of a row stands for; one that no rule makes is told as it is. */
export function movesOfChange(change: number): readonly string[] {
  return MOVES_OF_CHANGE.get(change) ?? [`${ROW_NAMES[change >> 3]}>${ROW_NAMES[change & 7]}`];
}

/** Whether the engine's own transition table has a move. */
export function isInTable(move: string): boolean {
  const [from = '', to = ''] = move.split('>');
  return from === 'new'
    ? (BIRTH_STATES as readonly string[]).includes(to) && to !== 'CONFIRMED'
    : canMove(from as EffectState, to as EffectState);
}
