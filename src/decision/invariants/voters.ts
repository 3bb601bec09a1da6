import { expressionsOf } from '../../definition/dependencies.ts';
import type { Approval } from '../../model/approval.ts';
import { canonicalJson } from '../../model/canonical-json.ts';
import type { Template, Voting } from '../../model/definition.ts';
import type { Json } from '../../model/json.ts';
import { isUndoApproval } from '../approval-rules.ts';
import { rootsOf } from '../roots-of.ts';
import { undoVoting } from '../undo-voters.ts';
import { namesOf, textOf } from '../voting.ts';
import type { CheckedRun } from './opened-run.ts';

/** What never changes in the life of a run, so that it gives the same whenever it is asked. */
const FIXED: ReadonlySet<string> = new Set(['input', 'constants']);

function isFixed(template: Template): boolean {
  return expressionsOf(template).every((expression) => [...rootsOf(expression)].every((root) => FIXED.has(root)));
}

/** How the file says that an approval is asked; null where that cannot be known. */
function votingOf({ program }: CheckedRun, approval: Approval): Voting | null {
  const step = program?.steps.get(approval.step);
  if (program === null || step === undefined) return null;
  if (isUndoApproval(approval)) return undoVoting(step, program.action);
  return step.verb === 'approve' ? step : null;
}

/**
 * What of an approval is not as its file says, where the file's words give the same at any time: literals, and what is
 * computed from the input alone. What is computed from other steps was true when people were asked, and is not known now.
 */
export function votingFaults(run: CheckedRun, approval: Approval): readonly string[] {
  const { program } = run;
  const voting = votingOf(run, approval);
  if (program === null || voting === null) return [];
  const scope = { input: run.run.input, constants: program.machine.definition.constants };
  const render = (template: Template): Json => program.evaluator.render(template, { kind: 'flow' }, scope);
  const differs = (templates: readonly Template[], is: Json, read: (values: readonly Json[]) => Json): boolean =>
    templates.every(isFixed) && canonicalJson(read(templates.map(render))) !== canonicalJson(is);
  const only = ([value]: readonly Json[]): Json => value ?? null;
  const faults: readonly (readonly [broken: boolean, what: string])[] = [
    [differs([voting.title], approval.title, (values) => textOf(only(values))), 'its title'],
    [differs(voting.from, [...approval.from], (values) => [...namesOf(values)]), 'who is asked'],
    [differs(voting.except, [...approval.except], (values) => [...namesOf(values)]), 'who must not decide it'],
    [differs([voting.quorum], approval.quorum, only), 'its quorum'],
    [differs([voting.denials], approval.denials, only), 'its number of denials'],
  ];
  return faults.filter(([broken]) => broken).map(([, what]) => `${what} is not as the workflow says`);
}
