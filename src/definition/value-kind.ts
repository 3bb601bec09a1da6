import type { Json } from '../model/json.ts';

/** What kind of value it is, in a reader's words: `a number`, `text`, `a list`; never the value itself. */
export function valueKind(value: Json): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'string') return 'text';
  return typeof value === 'boolean' ? 'true or false' : 'a number';
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
  null: 'nothing',
};

/** JSON Schema types in a reader's words. */
export function kindWords(types: readonly string[]): string {
  return types.map((type) => KINDS[type] ?? type).join(' or ');
}
