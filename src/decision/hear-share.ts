import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { Outcome } from '../model/outcome.ts';
import { displayRunId } from '../model/run-id.ts';
import type { ShareNews, ShareOutcome } from '../model/shared-effect.ts';
import { advancePlan } from './advance-plan.ts';
import { applySettlement, mayStart, settlingOf } from './apply-settlement.ts';
import type { Draft } from './draft.ts';
import { enterCall, openConflict } from './enter-call.ts';
import { raiseRedo } from './redo.ts';
import { authorizeEffect } from './request-effect.ts';
import { laneStepOf } from './lane-step.ts';
import { laneCallOf } from './row-policy.ts';
import { enqueueSettled, failed, failureOf } from './settle-step.ts';
import { confirm, fail, type Observer } from './settlement.ts';
import { SHARING } from './share-effect.ts';
import { refuseEffect } from './withdraw-effect.ts';

type Told = Extract<InboxPayload, { type: 'share.told' }>;

/** What has become of an act that this run shares, or may become of its undo (E11); heard once, and only by a row that waits. */
export function onShareTold(draft: Draft, event: InboxEvent, { news }: Told): void {
  const effect = draft.effects.get(news.undoKey ?? news.effectKey);
  const isAwaited = effect?.state === 'PROPOSED' && (news.undoKey === null || effect.code === SHARING);
  if (effect === undefined || !isAwaited || !mayStart(draft, effect)) {
    draft.answer(event, 'already-decided');
    return;
  }
  draft.answer(event, 'applied', { detail: { step: effect.step, word: news.word } });
  hear(draft, effect, news);
}

function hear(draft: Draft, effect: Effect, news: ShareNews): void {
  switch (news.word) {
    case 'owner':
    case 'alone':
      draft.putEffect({ ...authorizeEffect(effect, null), code: null });
      return;
    case 'settled':
      takeWord(draft, effect, news);
      return;
    case 'closed':
      startNext(draft, effect);
      return;
    case 'stands':
      refuseStanding(draft, effect, news);
      return;
    case 'conflict':
      meetConflict(draft, effect, news);
      return;
    case 'undone':
      applySettlement(draft, confirm(settlingOf(draft, effect), outcomeOf(UNDONE), observerOf(news)));
      return;
    case 'shared':
      draft.putEffect(refuseEffect(effect, { ...SHARED, nowMs: draft.atMs }));
      advancePlan(draft);
      return;
  }
}

const UNDONE: ShareOutcome = { ok: true, code: null, class: null, message: '', output: null, externalId: null };
const SHARED = {
  code: 'shared-effect',
  class: 'shared-effect',
  message: 'other runs rely on what it undoes: an act is undone only by its last user',
} as const;

function outcomeOf({ ok, code, class: kind, message, output, externalId }: ShareOutcome): Outcome {
  return {
    kind: ok ? 'confirmed' : 'rejected',
    code,
    ...(kind === null ? {} : { class: kind }),
    message,
    output,
    named: true,
    retryAfterMs: null,
    externalId,
    resultBase64: '',
    sent: true,
  };
}

/** The proof is the owner's; this run's receipt says whose word it took. */
function observerOf({ of }: ShareNews): Observer {
  return { by: 'webhook', evidence: { sharedWith: of === null ? null : displayRunId(of) } };
}

/** CONFIRMED and FAILED are recorded for all. */
function takeWord(draft: Draft, effect: Effect, news: ShareNews): void {
  const { outcome } = news;
  invariant(outcome !== null, 'a settled act has an outcome', { key: effect.key });
  const settling = settlingOf(draft, effect);
  const told = outcome.ok ? confirm : fail;
  applySettlement(draft, told(settling, outcomeOf(outcome), observerOf(news)));
}

/** A shared act that was refused or undone is closed: this run's is the next generation, with a key of its own (E01). */
function startNext(draft: Draft, effect: Effect): void {
  const message = 'the act was closed: the next generation counts';
  draft.putEffect(refuseEffect(effect, { code: 'closed', class: 'refused', message, nowMs: draft.atMs }));
  draft.setControl({ redo: raiseRedo(draft.control.redo, effect.step, effect.frames) });
  enterCall(draft, laneCallOf(draft, effect), draft.snapshot.data);
}

/** What others did after this run had withdrawn is not done again, and is not this run's either. */
function refuseStanding(draft: Draft, effect: Effect, { of }: ShareNews): void {
  const message = `${runOf(of)} has done it since this run withdrew from it`;
  const refused = { code: 'shared-effect', class: 'shared-effect', message } as const;
  draft.putEffect(refuseEffect(effect, { ...refused, nowMs: draft.atMs }));
  enqueueSettled(
    draft,
    laneStepOf(draft, effect),
    failed(failureOf(effect.step, refused.code, refused.class, message)),
  );
}

/** One key, two requests (E02): nothing is sent, and a person sees whose request the other is. */
function meetConflict(draft: Draft, effect: Effect, { of }: ShareNews): void {
  const message = `${runOf(of)} has asked for the same act with another request`;
  draft.putEffect(refuseEffect(effect, { code: 'conflict', class: 'conflict', message, nowMs: draft.atMs }));
  openConflict(draft, laneCallOf(draft, effect), effect, message);
}

function runOf(runId: ShareNews['of']): string {
  return runId === null ? 'another run' : `run ${displayRunId(runId)}`;
}
