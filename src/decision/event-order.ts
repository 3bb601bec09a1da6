import type { Expression } from '../model/definition.ts';
import { eventView } from '../machine/scope.ts';
import { invariant } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { InboxEvent } from '../model/inbox-event.ts';
import type { Json } from '../model/json.ts';
import type { EventView } from '../model/kernel.ts';
import { LINK_SOURCE } from '../model/link.ts';
import { ownValue } from '../model/own-value.ts';
import { keptTimer } from './kept-timers.ts';
import type { Draft } from './draft.ts';
import { orFault } from './faults.ts';

/** Prefix of the inbox source of a signal; what stands behind it is the source as authors see it. */
const SIGNAL_SOURCE = /^signal:/;

/** An event's number among those of its name and, where it declares `by`, of the same correlation value (V03). */
export interface SenderOrder {
  readonly stream: string;
  readonly sequence: number;
}

/** A signal as handlers and `await` see it. @throws PAWL_INVARIANT for rows of another kind. */
export function viewOf(draft: Draft, event: InboxEvent): EventView {
  invariant(event.payload.type === 'signal', 'only a signal is taken by a step', { eventId: event.eventId });
  const { name, data, link } = event.payload;
  const { eventId: id, receivedAtMs } = event;
  const plain = { id, name, data, source: event.source.replace(SIGNAL_SOURCE, ''), receivedAtMs, sequence: null };
  const view = link === undefined ? plain : { ...plain, source: LINK_SOURCE, link };
  const order = orderOf(draft, view);
  return typeof order === 'object' && order !== null ? { ...view, sequence: order.sequence } : view;
}

/** Where an event stands in its sender's order; null = its name has none; a text = why that cannot be told. */
export function orderOf(draft: Draft, view: EventView): SenderOrder | string | null {
  const { evaluator, machine } = draft.ctx.compiled;
  const declared = machine.definition.events.find(({ name }) => name === view.name);
  const sequence = declared?.sequence;
  if (declared === undefined || sequence === undefined) return null;
  const site = { kind: 'event', event: view.name } as const;
  const compute = (expression: Expression): Json =>
    evaluator.evaluate(expression, site, { event: eventView({ ...view, sequence: null }) });
  return orFault<SenderOrder | string, string>(
    () => {
      const number = compute(sequence);
      if (typeof number !== 'number' || !Number.isSafeInteger(number)) return 'its number is not a whole number';
      const stream = declared.by === null ? view.name : `${view.name}/${hashJson(compute(declared.by))}`;
      return { stream, sequence: number };
    },
    (message) => message,
  );
}

/** Whether an event is not newer than the last of its stream that was applied (V03). */
export function isStale(draft: Draft, order: SenderOrder): boolean {
  const last = lastApplied(draft, order);
  return last !== null && order.sequence <= last;
}

function lastApplied(draft: Draft, { stream }: SenderOrder): number | null {
  return ownValue(draft.control.sequences ?? {}, stream) ?? null;
}

/** An older word than the last that was applied moves nothing; its sender is told (V03, V11). */
export function answerStale(draft: Draft, event: InboxEvent, order: SenderOrder): void {
  const detail = { rule: 'V03', sequence: order.sequence, last: lastApplied(draft, order) };
  draft.answer(event, 'stale', { code: 'sequence', detail });
}

/** An event is about to be applied: whatever is kept of its stream with a number that is not higher comes too late for ever (V03). */
export function noteApplied(draft: Draft, applied: InboxEvent): void {
  const order = orderOf(draft, viewOf(draft, applied));
  if (typeof order !== 'object' || order === null) return;
  draft.setControl({ sequences: { ...draft.control.sequences, [order.stream]: order.sequence } });
  for (const { event, order: known } of keptInStream(draft, order)) {
    if (event === applied || !isStale(draft, known)) continue;
    draft.clearTimer(keptTimer(event));
    answerStale(draft, event, known);
  }
}

/** Of the kept events that may be taken instead of this one, the one whose turn it is: the least number of its stream (V03). */
export function firstInOrder(draft: Draft, found: InboxEvent, takes: (view: EventView) => boolean): InboxEvent {
  const order = orderOf(draft, viewOf(draft, found));
  if (typeof order !== 'object' || order === null) return found;
  let first = { event: found, order };
  for (const candidate of keptInStream(draft, order)) {
    if (candidate.order.sequence < first.order.sequence && takes(viewOf(draft, candidate.event))) first = candidate;
  }
  return first.event;
}

function keptInStream(
  draft: Draft,
  { stream }: SenderOrder,
): readonly { readonly event: InboxEvent; readonly order: SenderOrder }[] {
  return draft.kept.flatMap((event) => {
    if (event.payload.type !== 'signal') return [];
    const order = orderOf(draft, viewOf(draft, event));
    return typeof order === 'object' && order?.stream === stream ? [{ event, order }] : [];
  });
}
