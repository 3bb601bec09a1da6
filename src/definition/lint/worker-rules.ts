import type { ActionContract } from '../../model/definition.ts';
import type { LintContext } from './lint-context.ts';

/** Keys of `idempotency` that say where a request carries its key. */
const PLACES = ['header', 'field'] as const;

/** What remote workers carry out has a row of the ledger, carries its key beside the request, and no secret of ours. */
export function lintWorkers(context: LintContext): void {
  for (const action of context.definition.actions) if (action.transport.kind === 'worker') lintWorker(context, action);
}

function lintWorker(context: LintContext, { pointer, effect, reconcile }: ActionContract): void {
  const isAsked = reconcile?.transport.kind === 'http';
  if (!isAsked)
    reportWhereWritten(context, `${pointer}/auth`, 'a remote worker has secrets of its own, none are handed to it');
  if (effect === 'read')
    reportWhereWritten(
      context,
      `${pointer}/effect`,
      'what is handed to a remote worker has a row of the ledger, also what only looks: it is a write, "natural"',
    );
  for (const key of PLACES)
    reportWhereWritten(
      context,
      `${pointer}/idempotency/${key}`,
      'a remote worker is told the key beside the request: say { remembers: … }, "natural" or "none"',
    );
}

function reportWhereWritten({ report, map }: LintContext, pointer: string, why: string): void {
  if (!map.has(pointer)) return;
  const key = pointer.slice(pointer.lastIndexOf('/') + 1);
  report({
    code: 'PAWL-294',
    pointer,
    at: 'key',
    message: `"${key}" means nothing here: ${why}`,
    help: `remove "${key}"`,
  });
}
