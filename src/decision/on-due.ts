import type { Effect } from '../model/effect.ts';
import type { QueryOrder, ReadOrder, SendOrder } from '../model/order.ts';
import type { ReadProgress, RunState } from '../model/run.ts';
import { applySettlement, settlingOf } from './apply-settlement.ts';
import { chooseDoubt, resendsUntilMs } from './doubt.ts';
import type { Draft } from './draft.ts';
import { type Acting, blockOf } from './dispatch-block.ts';
import { isWithWorkers } from './hand-out.ts';
import { maySend } from './may-send.ts';
import { readRequest } from './effect-key.ts';
import { orFault } from './faults.ts';
import { prepareRead } from './prepare-call.ts';
import { renderQuery } from './render-request.ts';
import { askEffect, requestEffect } from './request-effect.ts';
import { readingStep } from './on-read.ts';
import { Ledger } from './ledger.ts';
import { policyOf } from './row-policy.ts';
import { stayInDoubt, stepOutcomeOf } from './settlement.ts';
import { effectSettled, failed, failureOf } from './settle-step.ts';
import { scopeAt } from './step-scope.ts';
import { requestChild } from './tell-child.ts';
import { expireEffect } from './withdraw-effect.ts';
import { isDue } from './run-status.ts';
import type { Orders } from './decision.ts';
import { laneStepOf } from './lane-step.ts';
import { authorOf } from '../machine/lane-steps.ts';

/** How much longer than the action's own time a query's answer may take before it is asked again, milliseconds. */
const QUERY_SLACK_MS = 5_000;

/** Orders as they are collected. */
export interface OrderBook extends Orders {
  readonly sends: SendOrder[];
  readonly queries: QueryOrder[];
  readonly reads: ReadOrder[];
}

/**
 * Sends what may be sent and asks what is due, at the end of every decision of a process that sends: each row REQUESTED
 * in this very commit is an order for after it (E03). Rows whose time is over are settled instead.
 * @returns whether something was settled, so that the run must be moved before the commit is closed.
 */
export function dispatchDue(draft: Draft, orders: OrderBook): boolean {
  if (!draft.ctx.canSend) return false;
  const queued = draft.queue.length;
  for (const effect of actionableRows(draft)) if (isDue(effect, draft.ctx.nowMs)) dispatchRow(draft, effect, orders);
  for (const [step, read] of openReads(draft)) {
    if (read.notBeforeMs !== null && read.notBeforeMs <= draft.ctx.nowMs) askRead(draft, step, read, orders);
  }
  return draft.queue.length > queued;
}

/** Rows that a worker acts on, now or later: no sending of an ended run or of a step that is not active, none that is blocked. */
export function actionableRows(draft: Acting): readonly Effect[] {
  return rowsToAct(draft).filter((effect) => !isWithWorkers(effect));
}

/** All that may still happen by itself: rows in flight, rows that a worker acts on, and what remote workers have or may pull. */
export function movingRows(draft: Acting): readonly Effect[] {
  const inFlight = [...Ledger.of(draft.effects).live()].filter((effect) => effect.state === 'REQUESTED');
  return [...inFlight, ...rowsToAct(draft)];
}

function rowsToAct(draft: Acting): readonly Effect[] {
  return [...Ledger.of(draft.effects).live()].filter((effect) => {
    if (effect.state === 'UNKNOWN' && effect.doubt === 'query') return blockOf(draft) !== 'all';
    return maySend(draft, effect);
  });
}

/** Reads of active steps. */
export function openReads(draft: Pick<RunState, 'phase' | 'control'>): readonly (readonly [string, ReadProgress])[] {
  if (draft.phase === 'ended' || blockOf(draft) !== null) return [];
  return Object.entries(draft.control.reads).filter(([, read]) => !read.closed);
}

function dispatchRow(draft: Draft, effect: Effect, orders: OrderBook): void {
  if (effect.state === 'AUTHORIZED') sendInTime(draft, effect, orders);
  else if (effect.doubt === 'query') ask(draft, effect, orders);
  else resend(draft, effect, orders);
}

/** `within` ends retries of what has not happened; what is in doubt is sent again to find out, and fails by no clock (E06). */
function sendInTime(draft: Draft, effect: Effect, orders: OrderBook): void {
  const { withinMs } = policyOf(draft, effect).retry;
  const firstMs = effect.firstRequestedAtMs;
  if (withinMs !== null && firstMs !== null && draft.ctx.nowMs > firstMs + withinMs) expire(draft, effect);
  else send(draft, effect, orders);
}

function send(draft: Draft, effect: Effect, orders: OrderBook): void {
  const { nowMs, numbers } = draft.ctx;
  const policy = policyOf(draft, effect);
  const contract = draft.ctx.compiled.action(effect.action);
  const sent = requestEffect(effect, { nowMs, fence: draft.base.fence, numbers });
  const requested = contract.transport.kind === 'child' ? requestChild(draft, sent, contract) : sent;
  draft.putEffect(requested);
  orders.sends.push({
    run: draft.base.run,
    effect: requested,
    request: readRequest(requested),
    contract,
    attempt: requested.attempt,
    fence: requested.fence,
    timeoutMs: policy.timeoutMs,
  });
}

/** The policy's `within` is over before the next sending: FAILED(timeout), and the run is told (E09). */
function expire(draft: Draft, effect: Effect): void {
  const expired = expireEffect(effect, draft.ctx.nowMs);
  applySettlement(draft, {
    effect: expired,
    receipt: null,
    settled: stepOutcomeOf(expired),
    retryAtMs: null,
    incident: null,
  });
}

/** The same bytes again, while the key is remembered; found too late, another way of finding out is taken (E06). */
function resend(draft: Draft, effect: Effect, orders: OrderBook): void {
  const settling = settlingOf(draft, effect);
  const untilMs = resendsUntilMs(effect, settling.contract);
  if (untilMs !== null && draft.ctx.nowMs <= untilMs) {
    send(draft, effect, orders);
    return;
  }
  const { contract, policy, nowMs } = settling;
  const doubt = chooseDoubt({ effect, contract, policy, nowMs, cause: 'lost' });
  applySettlement(draft, stayInDoubt(settling, doubt, { code: effect.code, lastError: effect.lastError }));
}

function ask(draft: Draft, effect: Effect, orders: OrderBook): void {
  const contract = draft.ctx.compiled.action(effect.action);
  const { scope } = scopeAt(draft, laneStepOf(draft, effect), draft.snapshot.data);
  const put = (): void => {
    const request = renderQuery(draft.ctx.compiled.evaluator, contract, effect, scope);
    const asked = askEffect(effect, draft.ctx.nowMs, contract.timeoutMs + QUERY_SLACK_MS);
    draft.putEffect(asked);
    const { run } = draft.base;
    orders.queries.push({ run, effect: asked, request, contract, query: asked.queries, timeoutMs: contract.timeoutMs });
  };
  // A question that cannot be put is one for a person.
  orFault(put, (lastError) => {
    const review = { doubt: 'review', notBeforeMs: null } as const;
    applySettlement(draft, stayInDoubt(settlingOf(draft, effect), review, { code: effect.code, lastError }));
  });
}

function askRead(draft: Draft, id: string, read: ReadProgress, orders: OrderBook): void {
  const step = readingStep(draft, id);
  const contract = draft.ctx.compiled.action(step.action);
  const note = (progress: ReadProgress): void =>
    draft.setControl({ reads: { ...draft.control.reads, [id]: progress } });
  const put = (): void => {
    const request = prepareRead(draft, step, draft.snapshot.data);
    const asked: ReadProgress = { ...read, attempts: read.attempts + 1, serial: read.serial + 1, notBeforeMs: null };
    note(asked);
    const timeoutMs = step.timeoutMs ?? contract.timeoutMs;
    orders.reads.push({ run: draft.base.run, step: id, request, contract, attempt: asked.serial, timeoutMs });
  };
  orFault(put, (message) => {
    const failure = failureOf(id, 'expression', 'expression', message);
    note({ ...read, closed: true });
    draft.enqueue(effectSettled(draft, id, failed(failure, read.attempts)), {
      type: 'step',
      id,
      step: authorOf(id),
    });
  });
}
