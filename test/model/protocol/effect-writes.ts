import { raise } from './effect-fields.ts';
import type { EffectRules } from './effect-rules.ts';
import type { RunOf } from './effect-run.ts';
import { AT, PHASE, ROW } from './effect-state.ts';

/** Counts of what happened stop here; two is already one too many. */
export const COUNT_MAX = 3;

/** A change of rows inside a commit; `effect` is the one in the worker's hands. */
export type Write = (next: Uint8Array, effect: number) => void;

/** What commits write. */
export type Writes = Readonly<
  Record<
    | 'advance'
    | 'turn'
    | 'intend'
    | 'askPerson'
    | 'record'
    | 'position'
    | 'confirm'
    | 'settleWithout'
    | 'refuse'
    | 'enterDoubt'
    | 'attempt',
    Write
  >
>;

/**
 * The writes of a variant.
 * @param moves takes the moves of the engine's table that an attempt stands for
 */
export function writesOf(rules: EffectRules, run: RunOf, moves: Set<string>): Writes {
  const advance: Write = (next) => run.advance(next);
  const turn: Write = (next) => {
    next[AT.phase] = PHASE.compensating;
    run.advance(next);
  };
  const intend: Write = (next, effect) => {
    next[AT.row + effect] = ROW.requested;
  };
  const askPerson: Write = (next, effect) => {
    next[AT.row + effect] = ROW.review;
    next[AT.phase] = PHASE.held;
  };
  const record: Write = (next, effect) => raise(next, AT.results + effect, COUNT_MAX);
  const position: Write = (next, effect) => {
    next[AT.row + effect] = ROW.confirmed;
    run.advance(next);
  };
  const confirm: Write = (next, effect) => {
    record(next, effect);
    position(next, effect);
  };
  const settleWithout: Write = (next, effect) => {
    next[AT.row + effect] = ROW.settledWithout;
    run.advance(next);
  };
  /** E15: "already exists" after a doubt is not "never happened"; with a query to ask it stays in doubt, else a person is asked. */
  const refuse: Write = (next, effect) => {
    const isProof = !rules.exists || rules.mutant === 'refusal after doubt is proof';
    if (isProof || next[AT.row + effect] !== ROW.unknown) settleWithout(next, effect);
    else if (!rules.lookup) askPerson(next, effect);
  };
  const enterDoubt: Write = (next, effect) => {
    const row = next[AT.row + effect];
    if (row === ROW.requested || row === ROW.none) next[AT.row + effect] = ROW.unknown;
  };
  /** The attempts of a row are not in the model, only that it was in doubt, where an answer's meaning hangs on it (E15). */
  const attempt: Write = (next, effect) => {
    const wasRequested = next[AT.row + effect] === ROW.requested;
    if (wasRequested) moves.add('REQUESTED>UNKNOWN');
    for (const move of rules.lookup ? ['UNKNOWN>AUTHORIZED', 'AUTHORIZED>REQUESTED'] : ['UNKNOWN>REQUESTED'])
      moves.add(move);
    if (rules.exists) next[AT.row + effect] = ROW.unknown;
  };
  return { advance, turn, intend, askPerson, record, position, confirm, settleWithout, refuse, enterDoubt, attempt };
}
