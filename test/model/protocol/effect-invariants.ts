import type { Goal } from './explore.ts';
import type { EffectRules } from './effect-rules.ts';
import { AT, PHASE, ROW } from './effect-state.ts';

/** What must hold in every state of the effect protocol, by the numbers of the published table. */
export const EFFECT_INVARIANTS = ['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I8', 'I9', 'I10'] as const;

/** What each name of an invariant or goal says. */
export const INVARIANT_TEXTS = {
  I1: 'no effect happens twice',
  I2: 'CONFIRMED: it happened',
  I3: 'FAILED or ABSENT: it never happens',
  I4: 'COMPLETED: each effect happened once and no compensation did; a kept loser is settled as it is in the world',
  I5: 'COMPENSATED: net zero for every effect, and it stays so',
  I6: 'a compensation happens only after its effect did',
  I7: 'only the holder of the fence writes, and an end is for good',
  I8: 'a result is recorded once',
  I9: 'a run whose cancel was accepted does not complete',
  I10: 'nothing happens without a committed intent',
  I11: 'an end or a person is always within reach',
  I12: 'an end is always within reach',
} as const;

const bit = (holds: boolean, number: number): number => (holds ? 0 : 1 << (number - 1));

/** What a state breaks, in the variant. */
export function effectViolations(rules: EffectRules): (state: Uint8Array) => number {
  const first = rules.effects === 1 ? 1 : 0;
  const applied = (state: Uint8Array, effect: number): number => Number(state[AT.applied + effect]);
  const ofEffect = (state: Uint8Array, effect: number): number => {
    const row = state[AT.row + effect];
    const times = applied(state, effect);
    return (
      bit(times <= 1, 1) |
      bit(row !== ROW.confirmed || times > 0, 2) |
      bit(row !== ROW.settledWithout || times === 0, 3) |
      bit(Number(state[AT.results + effect]) <= 1, 8) |
      bit(row !== ROW.none || times === 0, 10)
    );
  };
  const isFirstRight = (state: Uint8Array): boolean => {
    if (first === 1) return true;
    if (state[AT.loser] === 0) return applied(state, 0) === 1;
    const wanted = state[AT.row] === ROW.confirmed ? 1 : 0;
    return applied(state, 0) === wanted && (wanted === 1 || state[AT.row] === ROW.settledWithout);
  };
  const isComplete = (state: Uint8Array): boolean =>
    isFirstRight(state) && applied(state, 1) === 1 && applied(state, 2) === 0 && applied(state, 3) === 0;
  return (state) => {
    let mask = bit(state[AT.badWrite] === 0, 7);
    for (let effect = 0; effect < 4; effect += 1) mask |= ofEffect(state, effect);
    for (let effect = 0; effect < 2; effect += 1) {
      const times = applied(state, effect);
      const undone = applied(state, effect + 2);
      mask |= bit(state[AT.phase] !== PHASE.compensated || times === undone, 5) | bit(undone === 0 || times > 0, 6);
    }
    if (state[AT.phase] === PHASE.completed) mask |= bit(isComplete(state), 4) | bit(state[AT.cancelled] === 0, 9);
    return mask;
  };
}

/** What must stay reachable: an end or a person; an end. */
export function effectGoals(): readonly Goal[] {
  const hasEnded = (state: Uint8Array): boolean =>
    state[AT.phase] === PHASE.completed || state[AT.phase] === PHASE.compensated;
  return [
    { name: 'I11', isReached: (state) => hasEnded(state) || state[AT.phase] === PHASE.held },
    { name: 'I12', isReached: hasEnded },
  ];
}
