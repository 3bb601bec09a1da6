/** What is known of a value before it is there. `map` has any keys, `object` the keys of a schema. */
export type ValueType =
  | {
      readonly kind: 'dyn' | 'null' | 'bool' | 'int' | 'double' | 'timestamp' | 'duration' | 'decimal' | 'type';
    }
  /** `words`: the only texts that it can be; absent = any. */
  | { readonly kind: 'string'; readonly words?: readonly string[] }
  | { readonly kind: 'list'; readonly item: ValueType }
  | { readonly kind: 'map'; readonly value: ValueType }
  | {
      readonly kind: 'object';
      readonly fields: ReadonlyMap<string, FieldType> /** Type of other keys; null = there are none. */;
      readonly rest: ValueType | null;
    }
  | { readonly kind: 'union'; readonly options: readonly ValueType[] };

/** A key of an object. */
export interface FieldType {
  readonly type: ValueType;
  /** Whether it is always there. */
  readonly required: boolean;
  /** Reading it unguarded is not worth a warning (answers of others have many shapes). */
  readonly quiet?: boolean;
  /** A default is written in where it is left out. */
  readonly defaulted?: boolean;
}

/** The type of which nothing is known. */
export const DYN: ValueType = { kind: 'dyn' };
export const NULL: ValueType = { kind: 'null' };
export const BOOL: ValueType = { kind: 'bool' };
export const INT: ValueType = { kind: 'int' };
export const DOUBLE: ValueType = { kind: 'double' };
export const STRING: ValueType = { kind: 'string' };
export const TIMESTAMP: ValueType = { kind: 'timestamp' };

/** One type out of several; nothing known if one of them is unknown. */
export function unionOf(options: readonly ValueType[]): ValueType {
  const flat = options.flatMap((option) => (option.kind === 'union' ? option.options : [option]));
  if (flat.length === 0 || flat.some((option) => option.kind === 'dyn')) return DYN;
  const seen = new Map<string, ValueType>();
  for (const option of flat) seen.set(typeKey(option), option);
  const [only, ...others] = [...seen.values()];
  if (only === undefined) return DYN;
  return others.length === 0 ? only : { kind: 'union', options: [...seen.values()] };
}

/** The alternatives of a type: itself, or the options of a union. */
export function optionsOf(type: ValueType): readonly ValueType[] {
  return type.kind === 'union' ? type.options : [type];
}

/** The only texts that a value can be; null where it can be anything else, too. */
export function wordsOf(type: ValueType): readonly string[] | null {
  const options = optionsOf(type).filter(({ kind }) => kind !== 'null');
  const words = options.flatMap((option) => (option.kind === 'string' ? (option.words ?? []) : []));
  const isSaid = options.every((option) => option.kind === 'string' && option.words !== undefined);
  return isSaid && words.length > 0 ? words : null;
}

/** A text that is equal for equal types. */
export function typeKey(type: ValueType): string {
  switch (type.kind) {
    case 'list':
      return `list<${typeKey(type.item)}>`;
    case 'map':
      return `map<${typeKey(type.value)}>`;
    case 'union':
      return type.options.map(typeKey).join('|');
    case 'object': {
      const fields = [...type.fields].map(
        ([name, field]) => `${name}${field.required ? '' : '?'}:${typeKey(field.type)}`,
      );
      return `{${[...fields.sort(), type.rest === null ? '' : `*:${typeKey(type.rest)}`].join(',')}}`;
    }
    case 'string':
      return type.words === undefined ? type.kind : `string(${type.words.join(',')})`;
    default:
      return type.kind;
  }
}

/** A type in the words of messages: `list of string`, `string or null`. */
export function describeType(type: ValueType): string {
  switch (type.kind) {
    case 'list':
      return type.item.kind === 'dyn' ? 'list' : `list of ${describeType(type.item)}`;
    case 'object':
      return 'map';
    case 'union':
      return [...new Set(type.options.map(describeType))].join(' or ');
    case 'dyn':
      return 'any';
    default:
      return type.kind;
  }
}
