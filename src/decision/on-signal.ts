import { compileSchema } from '../definition/schema-validator.ts';
import type { EventDeclaration } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { JsonObject } from '../model/json.ts';
import type { EventView, KernelEvent } from '../model/kernel.ts';
import { awaitLink, stepOfLink } from '../model/link.ts';
import { ownValue } from '../model/own-value.ts';
import { isStepping } from '../model/statuses.ts';
import { keptTimer } from './kept-timers.ts';
import { activeLeaves, handlerOwnersOf } from './active-steps.ts';
import { isMachine } from './aside.ts';
import type { Cause, Draft } from './draft.ts';
import { feed } from './kernel-loop.ts';
import { answerStale, isStale, noteApplied, orderOf, viewOf } from './event-order.ts';
import { awaitTakes, handlerTakes } from './match-event.ts';
import { holdsFailures } from './pivot.ts';
import { endedStatus } from './run-status.ts';
import { stepSettled } from './settle-step.ts';
import { openSteps } from './step-effects.ts';
import { takeByMachine } from './take-event.ts';
import { authorOf } from '../machine/lane-steps.ts';

type Signal = Extract<InboxPayload, { type: 'signal' }>;

/**
 * A declared event from outside: taken by the innermost taker (`await` before `on`, V13), or kept for a wait that is
 * still to come (V01). The sender is told (V11).
 */
export function onSignal(draft: Draft, event: InboxEvent, signal: Signal): void {
  if (draft.phase === 'ended') {
    draft.answer(event, 'ended', { detail: endOf(draft) });
    return;
  }
  const { definition } = draft.ctx.compiled.machine;
  const declared = definition.events.find((known) => known.name === signal.name);
  if (declared === undefined) {
    draft.answer(event, 'refused', { code: 'undeclared', detail: { event: signal.name } });
    return;
  }
  const view = viewOf(draft, event);
  if (isRefused(draft, event, declared, view) || isOutOfOrder(draft, event, view)) return;
  // The steps of a `finally` take events as everywhere.
  const isTaken = isMachine(draft) && draft.phase === 'forward' ? takeByMachine : take;
  if (isStepping(draft.phase) && isTaken(draft, event, view)) return;
  if (isTooLate(draft, view))
    draft.answer(event, 'unmatched', { code: 'wait-over', detail: { link: view.link ?? null } });
  else keepEvent(draft, event, declared);
}

/** What a sender who comes too late is told: how the run ended, when, and by which failure, also where it ends in this commit (bug 103). */
function endOf({ base, control, effects, endedAtMs, snapshot }: Draft): JsonObject {
  const { ending } = snapshot.data;
  invariant(ending !== null, 'a run ended without an end', { runId: base.run.runId });
  const status = endedStatus(ending, effects.values(), control.incidents);
  return { status, endedAtMs, code: ending.failure?.code ?? null };
}

/** Only what is declared is accepted: the source, and data that fits the schema; the first misfit is named (V05). */
function isRefused(draft: Draft, event: InboxEvent, declared: EventDeclaration, view: EventView): boolean {
  if (declared.source !== null && declared.source !== view.source) {
    draft.answer(event, 'refused', { code: 'source', detail: { event: view.name, source: view.source } });
    return true;
  }
  const misfit = compileSchema(declared.schema)(view.data)[0];
  if (misfit === undefined) return false;
  draft.answer(event, 'refused', { code: 'schema', detail: { pointer: misfit.pointer, message: misfit.message } });
  return true;
}

/**
 * Whether the one wait that an event came for is over for good. Of a step that is repeated a later turn may still be meant: such an
 * event is kept like any other, and listed when nobody has taken it.
 */
function isTooLate(draft: Draft, { link }: EventView): boolean {
  const step = link === undefined ? null : stepOfLink(link);
  if (step === null || link !== awaitLink(step, [])) return false;
  const { activeSinceMs, incidents } = draft.control;
  // Where it is held there, a person may let it wait once more.
  const mayWait = Object.hasOwn(activeSinceMs, step) || incidents.some((incident) => incident.step === step);
  return !mayWait && ownValue(draft.snapshot.data.steps, step) !== undefined;
}

/** An event whose number cannot be read has no place in the order; one that is not newer than the last applied moves nothing (V03). */
function isOutOfOrder(draft: Draft, event: InboxEvent, view: EventView): boolean {
  const order = orderOf(draft, view);
  if (typeof order === 'string') {
    draft.answer(event, 'refused', { code: 'unordered', detail: { event: view.name, message: order } });
    return true;
  }
  if (order === null || !isStale(draft, order)) return false;
  answerStale(draft, event, order);
  return true;
}

function take(draft: Draft, event: InboxEvent, view: EventView): boolean {
  const cause = { type: 'signal', id: `${event.source}/${event.eventId}` };
  const { compiled } = draft.ctx;
  const leaves = activeLeaves(compiled, draft.snapshot.value);
  for (const leaf of leaves) {
    const step = compiled.step(leaf);
    if (step.verb !== 'await' || !awaitTakes(draft, step, draft.snapshot.data, view)) continue;
    noteApplied(draft, event);
    const settled = stepSettled(draft, leaf, { ok: true, output: view.data, attempts: 0 });
    move(draft, settled, { ...cause, step: authorOf(leaf) });
    draft.answer(event, 'applied', { detail: { step: authorOf(leaf) } });
    return true;
  }
  const owners = handlerOwnersOf(compiled, leaves);
  // The document's events are those of the way forward.
  for (const { leaf, owner } of draft.phase === 'forward' ? owners : owners.filter((one) => one.owner !== null)) {
    const index = handlerIndex(draft, owner, view);
    if (index === null) continue;
    noteApplied(draft, event);
    move(draft, handlerTaken(draft, { leaf, owner, index, view }), {
      ...cause,
      step: authorOf(owner),
    });
    draft.answer(event, 'applied', { detail: { step: authorOf(owner), handler: index } });
    return true;
  }
  return false;
}

function move(draft: Draft, event: KernelEvent, cause: Cause): void {
  invariant(feed(draft, event, cause), 'a step that takes an event is moved by it', { step: cause.step });
}

/**
 * The first handler of a step, or of the document (`owner` null), that takes the event; never one that was received before
 * the step became active, or the run began (V13).
 */
function handlerIndex(draft: Draft, owner: string | null, view: EventView): number | null {
  const { run } = draft.base;
  const sinceMs = owner === null ? run.startedAtMs : ownValue(draft.control.activeSinceMs, owner);
  invariant(sinceMs !== undefined, 'a step is active and never began', { step: owner });
  if (view.receivedAtMs < sinceMs) return null;
  const { compiled } = draft.ctx;
  const { on = [] } = owner === null ? compiled.machine.definition : compiled.step(owner);
  const index = on.findIndex((handler) => handlerTakes(draft, handler, owner, view));
  return index === -1 ? null : index;
}

interface Taken {
  readonly leaf: string;
  readonly owner: string | null;
  readonly index: number;
  readonly view: EventView;
}

/** With a target, nothing new starts in the step: what is in flight is awaited (`open`), what is not ends as the step is left. */
function handlerTaken(draft: Draft, { leaf, owner, index, view }: Taken): KernelEvent {
  const open = openSteps(draft).includes(leaf);
  return {
    type: 'handler.taken',
    step: owner,
    handler: index,
    event: view,
    open,
    atMs: draft.atMs,
    hold: holdsFailures(draft),
  };
}

function keepEvent(draft: Draft, event: InboxEvent, declared: EventDeclaration): void {
  draft.keep(event);
  draft.setTimer(keptTimer(event), event.receivedAtMs + declared.keepMs);
}
