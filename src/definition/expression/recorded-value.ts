import type { Json } from '../../model/json.ts';
import { writeInstant } from './calendar.ts';
import { fieldType } from './bind-value.ts';
import { optionsOf, type ValueType } from './value-type.ts';

/** Whether a value of this type can hold a recorded time, which is kept as milliseconds and shown as RFC 3339 text. */
export function holdsTime(type: ValueType): boolean {
  switch (type.kind) {
    case 'timestamp':
      return true;
    case 'list':
      return holdsTime(type.item);
    case 'map':
      return holdsTime(type.value);
    case 'object':
      return (
        [...type.fields.values()].some((field) => holdsTime(field.type)) || (type.rest !== null && holdsTime(type.rest))
      );
    case 'union':
      return type.options.some(holdsTime);
    default:
      return false;
  }
}

/** A value read without an expression, the same as an expression would give it: recorded times as text. */
export function recordedValue(value: Json, type: ValueType): Json {
  if (typeof value === 'number')
    return optionsOf(type).some((option) => option.kind === 'timestamp') ? writeInstant(value) : value;
  if (value === null || typeof value !== 'object' || !holdsTime(type)) return value;
  if (Array.isArray(value)) {
    const list = optionsOf(type).find((option) => option.kind === 'list');
    return list?.kind === 'list' ? value.map((item: Json) => recordedValue(item, list.item)) : value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, recordedValue(item, fieldType(type, key))]),
  );
}
