import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { RunState } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { pivotOf } from './pivot.ts';
import { stopRun } from './stop-run.ts';

type Cancel = Extract<InboxPayload, { type: 'cancel' }>;

/**
 * A cancel is accepted or refused by the commit that consumes it (R18): settle, undo, CANCELLED; while the pivot is in
 * flight it waits; behind the pivot, while undoing, in `finally` and after the end it is refused.
 */
export function onCancel(draft: Draft, event: InboxEvent, { by, reason }: Cancel): void {
  const verdict = cancelVerdict(draft);
  if (verdict.kind === 'refused') {
    draft.answer(event, 'refused', { code: verdict.code });
    return;
  }
  draft.addAudit({ actor: by, act: 'cancel', target: draft.base.run.runId, reason, detail: null });
  if (verdict.kind === 'waits') {
    const { source, eventId } = event;
    draft.setControl({ cancelWaiting: { source, eventId, by, reason } });
    draft.keep(event, { code: 'waits-for-pivot' });
    return;
  }
  draft.answer(event, 'applied');
  stopRun(
    draft,
    { kind: 'cancelled', by, reason },
    { type: 'cancel', id: `${event.source}/${event.eventId}`, step: null },
  );
}

/** What a cancel would come to: refused and why, recorded until the pivot is known, or carried out. */
export type CancelVerdict =
  | {
      readonly kind: 'refused';
      readonly code: 'ended' | 'held-at-end' | 'compensating' | 'finally' | 'pivot' | 'cancel-waits';
    }
  | { readonly kind: 'waits' }
  | { readonly kind: 'applies' };

/** Why a run whose steps are over is not stopped: its end may be held by a late proof (E08), and then it shows HELD. */
export function refusalAtEnd({ control }: Pick<RunState, 'control'>): 'ended' | 'held-at-end' {
  return control.incidents.some(({ kind }) => kind === 'late-proof') ? 'held-at-end' : 'ended';
}

/** The rule by which a cancel is decided and previewed (R18). */
export function cancelVerdict({
  phase,
  effects,
  control,
}: Pick<RunState, 'phase' | 'effects' | 'control'>): CancelVerdict {
  if (phase === 'ended') return { kind: 'refused', code: refusalAtEnd({ control }) };
  if (phase !== 'forward') return { kind: 'refused', code: phase === 'finally' ? phase : 'compensating' };
  const pivot = pivotOf(effects.values());
  if (pivot === 'behind') return { kind: 'refused', code: 'pivot' };
  if (control.cancelWaiting !== null) return { kind: 'refused', code: 'cancel-waits' };
  return { kind: pivot === 'open' ? 'waits' : 'applies' };
}
