import type { Json, JsonObject } from '../model/json.ts';

/** The provider's own name for what it did: `output.id` where that is a text or a number. */
export function externalIdOf(output: Json | undefined): string | null {
  if (!isObject(output) || !Object.hasOwn(output, 'id')) return null;
  const { id } = output;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

/** Whether a value is a JSON object. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
