import type { ActionContract, Step } from '../../model/definition.ts';
import type { FailureClass } from '../../model/statuses.ts';
import { bodyLists } from '../../model/step-lists.ts';
import { suggest } from '../suggest.ts';
import type { LintContext } from './lint-context.ts';

const CLASSES: Readonly<Record<FailureClass | 'any', true>> = {
  any: true,
  rejected: true,
  unavailable: true,
  throttled: true,
  timeout: true,
  unknown: true,
  unreadable: true,
  absent: true,
  conflict: true,
  denied: true,
  expired: true,
  cancelled: true,
  child: true,
  'no-match': true,
  impossible: true,
  limit: true,
  'duplicate-item': true,
  unauthorized: true,
  refused: true,
  'shared-effect': true,
  'no-rows': true,
  expression: true,
};

/** Codes that come without the workflow's word: of the default outcome table, of queries and of a sender that is gone. */
const OWN_CODES = [
  'accepted',
  'no-answer',
  'pending',
  'query-failed',
  'query-unclear',
  'redirect',
  'sender-lost',
  'unreachable',
  'unsendable',
] as const;
const STATUS_CODE = /^http-\d{3}$/;
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Whether any workflow may have failures of that name, whatever its author says. */
export function isCommonCode(name: string): boolean {
  return [...Object.keys(CLASSES), ...OWN_CODES].includes(name) || STATUS_CODE.test(name);
}

/** A catch names failures that its step can have; a code is written as other codes are. */
export function lintCatches(context: LintContext): void {
  for (const { step } of context.graph.steps) {
    lintClauses(context, step);
    if (step.verb === 'fail') lintFailCode(context, step);
  }
}

function lintClauses(context: LintContext, step: Step): void {
  const codes = step.catch.length === 0 ? null : codesOf(context, step);
  if (codes === null) return;
  const known = [...Object.keys(CLASSES), ...OWN_CODES, ...codes];
  for (const clause of step.catch) {
    for (const [index, name] of clause.on.entries()) {
      if (known.includes(name) || STATUS_CODE.test(name)) continue;
      const item = `${clause.pointer}/on/${index}`;
      context.report({
        code: 'PAWL-358',
        severity: 'warning',
        pointer: context.map.has(item) ? item : `${clause.pointer}/on`,
        message: `"${step.id}" never fails with "${name}"`,
        help: suggest(name, known) ?? 'name a class, or a code that an outcome or a fail of this step gives',
      });
    }
  }
}

/** The codes that the author's words give a step's failures; null where any code may come. */
function codesOf(context: LintContext, step: Step): readonly string[] | null {
  if (step.verb === 'call') return codesOfAction(context.action(step.action));
  if (step.verb === 'fail') {
    const { code } = step;
    return code.kind === 'literal' ? [String(code.value)] : null;
  }
  const inner = bodyLists(step).flatMap(({ steps }) => steps);
  return union(
    inner.flatMap((each) => [each, ...each.catch.flatMap((clause) => clause.do)]).map((each) => codesOf(context, each)),
  );
}

function codesOfAction(action: ActionContract | null): readonly string[] | null {
  if (action === null) return null;
  const { transport, outcome, reconcile } = action;
  // A function throws codes of its own, a child fails with whatever it has failed with.
  if (transport.kind !== 'http' || reconcile?.transport.kind === 'function') return null;
  return [...outcome, ...(reconcile?.outcome ?? [])].flatMap(({ code }) => (code === null ? [] : [code]));
}

function union(lists: readonly (readonly string[] | null)[]): readonly string[] | null {
  const all: string[] = [];
  for (const list of lists) {
    if (list === null) return null;
    all.push(...list);
  }
  return all;
}

function lintFailCode({ report }: LintContext, step: Extract<Step, { verb: 'fail' }>): void {
  const { code } = step;
  if (code.kind !== 'literal' || (typeof code.value === 'string' && KEBAB.test(code.value))) return;
  report({
    code: 'PAWL-359',
    severity: 'warning',
    pointer: `${step.pointer}/fail/code`,
    message: `the code ${JSON.stringify(code.value)} is not written in kebab-case`,
    help: 'write small letters, digits and single dashes, for example no-stock',
  });
}
