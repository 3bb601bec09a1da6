import type { Evaluator, Scope, Site } from '../definition/evaluator.ts';
import { ExpressionFault } from '../definition/expression/expression-fault.ts';
import type { OutcomeRule } from '../model/definition.ts';
import { rootsOf } from './roots-of.ts';

/** What `outcome` rules are asked about. */
export interface RuleQuestion {
  readonly evaluator: Evaluator;
  readonly rules: readonly OutcomeRule[];
  readonly site: Site;
  readonly scope: Scope;
}

/** The rule that named the answer, none, or a rule that could not be read against it. */
export type RuleMatch =
  | { readonly kind: 'named'; readonly rule: OutcomeRule }
  | { readonly kind: 'none' }
  | { readonly kind: 'fault'; readonly message: string };

/**
 * The first rule that holds. A rule about `response` is not asked where there is none, nor one about `failure`; a rule that
 * cannot be evaluated against this answer stops the search: a later rule, or the table, might take for done what is not.
 */
export function matchOutcome(question: RuleQuestion): RuleMatch {
  const { evaluator, rules, site, scope } = question;
  for (const rule of rules) {
    const roots = rootsOf(rule.when);
    const isAskable = ['response', 'failure'].every((root) => !roots.has(root) || scope[root] !== undefined);
    if (!isAskable) continue;
    const verdict = tryHolds(() => evaluator.holds(rule.when, site, scope));
    if (typeof verdict === 'string') return { kind: 'fault', message: verdict };
    if (verdict) return { kind: 'named', rule };
  }
  return { kind: 'none' };
}

/** Evaluates, and turns an expression's fault into its message; a bug stays an exception. */
export function tryHolds<Value>(evaluate: () => Value): Value | string {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof ExpressionFault) return error.summary;
    throw error;
  }
}
