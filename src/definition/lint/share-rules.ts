import type { CallStep } from '../../model/definition.ts';
import type { LintContext } from './lint-context.ts';

/** What makes a shared act the same for all of its users. */
const NAMED = ['object', 'intent'] as const;

/** An act that runs share says what it is and what it acts on, and is nobody's own to approve (E11). */
export function lintShares(context: LintContext): void {
  for (const { step } of context.graph.steps)
    if (step.verb === 'call' && step.reach !== undefined) lintShare(context, step);
}

function lintShare({ report }: LintContext, step: CallStep): void {
  const { id, pointer, reach } = step;
  const missing = NAMED.filter((key) => step[key] === null);
  if (missing.length > 0) {
    report({
      code: 'PAWL-280',
      pointer: `${pointer}/reach`,
      at: 'key',
      message: `"${id}" is shared beyond its run, and does not say ${missing.map((key) => `"${key}"`).join(' and ')}`,
      help: 'say what it acts on and what for, for example "object: =input.customer" and "intent: welcome-mail": runs that say the same share it',
    });
  }
  if (step.authorizedBy === null) return;
  report({
    code: 'PAWL-281',
    pointer: `${pointer}/authorizedBy`,
    at: 'key',
    message: `"${id}" has reach ${String(reach)}: another run may carry it out, and ${step.authorizedBy} is asked about this one`,
    help: 'remove "reach", or let the approval stand before the step without "authorizedBy"',
  });
}
