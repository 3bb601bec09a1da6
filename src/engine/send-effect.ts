import { acceptedChild } from '../decision/child-run.ts';
import { judgeAttempt } from '../decision/judge-outcome.ts';
import type { DecisionInput } from '../decision/decision-input.ts';
import type { AttemptReport, Outcome } from '../model/outcome.ts';
import type { SendGate, SendOrder } from '../ports/action-adapter.ts';
import { depart } from './depart.ts';
import { leavingOf } from './leaving.ts';
import { pastOf } from './outlet.ts';
import { performRequest } from './perform-request.ts';
import { type Touch, touchScope } from './touch.ts';

/** What an attempt came to, for the decision. */
type AttemptInput = Extract<DecisionInput, { type: 'attempt.settled' }>;

/** A process without the setting carries no statement out; another one may. */
const STATEMENTS_OFF: AttemptReport = {
  kind: 'unsent',
  reason: 'statements are off in this process: name their role in pawl.config.yaml (sql: { role: … })',
  afterMs: 10_000,
};

async function perform(touch: Touch, order: SendOrder, gate: SendGate): Promise<AttemptReport> {
  if (!gate()) return { kind: 'unsent', reason: 'it was too late for its seat or its commit (E05)' };
  return performRequest(touch, order, 'send', async (asked, headers) => {
    // Last of all: a token may have been long in coming.
    const kept = await heldBack(touch, order);
    return kept ?? touch.engine.actions.send(asked, headers, gate, touch.signal);
  });
}

/**
 * Sends one attempt whose REQUESTED row is committed (E03), behind the gate of E05, with secrets read now, and judges
 * what came back. Never throws for the world's faults. Transaction: none.
 */
export async function sendEffect(touch: Touch, order: SendOrder, gate: SendGate): Promise<DecisionInput> {
  const { effect, attempt, contract, request } = order;
  // What is said to a child is in the outbox already: the relay brings it.
  if (contract.transport.kind === 'child')
    return { type: 'attempt.settled', effectKey: effect.key, attempt, outcome: acceptedChild(effect) };
  if (contract.transport.kind === 'sql') return told(touch, order, judgeSending(touch, order, STATEMENTS_OFF));
  const departure = { request, contract, acts: true, ...pastOf(order.run, effect), seed: effect.key, turn: attempt };
  const outcome = await depart(touch, departure, {
    leave: () => perform(touch, order, gate),
    judge: (report) => judgeSending(touch, order, report),
  });
  return told(touch, order, outcome);
}

/** What a pause keeps back; null = it may leave. */
export async function heldBack({ outlet }: Touch, order: SendOrder): Promise<AttemptReport | null> {
  return (await outlet.hold?.(leavingOf(order.run, order.effect, order.request))) ?? null;
}

/** Judges what came of a sending. */
export function judgeSending(touch: Touch, order: SendOrder, report: AttemptReport): Outcome {
  return judgeAttempt({
    evaluator: touch.version.compiled.evaluator,
    contract: order.contract,
    effect: order.effect,
    with: order.request.with,
    report,
    scope: touchScope(touch, order.run),
    nowMs: touch.nowMs(),
  });
}

/** What an attempt came to, as it is decided on; logged. */
export function told(touch: Touch, order: SendOrder, outcome: Outcome): AttemptInput {
  const { effect, attempt, fence } = order;
  touch.engine.logger.info(
    {
      runId: order.run.runId,
      effectKey: effect.key,
      fence,
      attempt,
      outcome: outcome.kind,
      code: outcome.code,
    },
    'effect.attempted',
  );
  return { type: 'attempt.settled', effectKey: effect.key, attempt, outcome };
}
