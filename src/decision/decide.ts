import { InvariantError } from '../model/errors.ts';
import type { RunState } from '../model/run.ts';
import type { DecideContext } from './decide-context.ts';
import type { Decision } from './decision.ts';
import type { DecisionInput } from './decision-input.ts';

/**
 * Decides what a run does about what came in: pure and total, the whole of what is to be written as one commit.
 * @param state the run as its holder has it.
 * @param inputs inbox rows, settled attempts, queries and reads; in any order (V10 is kept here).
 * @throws PAWL_INVARIANT when the state contradicts itself.
 */
export function decide(ctx: DecideContext, state: RunState, inputs: readonly DecisionInput[]): Decision {
  throw new InvariantError('not written', { run: state.run.runId, inputs: inputs.length, nowMs: ctx.nowMs });
}
