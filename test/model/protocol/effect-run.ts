import { AT, PHASE, ROW } from './effect-state.ts';
import type { EffectRules } from './effect-rules.ts';

/** Where a run stands and what is next for it: the pure part of the protocol, as the decision is in the engine. */
export interface RunOf {
  /** The effects that a decider may work at now; none when only the phase can change. */
  readonly candidates: (state: Uint8Array) => readonly number[];
  /** Moves the run on, in the commit that settled a row. */
  readonly advance: (state: Uint8Array) => void;
  /** Whether an accepted cancel may turn the run round now, given the effect that would be next. */
  readonly canTurn: (state: Uint8Array, next: number) => boolean;
}

const ALL: readonly (readonly number[])[] = [[0], [1], [2], [3]];
const NONE: readonly number[] = [];
const BOTH: readonly number[] = [1, 0];

const isOpen = (row: number): boolean => row === ROW.requested || row === ROW.unknown;

/** Ends the run; a second end of another kind is a bad write. */
function end(state: Uint8Array, phase: number): void {
  if (state[AT.lastEnd] !== 0 && state[AT.lastEnd] !== phase) state[AT.badWrite] = 1;
  state[AT.phase] = phase;
  state[AT.lastEnd] = phase;
}

/** The run of a variant. */
export function runOf(rules: EffectRules): RunOf {
  const first = rules.effects === 1 ? 1 : 0;
  const row = (state: Uint8Array, effect: number): number => Number(state[AT.row + effect]);
  const needsUndo = (state: Uint8Array, effect: number): boolean => {
    const isDone =
      row(state, effect) === ROW.confirmed || (rules.mutant === 'undo in doubt' && isOpen(row(state, effect)));
    return isDone && row(state, effect + 2) !== ROW.confirmed;
  };
  const lost = (state: Uint8Array): boolean => state[AT.loser] === 1;
  const isLoserOpen = (state: Uint8Array): boolean => lost(state) && isOpen(row(state, 0));

  const inRace = (state: Uint8Array): readonly number[] => {
    const isNextOver = row(state, 1) === ROW.confirmed || row(state, 1) === ROW.settledWithout;
    const isTurning = state[AT.cancelled] === 1 && row(state, 1) === ROW.none;
    const waitsForLoser = isLoserOpen(state);
    if (!waitsForLoser) return isNextOver ? NONE : [1];
    return isNextOver || (isTurning && rules.mutant !== 'undoes before losers settle') ? [0] : BOTH;
  };
  const inForward = (state: Uint8Array): readonly number[] => {
    if (lost(state)) return inRace(state);
    for (let effect = first; effect < 2; effect += 1)
      if (row(state, effect) !== ROW.confirmed) return ALL[effect] ?? NONE;
    return NONE;
  };
  const inUndo = (state: Uint8Array): readonly number[] => {
    for (let effect = 1; effect >= first; effect -= 1) if (needsUndo(state, effect)) return ALL[effect + 2] ?? NONE;
    return NONE;
  };

  const isComplete = (state: Uint8Array): boolean => {
    if (row(state, 1) !== ROW.confirmed) return false;
    if (lost(state)) return !isLoserOpen(state) || rules.mutant === 'ends before losers settle';
    return first === 1 || row(state, 0) === ROW.confirmed;
  };
  const hasFailed = (state: Uint8Array): boolean => {
    if (!lost(state)) return row(state, 0) === ROW.settledWithout || row(state, 1) === ROW.settledWithout;
    const mayUndo = !isLoserOpen(state) || rules.mutant === 'undoes before losers settle';
    return row(state, 1) === ROW.settledWithout && mayUndo;
  };
  return {
    candidates(state) {
      if (state[AT.phase] === PHASE.forward) return inForward(state);
      return state[AT.phase] === PHASE.compensating ? inUndo(state) : NONE;
    },
    advance(state) {
      if (state[AT.phase] === PHASE.forward) {
        if (isComplete(state)) {
          if (state[AT.cancelled] === 1 && rules.mutant !== 'cancel ignored') state[AT.phase] = PHASE.compensating;
          else end(state, PHASE.completed);
        } else if (hasFailed(state)) state[AT.phase] = PHASE.compensating;
      }
      if (state[AT.phase] === PHASE.compensating && inUndo(state).length === 0) end(state, PHASE.compensated);
    },
    canTurn(state, next) {
      return state[AT.phase] === PHASE.forward && state[AT.cancelled] === 1 && row(state, next) === ROW.none;
    },
  };
}
