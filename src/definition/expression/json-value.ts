import type { Json } from '../../model/json.ts';
import { BOUNDS } from './bounds.ts';
import { writeInstant } from './calendar.ts';
import { DecimalNumber } from './decimal.ts';
import { refuse } from './expression-refusal.ts';
import type { EngineHost } from './engine-host.ts';

const DEPTH_MAX = 100;

/**
 * A computed value as JSON: instants as RFC 3339 text in UTC, durations as `90s` (or `1500ms`), decimals as plain text.
 * @throws ExpressionRefusal for what JSON cannot hold exactly: whole numbers beyond 2^53, NaN, infinity, types, functions.
 */
export function jsonOf(value: unknown, host: EngineHost, depth = 0): Json {
  if (depth > DEPTH_MAX) return refuse('a value nested too deeply');
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return exact(Number(value));
    case 'number':
      return exact(value);
    default:
      return value === null ? null : objectJson(value, host, depth);
  }
}

function objectJson(value: unknown, host: EngineHost, depth: number): Json {
  if (Array.isArray(value)) {
    if (value.length > BOUNDS.listElements) refuse(`a list of more than ${BOUNDS.listElements} elements`);
    return value.map((item) => jsonOf(item, host, depth + 1));
  }
  // fromEntries defines own properties, so a key `__proto__` stays data.
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, item]) => [String(key), jsonOf(item, host, depth + 1)]));
  }
  if (value instanceof Date) return writeInstant(value.getTime());
  if (value instanceof DecimalNumber) return value.toText();
  if (host.isDuration(value)) return durationText(value.valueOf());
  return refuse('the result is a type or a function, not a value');
}

function exact(value: number): number {
  if (!Number.isFinite(value)) return refuse('the result is not a finite number');
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return refuse('the result is a whole number beyond 2^53, which JSON cannot hold exactly');
  return value === 0 ? 0 : value;
}

function durationText(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${Math.trunc(ms)}ms`;
}

/**
 * A value as part of a text.
 * @throws ExpressionRefusal for null, lists and maps: an address with `null` in it is nearly always a mistake.
 */
export function textOf(value: unknown, host: EngineHost): string {
  return typeof value === 'bigint' ? value.toString() : jsonText(jsonOf(value, host));
}

/** The same for a value that is JSON already. @throws ExpressionRefusal */
export function jsonText(json: Json): string {
  if (json === null) return refuse('null cannot be part of a text; give a default with or(…) or a condition');
  if (typeof json === 'object') return refuse('a list or a map cannot be part of a text; write json(…)');
  return String(json);
}
