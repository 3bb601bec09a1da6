import type { DecisionInput } from '../decision/decision-input.ts';
import { effectView } from '../decision/effect-view.ts';
import { judgeQuery } from '../decision/judge-query.ts';
import { readRequest } from '../decision/effect-key.ts';
import type { AttemptReport } from '../model/outcome.ts';
import type { QueryOrder } from '../ports/action-adapter.ts';
import { depart } from './depart.ts';
import { linkRequest } from './link-request.ts';
import { pastOf } from './outlet.ts';
import { sendWithSecrets } from './send-with-secrets.ts';
import { type Touch, touchScope } from './touch.ts';

async function perform(touch: Touch, order: QueryOrder): Promise<AttemptReport> {
  const { engine, signal } = touch;
  const { run, effect, contract } = order;
  const linked = linkRequest(engine, {
    runId: run.runId,
    effect,
    request: order.request,
    nowMs: touch.nowMs(),
  });
  if (linked.kind === 'missing') return { kind: 'unsent', reason: linked.reason, lacks: 'secret' };
  const { request, tokens } = linked;
  const scope = { ...touchScope(touch, run), with: request.with, effect: effectView(effect) };
  return sendWithSecrets(touch, { contract, what: 'query', scope, tokens }, (headers) =>
    engine.actions.query({ ...order, request }, headers, signal),
  );
}

/** Asks the provider what became of an effect, and judges the answer (E06). Never throws for the world's faults. Transaction: none. */
export async function queryEffect(touch: Touch, order: QueryOrder): Promise<DecisionInput> {
  const { effect, query, contract } = order;
  const departure = {
    request: order.request,
    contract,
    acts: false,
    ...pastOf(order.run, effect),
    seed: effect.key,
    turn: query,
  };
  const outcome = await depart(touch, departure, {
    leave: () => perform(touch, order),
    judge: (report) =>
      judgeQuery({
        evaluator: touch.version.compiled.evaluator,
        contract,
        effect,
        with: readRequest(effect).with,
        report,
        scope: touchScope(touch, order.run),
        nowMs: touch.nowMs(),
      }),
  });
  touch.engine.logger.info(
    { runId: order.run.runId, effectKey: effect.key, query, outcome: outcome.kind, code: outcome.code },
    'effect.queried',
  );
  return { type: 'query.settled', effectKey: effect.key, query, outcome };
}
