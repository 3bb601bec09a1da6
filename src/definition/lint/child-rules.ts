import type { CallStep } from '../../model/definition.ts';
import type { LintContext } from './lint-context.ts';

/** A child is another version than its parent; one that nobody waits for is nothing to wait for or to undo. */
export function lintChildren(context: LintContext): void {
  for (const { step } of context.graph.steps) {
    if (step.verb !== 'call' || step.child === undefined) continue;
    lintOwnChild(context, step);
    if (step.child.detach) lintDetached(context, step);
  }
}

function lintOwnChild({ definition, report }: LintContext, step: CallStep): void {
  if (step.action !== `${definition.workflow}@${definition.version}`) return;
  report({
    code: 'PAWL-240',
    pointer: `${step.pointer}/child`,
    message: `"${step.id}" runs the very workflow that it stands in, and that would run itself again without end`,
    help: 'name another workflow, or write "repeat" for what is to be done again',
  });
}

/** Keys that speak of the end of a child. */
const WAITING_KEYS = ['pivot', 'compensate', 'timeout'] as const;

function lintDetached({ map, report }: LintContext, step: CallStep): void {
  for (const key of WAITING_KEYS) {
    const pointer = `${step.pointer}/${key}`;
    if (!map.has(pointer)) continue;
    report({
      code: 'PAWL-242',
      pointer,
      at: 'key',
      message: `nobody waits for "${step.id}", so "${key}" means nothing here`,
      help: `remove "${key}", or remove "detach" so that the child is waited for`,
    });
  }
}
