import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { readRequest } from './effect-key.ts';

/**
 * The root `effect` of expressions: `{key, input}`, and of a confirmed effect `output` and
 * `receipt {number, externalId, settledAt}`; all of it recorded, none of it can change.
 */
export function effectView(effect: Effect): JsonObject {
  const view: JsonObject = { key: effect.key, input: readRequest(effect).with };
  if (effect.state !== 'CONFIRMED') return view;
  const { receiptNo, externalId, settledAtMs, output } = effect;
  invariant(settledAtMs !== null, 'a confirmed effect has a settling time', { key: effect.key });
  const settledAt = new Date(settledAtMs).toISOString();
  return { ...view, output: output ?? null, receipt: { number: receiptNo, externalId, settledAt } };
}
