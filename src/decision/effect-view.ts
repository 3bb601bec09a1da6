import type { Effect } from '../model/effect.ts';
import type { JsonObject } from '../model/json.ts';
import { readRequest } from './effect-key.ts';

/**
 * The root `effect` of expressions: `{key, input}`, and of a confirmed effect `output` and
 * `receipt {number, externalId, settledAt}`; all of it recorded, none of it can change.
 */
export function effectView(effect: Effect): JsonObject {
  const view: JsonObject = { key: effect.key, input: readRequest(effect).with };
  if (effect.state !== 'CONFIRMED') return view;
  const receipt: JsonObject = {
    number: effect.receiptNo,
    externalId: effect.externalId,
    settledAt: new Date(effect.settledAtMs ?? 0).toISOString(),
  };
  return { ...view, output: effect.output ?? null, receipt };
}
