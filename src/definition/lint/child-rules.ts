import type { CallStep, Compensation } from '../../model/definition.ts';
import { parseChildReference } from '../../model/child.ts';
import type { LintContext } from './lint-context.ts';

/** A child is another version than its parent; one that nobody waits for is nothing to wait for or to undo. */
export function lintChildren(context: LintContext): void {
  for (const { step } of context.graph.steps) {
    if (step.verb !== 'call') continue;
    lintUndoingChild(context, step.compensate);
    if (step.child === undefined) continue;
    lintOwnChild(context, { what: step.id, action: step.action, pointer: `${step.pointer}/child` });
    if (step.child.detach) lintDetached(context, step);
  }
  for (const { compensate } of context.definition.actions) lintUndoingChild(context, compensate);
}

interface Named {
  readonly what: string;
  readonly action: string;
  readonly pointer: string;
}

function lintOwnChild({ definition, report }: LintContext, { what, action, pointer }: Named): void {
  if (action !== `${definition.workflow}@${definition.version}`) return;
  report({
    code: 'PAWL-240',
    pointer,
    message: `"${what}" runs the very workflow that it stands in, and that would run itself again without end`,
    help: 'name another workflow, or write "repeat" for what is to be done again',
  });
}

/** Keys of an undo that speak of a request: a child is told once, and tells its end. */
const REQUEST_KEYS = ['object', 'retry', 'timeout'] as const;

/** A run that undoes is asked for by one message, so nothing of a call is said of it. */
function lintUndoingChild(context: LintContext, compensation: Compensation | null): void {
  if (compensation?.kind !== 'call' || parseChildReference(compensation.action) === null) return;
  const { action, pointer: place } = compensation;
  lintOwnChild(context, { what: 'compensate', action, pointer: `${place}/child` });
  for (const key of REQUEST_KEYS) {
    const pointer = `${place}/${key}`;
    if (!context.map.has(pointer)) continue;
    context.report({
      code: 'PAWL-243',
      pointer,
      at: 'key',
      message: `the run of ${action} is started once and tells its end, so "${key}" means nothing here`,
      help: `remove "${key}"; say it of the calls of ${action}`,
    });
  }
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
