import { canonicalJson } from '../../model/canonical-json.ts';
import { ConflictError, RefusedError, StoreError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';

/** What a text column cannot hold (P11); in unicode mode a whole pair is one character and does not match. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** A value as data: what JSON makes of it, frozen. */
function dataOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) => Object.freeze(item)) as T;
}

/** A JSON value whose bytes a hash covers: keys in canonical order (P15). */
export function canonicalData<T>(value: T): T {
  return dataOf(JSON.parse(canonicalJson(value as Json)) as T);
}

/** A text as a column holds it. @throws PAWL_VALUE_NOT_STORABLE for NUL and half surrogate pairs. */
export function textOf(text: string): string {
  if (UNSTORABLE.test(text)) throw new RefusedError('PAWL_VALUE_NOT_STORABLE', 'a text column cannot hold a value');
  return text;
}

/**
 * A row as it is stored: data, and nothing of the value that was given.
 * @param json the columns that hold JSON, where a string is a value and no text; `undefined` (not given) stays so.
 * @throws PAWL_VALUE_NOT_STORABLE
 */
export function rowOf<T extends object>(row: T, json: readonly (keyof T & string)[] = []): T {
  const columns = Object.entries(row).map(([name, value]: [string, unknown]) => {
    if (typeof value === 'string' && !(json as readonly string[]).includes(name)) return [name, textOf(value)];
    return [name, value === undefined ? undefined : dataOf(value)];
  });
  return Object.freeze(Object.fromEntries(columns)) as T;
}

/** A table's rows with new ones. @throws PAWL_STORE_CONFLICT when one is there already: a primary key. */
export function withNew<K, R>(
  table: string,
  rows: ReadonlyMap<K, R>,
  added: readonly (readonly [K, R])[],
): ReadonlyMap<K, R> {
  if (added.length === 0) return rows;
  const next = new Map(rows);
  for (const [key, row] of added) {
    if (next.has(key)) throw new ConflictError('PAWL_STORE_CONFLICT', `a row of ${table} is there already`);
    next.set(key, row);
  }
  return next;
}

/** A table's rows with others over them, new ones and such as are there already. */
export function withOver<K, R>(rows: ReadonlyMap<K, R>, over: readonly (readonly [K, R])[]): ReadonlyMap<K, R> {
  return over.length === 0 ? rows : new Map([...rows, ...over]);
}

/** A table's rows with those of others that are not there yet (DO NOTHING); of two of one key the first. */
export function withMissing<K, R>(rows: ReadonlyMap<K, R>, added: readonly (readonly [K, R])[]): ReadonlyMap<K, R> {
  return withOver(rows, added.filter(([key]) => !rows.has(key)).reverse());
}

/** A check constraint. @throws PAWL_STORE_REFUSED */
export function check(condition: boolean, what: string): void {
  if (!condition) throw new StoreError('PAWL_STORE_REFUSED', `the store refused: ${what}`);
}

/** From here on UTF-16 units and UTF-8 bytes sort differently. */
const BEYOND_UNITS = /[\ud800-\uffff]/;

/** The order of texts in a database of the C locale: that of their UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (BEYOND_UNITS.test(a) || BEYOND_UNITS.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** Rows in the order of some columns, the first that differs decides. */
export function inOrder<R>(rows: Iterable<R>, columns: (row: R) => readonly (string | number)[]): R[] {
  const compare = (a: string | number, b: string | number): number =>
    typeof a === 'number' && typeof b === 'number' ? a - b : compareText(String(a), String(b));
  return [...rows]
    .map((row) => ({ row, at: columns(row) }))
    .sort((a, b) => a.at.reduce<number>((order, value, index) => order || compare(value, b.at[index] ?? ''), 0))
    .map(({ row }) => row);
}
