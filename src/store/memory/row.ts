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
export function withNew<K, R>(table: string, rows: ReadonlyMap<K, R>, added: readonly (readonly [K, R])[]): Map<K, R> {
  const next = new Map(rows);
  for (const [key, row] of added) {
    if (next.has(key)) throw new ConflictError('PAWL_STORE_CONFLICT', `a row of ${table} is there already`);
    next.set(key, row);
  }
  return next;
}

/** A check constraint. @throws PAWL_STORE_FAILED */
export function check(condition: boolean, what: string): void {
  if (!condition) throw new StoreError('PAWL_STORE_FAILED', `the store refused: ${what}`);
}

/** The order of texts in a database of the C locale: that of their UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
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
