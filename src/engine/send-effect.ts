import { acceptedChild } from '../decision/child-run.ts';
import { judgeAttempt } from '../decision/judge-outcome.ts';
import type { DecisionInput } from '../decision/decision-input.ts';
import { effectView } from '../decision/effect-view.ts';
import type { AttemptReport } from '../model/outcome.ts';
import type { SendGate, SendOrder } from '../ports/action-adapter.ts';
import { depart } from './depart.ts';
import { sendWithSecrets } from './send-with-secrets.ts';
import { type Touch, touchScope } from './touch.ts';

async function perform(touch: Touch, order: SendOrder, gate: SendGate): Promise<AttemptReport> {
  if (!gate()) return { kind: 'unsent', reason: 'it was too late for its seat or its commit (E05)' };
  const scope = { ...touchScope(touch, order.run), with: order.request.with, effect: effectView(order.effect) };
  return sendWithSecrets(touch, { contract: order.contract, what: 'send', scope }, (headers) =>
    touch.engine.actions.send(order, headers, gate, touch.signal),
  );
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
  const departure = { request, contract, acts: true, seed: effect.key, turn: attempt };
  const outcome = await depart(touch, departure, {
    leave: () => perform(touch, order, gate),
    judge: (report) =>
      judgeAttempt({
        evaluator: touch.version.compiled.evaluator,
        contract,
        effect,
        with: request.with,
        report,
        scope: touchScope(touch, order.run),
        nowMs: touch.nowMs(),
      }),
  });
  touch.engine.logger.info(
    {
      runId: order.run.runId,
      effectKey: effect.key,
      fence: order.fence,
      attempt,
      outcome: outcome.kind,
      code: outcome.code,
    },
    'effect.attempted',
  );
  return { type: 'attempt.settled', effectKey: effect.key, attempt, outcome };
}
