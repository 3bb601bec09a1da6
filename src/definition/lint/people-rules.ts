import type { ApproveStep, ChooseBranch, Template, Voting } from '../../model/definition.ts';
import { readsOf } from './reads.ts';
import type { LintContext } from './lint-context.ts';
import type { JsonObject } from '../../model/json.ts';
import { isObject } from '../yaml-node.ts';

/** Who may vote is named as a role or a user. */
const VOTER = /^(role|user):[^\s:,]+$/;

/** A decision can be reached, ends some day, and is not asked about afterwards by hand. */
export function lintApprovals(context: LintContext): void {
  for (const { step } of context.graph.steps) {
    if (step.verb === 'approve') lintApproval(context, step);
    if (step.verb === 'choose') for (const branch of step.branches) lintDenialGuard(context, branch);
  }
}

/** The same of an undo that people must agree to (R23), on a step and on an action. */
export function lintUndoApprovals({ definition, graph, report }: LintContext): void {
  const calls = graph.steps.flatMap(({ step }) => (step.verb === 'call' ? [step] : []));
  for (const { compensate } of [...definition.actions, ...calls]) {
    if (compensate?.kind !== 'call' || compensate.approve === undefined) continue;
    const pointer = `${compensate.pointer}/approve`;
    lintVoting(report, compensate.approve, {
      pointer,
      titleKey: 'title',
      what: `the approval of ${compensate.action}`,
    });
  }
}

function lintApproval({ report }: LintContext, step: ApproveStep): void {
  lintVoting(report, step, { pointer: step.pointer, titleKey: 'approve', what: `approval "${step.id}"` });
  if (step.form !== undefined) lintForm(report, step, step.form);
}

/** Where it is said who decides, and what to call it. */
interface VotingPlace {
  readonly pointer: string;
  readonly titleKey: string;
  readonly what: string;
}

function lintVoting(report: LintContext['report'], voting: Voting, { pointer, titleKey, what }: VotingPlace): void {
  for (const [index, entry] of voting.from.entries()) {
    if (entry.kind !== 'literal' || (typeof entry.value === 'string' && VOTER.test(entry.value))) continue;
    report({
      code: 'PAWL-315',
      pointer: `${pointer}/from/${index}`,
      message: `${JSON.stringify(entry.value)} names nobody who could vote`,
      help: `write "role:${entry.value}" or "user:${entry.value}"`,
    });
  }
  const people = countPeople(voting.from);
  for (const key of ['quorum', 'denials'] as const) {
    const wanted = literalNumber(voting[key]);
    if (wanted === null || people === null || wanted <= people) continue;
    report({
      code: 'PAWL-308',
      pointer: `${pointer}/${key}`,
      message: `${key} is ${wanted}, and "from" names only ${people === 1 ? 'one person' : `${people} people`}`,
      help: `lower ${key}, or add people or a role to "from"`,
    });
  }
  if (voting.expires !== null) return;
  report({
    code: 'PAWL-353',
    severity: 'warning',
    pointer: `${pointer}/${titleKey}`,
    at: 'key',
    message: `${what} never expires: the run may wait for ever`,
    help: `add "expires: 48h"${titleKey === 'title' ? ': after it the run is HELD, and a person decides' : ' and, if needed, "onExpire"'}`,
  });
}

/** What is filled in is one person's, and has named fields. */
function lintForm(report: LintContext['report'], step: ApproveStep, form: JsonObject): void {
  const pointer = `${step.pointer}/form`;
  if (literalNumber(step.quorum) !== 1)
    report({
      code: 'PAWL-316',
      pointer,
      at: 'key',
      message: `"${step.id}" has a form, and more than one person may have to fill it in`,
      help: 'a form needs "quorum: 1": ask in two approve steps, the first without a form',
    });
  if (form['type'] === 'object' && isObject(form['properties'])) return;
  report({
    code: 'PAWL-317',
    pointer,
    message: `the form of "${step.id}" has no fields`,
    help: 'write "form: { type: object, properties: { name: { type: string } } }"',
  });
}

/** How many people a closed list names; null when it has a role or something computed. */
function countPeople(from: readonly Template[]): number | null {
  const users = new Set<string>();
  for (const entry of from) {
    if (entry.kind !== 'literal' || typeof entry.value !== 'string' || !entry.value.startsWith('user:')) return null;
    users.add(entry.value);
  }
  return users.size;
}

function literalNumber(template: Template): number | null {
  return template.kind === 'literal' && typeof template.value === 'number' ? template.value : null;
}

/** A denial is failure `denied`, so a guard on it is never true. */
function lintDenialGuard({ graph, report }: LintContext, branch: ChooseBranch): void {
  if (branch.when === null || !/['"]denied['"]/.test(branch.when.source)) return;
  const asks = readsOf(branch.when).some(
    ({ path }) =>
      path[0] === 'steps' && path[3] === 'decision' && graph.byId.get(path[1] ?? '')?.step.verb === 'approve',
  );
  if (!asks) return;
  report({
    code: 'PAWL-354',
    severity: 'warning',
    pointer: branch.when.pointer,
    message: 'a denied approval never comes this way: it is failure "denied"',
    help: 'handle it on the approve step: "catch: [{ on: [denied], do: […] }]"',
  });
}

/** A run has a deadline. */
export function lintDeadline({ definition, report }: LintContext): void {
  if (definition.timeoutMs !== null) return;
  report({
    code: 'PAWL-351',
    severity: 'warning',
    pointer: '/workflow',
    message: 'runs of this workflow have no deadline',
    help: 'add "timeout: 7d": after it no new forward work starts, open effects settle, and what was done is undone',
  });
}
