import type { ActionContract, CatchClause, Step } from '../../model/definition.ts';
import { allSteps, innerSteps } from '../../model/step-lists.ts';
import { isCommonCode } from './catch-rules.ts';
import type { LintContext } from './lint-context.ts';

/** Names under which a clause takes a provider's no; a function and a remote worker have names of their own. */
const NO = /^(rejected|conflict|http-4\d\d)$/;

function isNo(name: string, step: Step, { transport }: ActionContract): boolean {
  const hasOwnNames = transport.kind === 'function' || transport.kind === 'worker';
  return NO.test(name) || (step.verb === 'call' && hasOwnNames && !isCommonCode(name));
}

/**
 * A clause waits for a refusal that does not come after a crash: once an answer was lost, a no counts only if the action's own
 * `outcome` names it (E15); of an action that cannot be asked it is a person who decides.
 */
export function lintRefusals(context: LintContext): void {
  for (const { step } of context.graph.steps) for (const clause of step.catch) lintClause(context, step, clause);
}

function lintClause(context: LintContext, step: Step, clause: CatchClause): void {
  const calls = [step, ...allSteps(innerSteps(step))].flatMap((each) => (each.verb === 'call' ? [each] : []));
  const actions = calls.flatMap((call) => context.action(call.action) ?? []).filter(isDeaf);
  const index = clause.on.findIndex((name) => actions.some((action) => isNo(name, step, action)));
  const deaf = actions.find((action) => isNo(clause.on[index] ?? '', step, action));
  if (index === -1 || deaf === undefined) return;
  const item = `${clause.pointer}/on/${index}`;
  context.report({
    code: 'PAWL-250',
    severity: 'warning',
    pointer: context.map.has(item) ? item : `${clause.pointer}/on`,
    message: `after a lost answer a refusal of "${deaf.name}" does not come here: no "outcome" of it says which answer is a no, so a person decides`,
    help: 'name it in the action, for example "outcome: [{ when: response.status == 402, is: rejected }]", or say how to ask: "reconcile"',
  });
}

/** Sent again after a lost answer, and then not believed when it hears no; nobody can be asked. */
function isDeaf({ effect, idempotency, reconcile, outcome }: ActionContract): boolean {
  const isRepeated = effect === 'write' && idempotency !== null && idempotency.kind !== 'none';
  return isRepeated && reconcile === null && !outcome.some(({ is }) => is === 'rejected');
}
