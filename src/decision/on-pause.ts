import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { RunState } from '../model/run.ts';
import type { DecisionInput } from './decision-input.ts';
import type { Draft } from './draft.ts';
import { refuseMoved } from './on-moved.ts';
import { refusalAtEnd } from './on-cancel.ts';
import { orderInputs } from './order-inputs.ts';

type Pausing = Extract<InboxPayload, { type: 'pause' | 'resume' }>;

/** Whether a person has stopped the run where it stands. */
export function isPaused({ control }: Pick<RunState, 'control'>): boolean {
  return control.paused !== undefined;
}

/**
 * Pauses and resumes come before all else that came with them: what is in hand then is decided by a run that is paused, or goes on.
 * @returns the other inputs: those that are applied now, and those that wait until the run goes on.
 */
export function hearPauses(
  draft: Draft,
  inputs: readonly DecisionInput[],
): { readonly now: readonly DecisionInput[]; readonly later: readonly DecisionInput[] } {
  const others: DecisionInput[] = [];
  for (const input of orderInputs(inputs, draft.ctx.nowMs)) {
    const payload = input.type === 'inbox' ? input.event.payload : null;
    if (input.type === 'inbox' && (payload?.type === 'pause' || payload?.type === 'resume'))
      hearPause(draft, input.event, payload);
    else others.push(input);
  }
  if (!isPaused(draft)) return { now: others, later: [] };
  return { now: others.filter(isHeardPaused), later: others.filter((input) => !isHeardPaused(input)) };
}

/** A paused run writes down what had left comes to, and hears the one order that ends it without sending anything. */
const HEARD_PAUSED: ReadonlySet<InboxPayload['type']> = new Set<InboxPayload['type']>([
  'terminate',
  'proof',
  'pull',
  'extend',
  'settle',
]);

function isHeardPaused(input: DecisionInput): boolean {
  return input.type !== 'inbox' || HEARD_PAUSED.has(input.event.payload.type);
}

function hearPause(draft: Draft, event: InboxEvent, payload: Pausing): void {
  if (event.outcome !== null || draft.isAnswered(event) || refuseMoved(draft, event)) return;
  const { paused } = draft.control;
  if (draft.phase === 'ended') draft.answer(event, 'refused', { code: refusalAtEnd(draft) });
  else if (payload.type === 'pause' && paused !== undefined)
    draft.answer(event, 'refused', { code: 'paused', detail: { ...paused } });
  else if (payload.type === 'resume' && paused === undefined) draft.answer(event, 'refused', { code: 'not-paused' });
  else apply(draft, event, payload);
}

function apply(draft: Draft, event: InboxEvent, { type, by, reason }: Pausing): void {
  draft.atMs = event.receivedAtMs;
  const { runId } = draft.base.run;
  const before = draft.control.paused ?? null;
  if (type === 'pause') draft.setControl({ paused: { by, reason: reason ?? '', atMs: draft.atMs } });
  else liftPause(draft);
  const after = draft.control.paused ?? null;
  draft.addAudit({ actor: by, act: type, target: runId, reason, detail: { before, after } });
  // A row of the journal that moves nothing: its detail is no kernel event.
  draft.addTransition(draft.snapshot, {
    event: { type, id: `${event.source}/${event.eventId}`, step: null, detail: { by, reason } },
    delta: { left: [], entered: [] },
    commands: [],
  });
  draft.answer(event, 'applied');
}

/** The run goes on, or is over. */
export function liftPause(draft: Draft): void {
  const { paused, ...control } = draft.control;
  if (paused !== undefined) draft.control = control;
}
