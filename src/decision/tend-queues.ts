import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { EffectKey } from '../model/ids.ts';
import type { RunState } from '../model/run.ts';
import type { Acting } from './dispatch-block.ts';
import { resendsUntilMs } from './doubt.ts';
import type { Draft } from './draft.ts';
import { isOpen, touchEffect } from './effect-lifecycle.ts';
import { isWithWorkers, workerTimer } from './hand-out.ts';
import { Ledger } from './ledger.ts';
import { maySend } from './may-send.ts';
import { policyOf } from './row-policy.ts';

/**
 * At the end of every decision: what remote workers may pull is offered in the very commit that makes it so, what they may not
 * any more is withdrawn, and every lease that was given and every bounded wait has its timer (V06). All of it follows from the
 * rows as they are then, whatever made them so.
 */
export function tendQueues(draft: Draft): void {
  if (!draft.ctx.compiled.hasQueues) return;
  const before = Ledger.of(draft.base.effects);
  const rows = [...before.live(), ...draft.effects.live()].filter(({ queue }) => queue !== undefined);
  const had = new Map(rows.map(({ key }) => [key, before.get(key)] as const));
  const offered = new Map([...had].map(([key, row]) => [key, offeredAtMs(draft.base, row)] as const));
  for (const [key, was] of had) {
    boundWait(draft, was, draft.effectOf(key));
    keepTime(draft, key);
    tellOffer(draft, draft.effectOf(key), offered.get(key) ?? null);
  }
}

/** An attempt that begins to wait has the time that its step gives it, from when it may be handed out. */
function boundWait(draft: Draft, was: Effect | undefined, effect: Effect): void {
  const isAsItWas =
    was?.state === 'AUTHORIZED' && was.attempt === effect.attempt && was.notBeforeMs === effect.notBeforeMs;
  if (effect.state !== 'AUTHORIZED' || isAsItWas) return;
  const { retry, waitMs } = policyOf(draft, effect);
  const fromMs = Math.max(effect.notBeforeMs ?? 0, draft.ctx.nowMs);
  const bounds = [
    ...(waitMs === null ? [] : [fromMs + waitMs]),
    ...(retry.withinMs === null || effect.firstRequestedAtMs === null
      ? []
      : [effect.firstRequestedAtMs + retry.withinMs]),
  ];
  const sendByMs = bounds.length === 0 ? null : Math.min(...bounds);
  if (sendByMs !== effect.sendByMs) draft.putEffect(touchEffect(effect, { sendByMs }));
}

/**
 * No lease of an attempt that was handed out leads beyond this: its action's time, which began then, and for the same request again
 * the provider's memory of its key, because who holds the lease may begin until it ends (E06).
 */
export function leaseBoundMs(draft: Draft, effect: Effect): number {
  const { requestedAtMs, unknownSinceMs } = effect;
  invariant(requestedAtMs !== null, 'what was handed out was requested', { key: effect.key });
  const timeoutAtMs = requestedAtMs + policyOf(draft, effect).timeoutMs;
  const memoryMs = unknownSinceMs === null ? null : resendsUntilMs(effect, draft.ctx.compiled.action(effect.action));
  return memoryMs === null ? timeoutAtMs : Math.min(timeoutAtMs, memoryMs);
}

/** When the time of a row with a queue is over: its lease, its wait, or the provider's memory; null = nothing ends by itself. */
export function workersUntilMs(draft: Draft, effect: Effect): number | null {
  if (effect.queue === undefined) return null;
  if (effect.state === 'AUTHORIZED' || effect.state === 'REQUESTED') return effect.sendByMs;
  if (effect.state !== 'UNKNOWN' || effect.doubt !== 'resend') return null;
  return resendsUntilMs(effect, draft.ctx.compiled.action(effect.action));
}

function keepTime(draft: Draft, key: EffectKey): void {
  const name = workerTimer(key);
  const effect = draft.effectOf(key);
  const untilMs = workersUntilMs(draft, effect);
  const armed = draft.timers.get(name);
  if (untilMs === null && armed !== undefined) draft.clearTimer(name);
  if (untilMs !== null && armed?.dueAtMs !== untilMs) draft.setTimer(name, untilMs);
  if (!isOpen(effect.state)) draft.forgetTimer(name);
}

/** From when a row may be pulled; 0 = from the moment in which it came to be so, null = it may not. */
function offeredAtMs(acting: Acting | RunState, effect: Effect | undefined): number | null {
  const mayBe = effect !== undefined && isWithWorkers(effect) && maySend(acting, effect);
  return mayBe ? (effect.notBeforeMs ?? 0) : null;
}

function tellOffer(draft: Draft, effect: Effect, wasAtMs: number | null): void {
  const { key: effectKey, queue } = effect;
  const atMs = offeredAtMs(draft, effect);
  if (queue === undefined || atMs === wasAtMs) return;
  draft.offers.push({ effectKey, queue, dueAtMs: atMs === null ? null : Math.max(atMs, draft.ctx.nowMs) });
}

/** Whether a row may be handed out at this time. */
export function isOfferedNow(draft: Draft, effect: Effect): boolean {
  const atMs = offeredAtMs(draft, effect);
  return atMs !== null && atMs <= draft.ctx.nowMs;
}
