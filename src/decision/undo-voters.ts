import type { Program } from '../machine/program.ts';
import type { ActionContract, Step, Voting } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import type { RunIdentity } from '../model/run.ts';
import { compensationOf } from './effect-policy.ts';
import { effectView } from './effect-view.ts';
import { type Voters, votersOf, type VotingFault } from './voting.ts';

/** Who must agree before what a step has done is undone (R23), as its author says it; null = nobody is asked. */
export function undoVoting(step: Step, actionOf: (name: string) => ActionContract): Voting | null {
  const undo = step.verb === 'call' ? compensationOf(step, actionOf(step.action)) : null;
  return undo?.kind === 'call' ? (undo.approve ?? null) : null;
}

/**
 * Who must agree before an effect is undone; null = nobody is asked. It is computed from what cannot change, so it is the same
 * whenever it is asked.
 * @throws PAWL_EXPRESSION_FAULT where an expression of it cannot be computed.
 */
export function undoVoters(
  { machine, evaluator, step, action }: Pick<Program, 'machine' | 'evaluator' | 'step' | 'action'>,
  run: RunIdentity,
  forward: Effect,
): Voters | VotingFault | null {
  const voting = undoVoting(step(forward.step), action);
  if (voting === null) return null;
  const { input, runId: id, key, startedBy } = run;
  const { constants } = machine.definition;
  const scope = { input, constants, run: { id, key, startedBy }, effect: effectView(forward) };
  const site = { kind: 'asking', action: forward.action } as const;
  return votersOf(voting, (template) => evaluator.render(template, site, scope));
}
