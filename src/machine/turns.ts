import { ownValue } from '../model/own-value.ts';
import type { RunData, Turns } from '../model/run.ts';

/** Before the first turn. */
export const NO_TURNS: Turns = { no: 0, outputs: [] };

/** The turns of a repeat's list. */
export function turnsOf(data: RunData, list: string): Turns {
  return ownValue(data.turns ?? {}, list) ?? NO_TURNS;
}
