import type { Json, JsonObject } from '../../model/json.ts';
import { ownValue } from '../../model/own-value.ts';
import { BOUNDS } from './bounds.ts';
import { refuse } from './expression-refusal.ts';
import { DYN, optionsOf, type ValueType } from './value-type.ts';

/** The parts of a value that an expression reads: by key, or `true` = all of it. */
export type Reads = true | ReadonlyMap<string, Reads>;

/**
 * Turns JSON into what the engine computes with, only the parts that are read. Objects become Maps (so that no prototype is in
 * reach), numbers int or double by their type (without one: double), recorded times (ms, or RFC 3339) instants.
 * @throws ExpressionRefusal for a list over the bound.
 */
export function bindValue(value: Json, type: ValueType, reads: Reads): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return bindNumber(value, type);
  if (typeof value === 'string') return isTime(type) ? new Date(value) : value;
  return isList(value) ? bindList(value, type) : bindObject(value, type, reads);
}

function bindObject(value: JsonObject, type: ValueType, reads: Reads): ReadonlyMap<string, unknown> {
  const bound = new Map<string, unknown>();
  for (const key of reads === true ? Object.keys(value) : reads.keys()) {
    const item = ownValue(value, key);
    const below = reads === true ? true : (reads.get(key) ?? true);
    if (item !== undefined) bound.set(key, bindValue(item, fieldType(type, key), below));
  }
  return bound;
}

/** Turns one key's type out of an object's; unknown keys are dyn. */
export function fieldType(type: ValueType, key: string): ValueType {
  for (const option of optionsOf(type)) {
    if (option.kind === 'object') return option.fields.get(key)?.type ?? option.rest ?? DYN;
    if (option.kind === 'map') return option.value;
  }
  return DYN;
}

function bindNumber(value: number, type: ValueType): unknown {
  const options = optionsOf(type);
  if (options.some((option) => option.kind === 'timestamp')) return new Date(value);
  const whole = options.some((option) => option.kind === 'int') && !options.some((option) => option.kind === 'double');
  return whole && Number.isInteger(value) ? BigInt(value) : value;
}

function bindList(value: readonly Json[], type: ValueType): unknown[] {
  if (value.length > BOUNDS.listElements) refuse(`a list of more than ${BOUNDS.listElements} elements`);
  const list = optionsOf(type).find((option) => option.kind === 'list');
  const item = list?.kind === 'list' ? list.item : DYN;
  return value.map((element) => bindValue(element, item, true));
}

/** A recorded time, or none yet. */
function isTime(type: ValueType): boolean {
  const options = optionsOf(type);
  return (
    options.some(({ kind }) => kind === 'timestamp') &&
    options.every(({ kind }) => kind === 'timestamp' || kind === 'null')
  );
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}
