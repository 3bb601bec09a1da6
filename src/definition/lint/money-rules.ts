import type { ActionContract, CallStep, Compensation, Step } from '../../model/definition.ts';
import { elementAt } from '../../model/element-at.ts';
import { suggest } from '../suggest.ts';
import { ledTo } from './completed-before.ts';
import type { PlacedStep } from './flow-graph.ts';
import type { LintContext } from './lint-context.ts';

type PlacedCall = PlacedStep & { readonly step: CallStep };

function callsOf({ graph }: LintContext): readonly PlacedCall[] {
  return graph.steps.filter((placed): placed is PlacedCall => placed.step.verb === 'call');
}

/** Actions are declared; a write says what its provider promises about a repeated key. */
export function lintActions(context: LintContext): void {
  for (const action of context.definition.actions) {
    lintContract(context, action);
    lintCompensationCall(context, action.compensate);
  }
  for (const { step } of callsOf(context)) {
    const action = context.action(step.action);
    if (action === null) reportMissing(context, step.action, `${step.pointer}/call`);
    else if (action.effect === 'read') lintRead(context, step);
    lintCompensationCall(context, step.compensate);
  }
}

function reportMissing({ definition, report }: LintContext, name: string, pointer: string): void {
  const names = definition.actions.map((action) => action.name);
  report({
    code: 'PAWL-301',
    pointer,
    message: `there is no action "${name}"`,
    help: suggest(name, names) ?? 'declare it under "actions"',
  });
}

function lintCompensationCall(context: LintContext, compensation: Compensation | null): void {
  if (compensation === null || compensation.kind === 'none') return;
  if (context.action(compensation.action) === null)
    reportMissing(context, compensation.action, `${compensation.pointer}/call`);
}

function lintContract({ report }: LintContext, action: ActionContract): void {
  if (action.effect === 'write' && action.idempotency === null && action.transport.kind !== 'sql') {
    report({
      code: 'PAWL-302',
      pointer: action.pointer,
      at: 'key',
      message: `"${action.name}" writes, and nothing says what a repeated key does`,
      help: 'add "idempotency: { header: Idempotency-Key, remembers: 24h }", "natural" if repeating is harmless, or "none" if the provider keeps no keys',
    });
  }
  const pends = action.outcome.findIndex((rule) => rule.is === 'pending');
  if (pends !== -1 && action.reconcile === null) {
    report({
      code: 'PAWL-310',
      pointer: `${action.pointer}/outcome/${pends}`,
      message: `"${action.name}" can answer "pending", and there is no way to ask later`,
      help: 'add "reconcile", which asks what became of it',
    });
  }
  if (action.effect === 'write' && action.idempotency?.kind === 'none' && action.reconcile === null) {
    report({
      code: 'PAWL-352',
      severity: 'warning',
      pointer: `${action.pointer}/idempotency`,
      message: `"${action.name}" has neither a remembered key nor a reconcile: every lost answer needs a person`,
      help: 'add "reconcile" if the provider can be asked',
    });
  }
}

const WRITE_KEYS = ['object', 'intent', 'authorizedBy', 'onUnknown', 'review'] as const;

function lintRead({ report }: LintContext, step: CallStep): void {
  const extra = WRITE_KEYS.find((key) => step[key] !== null);
  const named =
    extra ??
    (step.reach === undefined ? null : 'reach') ??
    (step.pivot ? 'pivot' : null) ??
    (step.compensate !== null && step.compensate.kind === 'call' ? 'compensate' : null);
  if (named === null) return;
  report({
    code: 'PAWL-312',
    pointer: `${step.pointer}/${named}`,
    at: 'key',
    message: `"${step.action}" only reads, so "${named}" means nothing here`,
    help: `remove "${named}", or let the action say "effect: write"`,
  });
}

/** What was done before the pivot can be undone; after it nothing fails or cancels, and there is one pivot on a way. */
export function lintPivot(context: LintContext): void {
  const { graph, completed } = context;
  const pivots = callsOf(context).filter(({ step, isLast }) => step.pivot && !isLast);
  const indexes = new Set(pivots.map(({ index }) => index));
  const isBehind = completed.alwaysOneOf(indexes);
  for (const placed of callsOf(context)) if (!isBehind(placed.index)) lintUndo(context, placed);
  lintRunHandlers(context, pivots);
  const led = ledTo(graph, indexes, ['done']);
  const failing = new Set<Step>();
  for (const placed of graph.steps) {
    const by = elementAt(led, placed.index);
    const pivot = callOf(graph, by[0]);
    if (pivot === null) continue;
    lintAfterPivot(context, pivot, placed);
    lintSecondPivot(
      context,
      placed,
      callOf(
        graph,
        by.find((index) => index !== placed.index),
      ),
    );
    // Itself and the groups around it: a failure of what is in them is a failure of them.
    for (let at: PlacedStep | null = placed; at !== null && !failing.has(at.step); at = at.parent) {
      failing.add(at.step);
      lintUndoingCatch(context, pivot, at.step);
    }
  }
}

function lintUndoingCatch(context: LintContext, pivot: PlacedCall, step: Step): void {
  for (const { undo, pointer } of step.catch)
    if (undo === true) reportStop(context, pivot, { word: 'undo', pointer: `${pointer}/undo` });
}

function callOf({ steps }: LintContext['graph'], index: number | undefined): PlacedCall | null {
  const placed = index === undefined ? undefined : steps[index];
  return placed?.step.verb === 'call' ? { ...placed, step: placed.step } : null;
}

function lintUndo(context: LintContext, { step, isLast }: PlacedCall): void {
  const action = context.action(step.action);
  if (action === null || action.effect === 'read' || step.pivot || isLast) return;
  if (step.compensate !== null || action.compensate !== null) return;
  context.report({
    code: 'PAWL-303',
    pointer: `${step.pointer}/call`,
    message: `nothing says how "${step.id}" is undone when a later step fails`,
    help: `add "compensate: { call: …, with: … }" here or on "${step.action}", or "compensate: none" if nothing is to be undone`,
  });
}

function lintSecondPivot({ report }: LintContext, { step }: PlacedStep, other: PlacedCall | null): void {
  if (step.verb !== 'call' || !step.pivot || other === null) return;
  report({
    code: 'PAWL-304',
    pointer: `${step.pointer}/pivot`,
    message: `"${step.id}" is a second pivot behind "${other.step.id}"`,
    help: 'one way through a workflow has one point of no return: remove one',
  });
}

function lintAfterPivot({ report }: LintContext, pivot: PlacedCall, { step }: PlacedStep): void {
  const stop = stopOf(step);
  if (stop !== null) reportStop({ report }, pivot, stop);
}

function reportStop(
  { report }: Pick<LintContext, 'report'>,
  pivot: PlacedCall,
  stop: { readonly word: string; readonly pointer: string },
): void {
  report({
    code: 'PAWL-305',
    pointer: stop.pointer,
    message: `"${stop.word}" may come after the pivot "${pivot.step.id}", when nothing is undone any more`,
    help: 'move it before the pivot, or end with "end: { as: … }"',
  });
}

/** An event that is accepted in every step is accepted in the pivot and after it, too. */
function lintRunHandlers({ definition, report }: LintContext, [pivot]: readonly PlacedCall[]): void {
  for (const { then, pointer } of definition.on ?? []) {
    if (pivot === undefined || (then !== 'cancel' && then !== 'fail')) continue;
    report({
      code: 'PAWL-305',
      pointer: `${pointer}/then`,
      message: `"then: ${then}" may come after the pivot "${pivot.step.id}", when nothing is undone any more`,
      help: 'say it in the "on" of the steps before the pivot, not in that of the whole workflow',
    });
  }
}

/** What in a step would fail, cancel or undo, if anything does. */
function stopOf(step: Step): { readonly word: string; readonly pointer: string } | null {
  if (step.verb === 'fail' || step.verb === 'undo') return { word: step.verb, pointer: `${step.pointer}/${step.verb}` };
  if (step.verb === 'end' && step.end === 'cancelled')
    return { word: 'end: cancelled', pointer: `${step.pointer}/end` };
  const handler = step.on.find(({ then }) => then === 'cancel' || then === 'fail');
  return handler === undefined ? null : { word: `then: ${handler.then}`, pointer: `${handler.pointer}/then` };
}

/** A retry that is described can also happen; an answer to doubt is one that the action can give. */
export function lintPolicies(context: LintContext): void {
  for (const { step } of callsOf(context)) {
    lintRetry(context, `${step.pointer}/retry`, step.retry);
    lintDoubt(context, step);
  }
  for (const action of context.definition.actions) {
    if (action.effect === 'write') lintRetry(context, `${action.pointer}/retry`, action.retry);
  }
}

function lintRetry({ report, definition }: LintContext, pointer: string, retry: ActionContract['retry'] | null): void {
  if (retry === null || retry.attempts !== 1 || definition.steps.length === 0) return;
  const spoken = Array.isArray(retry.delayMs) || retry.delayMs !== 1000 || retry.capMs !== null || retry.factor !== 1;
  if (!spoken) return;
  report({
    code: 'PAWL-311',
    pointer,
    message: 'this retry has one attempt, so there is nothing to wait for',
    help: 'attempts counts the first call: write "attempts: 3" for up to three calls',
  });
}

function lintDoubt({ action, report }: LintContext, step: CallStep): void {
  const contract = action(step.action);
  if (contract === null || step.onUnknown === null || step.onUnknown === 'review') return;
  const remembers = contract.idempotency !== null && contract.idempotency.kind !== 'none';
  const able = step.onUnknown === 'resend' ? remembers : contract.reconcile !== null;
  if (able) return;
  report({
    code: 'PAWL-313',
    pointer: `${step.pointer}/onUnknown`,
    message:
      step.onUnknown === 'resend'
        ? `"${step.action}" remembers no key, so it cannot be sent again`
        : `"${step.action}" has no reconcile`,
    help: step.onUnknown === 'resend' ? 'use reconcile or review' : 'add "reconcile" to the action, or use review',
  });
}
