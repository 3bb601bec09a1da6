import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import { EFFECT_STATES, type EffectState, OPEN_EFFECT_STATES } from '../model/statuses.ts';

/** One legal move of a ledger row, and what makes it legal. */
export interface EffectMove {
  readonly from: EffectState;
  readonly to: EffectState;
  readonly why: string;
  /** It is never made together with another in one commit. */
  readonly alone?: true;
}

/**
 * The one transition table of effects (3-semantics, "Effect states"). Code moves rows only through `moveEffect`, the
 * store's guard text, the models and the docs are made from this list; nothing else says what is legal.
 */
export const EFFECT_MOVES: readonly EffectMove[] = [
  { from: 'PROPOSED', to: 'AUTHORIZED', why: 'policy and approval said yes' },
  { from: 'PROPOSED', to: 'REFUSED', why: 'policy or approval said no' },
  { from: 'PROPOSED', to: 'CANCELLED', why: 'the run no longer wants it' },
  { from: 'PROPOSED', to: 'CONFIRMED', why: 'another run did it, or undid it, and tells (E11)' },
  { from: 'PROPOSED', to: 'FAILED', why: 'another run was refused, and tells (E11)' },
  { from: 'AUTHORIZED', to: 'REQUESTED', why: 'the commit that lets the first byte leave' },
  { from: 'AUTHORIZED', to: 'CANCELLED', why: 'nothing is in flight and the run no longer wants it' },
  { from: 'AUTHORIZED', to: 'FAILED', why: 'the deadline came before the next sending' },
  { from: 'AUTHORIZED', to: 'UNKNOWN', why: 'somebody says or asks that lost commits had sent it (P14)', alone: true },
  { from: 'REQUESTED', to: 'CONFIRMED', why: 'a definite answer: done' },
  { from: 'REQUESTED', to: 'FAILED', why: 'a definite refusal, or the attempts are used up' },
  { from: 'REQUESTED', to: 'UNKNOWN', why: 'no definite answer, or its sender is gone' },
  { from: 'REQUESTED', to: 'AUTHORIZED', why: 'definitely not happened, a retry is due' },
  { from: 'UNKNOWN', to: 'CONFIRMED', why: 'a query, an event or a person says: done' },
  { from: 'UNKNOWN', to: 'FAILED', why: 'a query or a person says declined, or the action names that answer (E15)' },
  { from: 'UNKNOWN', to: 'ABSENT', why: 'never happened, after the quarantine, for good' },
  { from: 'UNKNOWN', to: 'AUTHORIZED', why: 'never happened, and the retry policy has room' },
  { from: 'UNKNOWN', to: 'REQUESTED', why: 'the same key and bytes again, while remembered' },
  { from: 'FAILED', to: 'WAIVED', why: 'a compensation that a person lets go' },
  { from: 'REFUSED', to: 'WAIVED', why: 'a compensation that nobody approved and a person lets go (R23)' },
  { from: 'FAILED', to: 'CONFIRMED', why: 'the person who resolves a late proof (E08)' },
  { from: 'ABSENT', to: 'CONFIRMED', why: 'the person who resolves a late proof (E08)' },
];

/** States in which a row may be born; CONFIRMED only as a compensation that a person did by hand (R16). */
export const BIRTH_STATES = [
  'PROPOSED',
  'AUTHORIZED',
  'REQUESTED',
  'CONFIRMED',
] as const satisfies readonly EffectState[];

/** States in which something may still happen by itself. */
export const OPEN_STATES = OPEN_EFFECT_STATES;

const MOVES: ReadonlySet<string> = new Set(EFFECT_MOVES.map((move) => `${move.from}>${move.to}`));

/** Whether the table has the move. */
export function canMove(from: EffectState, to: EffectState): boolean {
  return MOVES.has(`${from}>${to}`);
}

/** Whether nothing is left to undo of a compensation's row: it is undone, or a person lets it stand. */
export function isDone({ state }: Pick<Effect, 'state'>): boolean {
  return state === 'CONFIRMED' || state === 'WAIVED';
}

/** Whether the row may still change by itself: PROPOSED, AUTHORIZED, REQUESTED, UNKNOWN. */
export function isOpen(state: EffectState): boolean {
  return (OPEN_STATES as readonly EffectState[]).includes(state);
}

/** Whether the row has its last word: CONFIRMED, FAILED, ABSENT, REFUSED, CANCELLED, WAIVED. */
export function isSettled(state: EffectState): boolean {
  return !isOpen(state);
}

/**
 * Whether one commit may change a stored row from one state to another. A commit may take several moves at once
 * (definitely not happened, authorized again, requested again), but never passes through REQUESTED: a sending lies between.
 */
export function canStore(from: EffectState, to: EffectState): boolean {
  return STORED.has(`${from}>${to}`);
}

/** Every (from, to) that `canStore` allows, an open row's change of numbers (from = to) included; for the store's guard. */
export const STORED_MOVES: readonly { readonly from: EffectState; readonly to: EffectState }[] = storedMoves();
const STORED: ReadonlySet<string> = new Set(STORED_MOVES.map((move) => `${move.from}>${move.to}`));

function storedMoves(): { from: EffectState; to: EffectState }[] {
  const together = EFFECT_MOVES.filter((move) => move.alone !== true);
  return EFFECT_STATES.flatMap((from) => {
    const alone = EFFECT_MOVES.filter((move) => move.alone === true && move.from === from);
    const reached = new Set<EffectState>([...(isOpen(from) ? [from] : []), ...alone.map((move) => move.to)]);
    const frontier: EffectState[] = [from];
    for (let state = frontier.pop(); state !== undefined; state = frontier.pop()) {
      for (const move of together) {
        const known = move.from !== state || (reached.has(move.to) && move.to !== from);
        if (known) continue;
        reached.add(move.to);
        if (move.to !== 'REQUESTED' && isOpen(move.to) && move.to !== from) frontier.push(move.to);
      }
    }
    return [...reached].map((to) => ({ from, to }));
  });
}

/** What a move may change beside the state; identity and request are for life. */
export type EffectDelta = Partial<
  Omit<
    Effect,
    | 'key'
    | 'ingredients'
    | 'step'
    | 'frames'
    | 'action'
    | 'contract'
    | 'request'
    | 'requestHash'
    | 'state'
    | 'compensates'
  >
>;

/**
 * Moves a row along the table.
 * @throws PAWL_INVARIANT when the table has no such move, an attempt number does not rise with REQUESTED, or a settled
 * row would have no settling time.
 */
export function moveEffect(effect: Effect, to: EffectState, delta: EffectDelta): Effect {
  invariant(canMove(effect.state, to), 'this move of an effect is not in the table', {
    key: effect.key,
    from: effect.state,
    to,
  });
  const next: Effect = { ...effect, ...delta, state: to };
  invariant(
    next.attempt === effect.attempt + (to === 'REQUESTED' ? 1 : 0),
    'an attempt number rises with REQUESTED, and only then',
    {
      key: effect.key,
      before: effect.attempt,
      after: next.attempt,
    },
  );
  invariant(isOpen(to) === (next.settledAtMs === null), 'a row has a settling time exactly when it is settled', {
    key: effect.key,
    to,
  });
  invariant(to === 'UNKNOWN' || next.doubt === null, 'only an UNKNOWN row is in doubt', { key: effect.key, to });
  return next;
}

/**
 * Changes the numbers of an open row without moving it (a query was asked, a not-before was set).
 * @throws PAWL_INVARIANT for a settled row: those never change.
 */
export function touchEffect(effect: Effect, delta: EffectDelta): Effect {
  invariant(isOpen(effect.state), 'a settled effect never changes', { key: effect.key, state: effect.state });
  const next: Effect = { ...effect, ...delta };
  invariant(next.attempt === effect.attempt && next.settledAtMs === null, 'only a move changes attempts or settles', {
    key: effect.key,
  });
  return next;
}
