import type { DecisionInput } from '../decision/decision-input.ts';
import { judgeAttempt } from '../decision/judge-outcome.ts';
import type { AttemptReport } from '../model/outcome.ts';
import type { ReadOrder } from '../ports/action-adapter.ts';
import { depart } from './depart.ts';
import { sendWithSecrets } from './send-with-secrets.ts';
import { type Touch, touchScope } from './touch.ts';

function perform(touch: Touch, order: ReadOrder): Promise<AttemptReport> {
  const scope = { ...touchScope(touch, order.run), with: order.request.with };
  return sendWithSecrets(touch, { contract: order.contract, what: 'send', scope }, (headers) =>
    touch.engine.actions.read(order, headers, touch.signal),
  );
}

/** Performs a read: no ledger row, freely repeated; its result is recorded with the transition. Transaction: none. */
export async function readAction(touch: Touch, order: ReadOrder): Promise<DecisionInput> {
  const { step, attempt, contract, request } = order;
  const seed = `${order.run.runId}:${step}`;
  const departure = { request, contract, acts: false, begunAtMs: order.run.startedAtMs, seed, turn: attempt };
  const outcome = await depart(touch, departure, {
    leave: () => perform(touch, order),
    judge: (report) =>
      judgeAttempt({
        evaluator: touch.version.compiled.evaluator,
        contract,
        effect: null,
        with: request.with,
        report,
        scope: touchScope(touch, order.run),
        nowMs: touch.nowMs(),
      }),
  });
  touch.engine.logger.info(
    { runId: order.run.runId, step, attempt, outcome: outcome.kind, code: outcome.code },
    'action.read',
  );
  return { type: 'read.settled', step, attempt, outcome };
}
