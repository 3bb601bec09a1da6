import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { Effect } from '../model/effect.ts';
import { standingOf } from './run-status.ts';
import { settleIfDone } from './settle-run.ts';
import { childOf, startsChild } from './child-run.ts';
import type { Draft } from './draft.ts';
import { followOrder } from './follow-order.ts';
import { feed } from './kernel-loop.ts';
import { refusalAtEnd } from './on-cancel.ts';
import { liftPause } from './on-pause.ts';
import { lapseCancel } from './pivot-waiters.ts';
import { isInFlight } from './step-effects.ts';
import { endingOf } from './stop-run.ts';

type Terminate = Extract<InboxPayload, { type: 'terminate' }>;

/** Ends a run without undo, from anywhere but an end: audited, with what stands and what nobody knows (R18). */
export function onTerminate(draft: Draft, event: InboxEvent, { by, reason }: Terminate): void {
  if (draft.phase === 'ended') {
    draft.answer(event, 'refused', { code: refusalAtEnd(draft) });
    return;
  }
  // It sends nothing, and what it ends needs nobody to let it go on.
  liftPause(draft);
  const standing = standingOf(draft.effects.values(), draft.ctx.compiled).map(named);
  const unknown = [...draft.effects.values()].filter(isInFlight).map(named);
  const detail = { standing, unknown, ...childrenOf(draft) };
  draft.addAudit({ actor: by, act: 'terminate', target: draft.base.run.runId, reason, detail });
  followOrder(draft, { act: 'terminate', by, reason });
  lapseCancel(draft, 'terminated', { code: 'terminated' });
  const wasSettling = draft.phase === 'settling';
  const ending = endingOf(draft, { kind: 'terminated', by, reason });
  const cause = { type: 'terminate', id: `${event.source}/${event.eventId}`, step: null };
  feed(draft, { type: 'run.stopped', ending, atMs: draft.atMs }, cause);
  draft.answer(event, 'applied', { detail });
  // From settling the machine stays where it is and only learns the new end.
  if (wasSettling) settleIfDone(draft);
}

/** Children that run go on by themselves: what becomes of them a person says there. */
function childrenOf(draft: Draft): {
  readonly children?: readonly { readonly step: string; readonly runId: string }[];
} {
  const running = [...draft.effects.values()].filter((effect) => isInFlight(effect) && startsChild(effect.action));
  if (running.length === 0) return {};
  return { children: running.map((effect) => ({ step: effect.step, runId: childOf(effect) })) };
}

function named({ step, key }: Effect): { readonly step: string; readonly effectKey: string } {
  return { step, effectKey: key };
}
