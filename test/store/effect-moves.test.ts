import { expect, it } from 'vitest';
import { STORED_MOVES } from '../../src/decision/effect-lifecycle.ts';
import { STORED_EFFECT_MOVES } from '../../src/store/effect-moves.ts';

it('The guard of the commit allows exactly the moves of the one transition table', () => {
  expect([...STORED_EFFECT_MOVES].sort()).toEqual(STORED_MOVES.map(({ from, to }) => `${from}>${to}`).sort());
});
