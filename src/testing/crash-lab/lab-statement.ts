import type { SendOrder } from '../../model/order.ts';
import type { PlayedStatement } from '../../store/memory/act.ts';
import type { ScriptWord } from '../provider/script.ts';
import { answered } from '../simulator/answered.ts';
import { CannotPlay } from './answer-bodies.ts';
import { type ActionWires, wordForCall } from './lab-actions.ts';

/** What a statement is played with. */
export type StatementWires = Pick<ActionWires, 'lab' | 'story' | 'provider' | 'countCall' | 'onProblem'>;

function undone(code: string, passing: boolean): PlayedStatement {
  return { report: { kind: 'undone', code, reason: `the script says ${code}`, passing, data: null } };
}

/** How a script has a statement fail; null = it does what it says. No answer of a database is lost without it. */
function failureOf(word: ScriptWord): PlayedStatement | null {
  switch (word.kind) {
    case 'declined':
      return undone('declined', false);
    case 'refused':
    case 'lost-not-done':
    case 'hang':
      return undone('unavailable', true);
    case 'status':
      return word.status === 429 || word.status === 503 ? undone('unavailable', true) : undone('rejected', false);
    default:
      return null;
  }
}

/** Carries out a statement as its script says: what it does is noted where it is kept. */
export async function playStatement(wires: StatementWires, order: SendOrder): Promise<PlayedStatement> {
  const word = wordForCall(wires, order);
  const failure = failureOf(word);
  if (failure !== null) return failure;
  try {
    const { body, keep } = await wires.provider.statement(order, word);
    return { report: answered(null, body), keep };
  } catch (error) {
    if (!(error instanceof CannotPlay)) throw error;
    wires.onProblem(error.message);
    return undone('unscripted', false);
  }
}
