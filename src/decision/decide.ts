import type { RunState } from '../model/run.ts';
import { applyInputs, applyStops } from './apply-inputs.ts';
import { closeDraft } from './close-draft.ts';
import type { DecideContext } from './decide-context.ts';
import type { Decision } from './decision.ts';
import type { DecisionInput } from './decision-input.ts';
import { Draft } from './draft.ts';
import { hearPauses } from './on-pause.ts';
import { comeToRest } from './take-event.ts';

/**
 * Decides what a run does about what came in: pure and total, the whole of what is to be written as one commit.
 * @param state the run as its holder has it.
 * @param inputs inbox rows, settled attempts, queries and reads; in any order (V10 is kept here).
 * @throws PAWL_INVARIANT when the state contradicts itself.
 */
export function decide(ctx: DecideContext, state: RunState, inputs: readonly DecisionInput[]): Decision {
  const draft = new Draft(ctx, state);
  const { now, later } = hearPauses(draft, inputs);
  const others = applyStops(draft, now);
  comeToRest(draft);
  const rest = [...later, ...applyInputs(draft, others)];
  const { commit, next, orders, more } = closeDraft(draft, rest.length > 0);
  return { commit, next, ...orders, rest, more };
}
