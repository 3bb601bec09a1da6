import { REMEMBERED_SHARE } from '../../model/remembered-share.ts';
import type { ActionContract, JsonSchema, Transport } from '../../model/definition.ts';
import { isReservedHeader } from '../../model/reserved-headers.ts';
import { childPointer } from '../source-map.ts';
import type { LintContext } from './lint-context.ts';

/** What an action says of its provider can be kept: its memory, its headers, its word for no. */
export function lintProviders(context: LintContext): void {
  for (const action of context.definition.actions) {
    lintMemory(context, action);
    lintHeaders(context, action.transport, `${action.pointer}/http`);
    if (action.reconcile !== null) lintHeaders(context, action.reconcile.transport, `${action.pointer}/reconcile/http`);
    lintOwnHeaders(context, action);
    lintSilentNo(context, action);
  }
  lintPatience(context);
}

/** Resends end at 90 % of `remembers`, but the last may take `settlesWithin` to arrive: then as something new (E06). */
function lintMemory({ report }: LintContext, { name, pointer, idempotency, settlesWithinMs }: ActionContract): void {
  if (idempotency === null || idempotency.kind === 'natural' || idempotency.kind === 'none') return;
  const { remembersMs } = idempotency;
  if (Math.floor(remembersMs * REMEMBERED_SHARE) + settlesWithinMs <= remembersMs) return;
  report({
    code: 'PAWL-355',
    severity: 'warning',
    pointer: `${pointer}/idempotency`,
    message: `"${name}" may take longer to settle than a tenth of the time that its key is remembered: a late resend can act twice`,
    help: 'lower "settlesWithin" to what the provider promises, or ask it for a longer memory',
  });
}

/** A query believes "not found" once `settlesWithin` is over, so no request may be on its way for longer. */
function lintPatience(context: LintContext): void {
  for (const { name, pointer, effect, timeoutMs, settlesWithinMs } of context.definition.actions)
    if (effect === 'write' && timeoutMs > settlesWithinMs) reportPatience(context, name, `${pointer}/settlesWithin`);
  for (const { step } of context.graph.steps) {
    const action = step.verb === 'call' ? context.action(step.action) : null;
    if (action === null || action.effect === 'read' || (step.timeoutMs ?? 0) <= action.settlesWithinMs) continue;
    // The time of a child is not that of a request.
    if (action.transport.kind === 'child') continue;
    reportPatience(context, action.name, `${step.pointer}/timeout`);
  }
}

function reportPatience({ report }: LintContext, name: string, pointer: string): void {
  report({
    code: 'PAWL-357',
    severity: 'warning',
    pointer,
    message: `a call of "${name}" may be waited for longer than "settlesWithin" says that it can still take effect`,
    help: 'raise "settlesWithin" above the timeout: "not found" proves nothing before the last request has settled',
  });
}

function lintHeaders(context: LintContext, transport: Transport, pointer: string): void {
  if (transport.kind !== 'http') return;
  for (const [name] of transport.headers) {
    if (isReservedHeader(name)) reportReserved(context, name, childPointer(`${pointer}/headers`, name));
  }
}

function lintOwnHeaders(context: LintContext, { pointer, idempotency, auth }: ActionContract): void {
  if (idempotency?.kind === 'header' && isReservedHeader(idempotency.name)) {
    reportReserved(context, idempotency.name, `${pointer}/idempotency/header`);
  }
  if (auth?.kind === 'header' && isReservedHeader(auth.name)) {
    reportReserved(context, auth.name, `${pointer}/auth/header/name`);
  }
}

function reportReserved({ report }: LintContext, name: string, pointer: string): void {
  report({
    code: 'PAWL-314',
    pointer,
    ...(pointer.includes('/headers/') ? { at: 'key' as const } : {}),
    message: `the header "${name}" is not the workflow's to set`,
    help: 'it belongs to the connection, to a proxy or to Pawl itself: remove it',
  });
}

/** Keys under which providers say no with a status that says yes. */
const WORDS_OF_NO = ['ok', 'success', 'error', 'errors'] as const;

function lintSilentNo({ report }: LintContext, action: ActionContract): void {
  if (action.transport.kind !== 'http' || action.effect === 'read' || action.outcome.length > 0) return;
  const word = WORDS_OF_NO.find((name) => hasProperty(action.output, name));
  if (word === undefined) return;
  report({
    code: 'PAWL-356',
    severity: 'warning',
    pointer: `${action.pointer}/output`,
    at: 'key',
    message: `any 2xx of "${action.name}" is taken as done, whatever its "${word}" says`,
    help: `add "outcome", for example: [{ when: has(response.body.${word}) && …, is: rejected, code: … }]`,
  });
}

function hasProperty(schema: JsonSchema, name: string): boolean {
  if (typeof schema === 'boolean') return false;
  const { properties } = schema;
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name);
}
