import { canonicalJson } from '../../model/canonical-json.ts';
import { caught } from '../../model/caught.ts';
import type { Json } from '../../model/json.ts';

/** What a stored text says, whatever became of it; null where it is no JSON. */
export function storedJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    caught(error, SyntaxError);
    return null;
  }
}

/** Whether two values are the same JSON. */
export function isSameJson(one: Json, other: Json): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
