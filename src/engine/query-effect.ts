import type { DecisionInput } from '../decision/decision-input.ts';
import { judgeQuery } from '../decision/judge-query.ts';
import { readRequest } from '../decision/effect-key.ts';
import type { QueryOrder } from '../ports/action-adapter.ts';
import { depart } from './depart.ts';
import { pastOf } from './outlet.ts';
import { performRequest } from './perform-request.ts';
import { type Touch, touchScope } from './touch.ts';

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
    leave: () =>
      performRequest(touch, order, 'query', (asked, headers) =>
        touch.engine.actions.query(asked, headers, touch.signal),
      ),
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
