import type { Json, JsonObject } from '../model/json.ts';

/** A longer text is no name, and no index can hold it. */
const EXTERNAL_ID_UNITS_MAX = 512;

/** The provider's own name for what it did: `output.id` where that is a number or a text of at most 512 characters. */
export function externalIdOf(output: Json | undefined): string | null {
  if (!isObject(output) || !Object.hasOwn(output, 'id')) return null;
  const { id } = output;
  const isName = typeof id === 'number' || (typeof id === 'string' && id.length <= EXTERNAL_ID_UNITS_MAX);
  return isName ? String(id) : null;
}

/** Whether a value is a JSON object. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
