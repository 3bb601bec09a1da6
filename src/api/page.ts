import type { Json } from '../model/json.ts';
import { malformed } from './api-error.ts';
import { writePlace } from './cursor.ts';
import type { Answer, Call } from './route.ts';
import { LIMIT_DEFAULT } from './schemas.ts';

/** How many lines of a page a call asks for. */
export function limitOf({ query }: Call): number {
  return Number(query['limit'] ?? LIMIT_DEFAULT);
}

/**
 * What a cursor is bound to: everything that is asked for, and what the caller may read: whoever may read fewer workflows
 * meanwhile goes on with another list.
 */
export function boundOf({ query }: Call, workflows: readonly string[] | undefined): Json {
  const { limit: _limit, cursor: _cursor, ...asks } = query;
  return { ...asks, workflows: workflows === undefined ? null : [...workflows] };
}

/** An instant of a query as epoch milliseconds; undefined = it was not given. @throws PAWL_API_MALFORMED for a day that there is not. */
export function instantOf({ query }: Call, name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const atMs = Date.parse(text);
  if (Number.isFinite(atMs)) return atMs;
  const pointer = `/query/${name}`;
  throw malformed(`${pointer} is no instant`, [{ pointer, message: `${pointer} is no instant` }]);
}

/**
 * A page of a list, of which one line more was read than it has.
 * @param placeOf the place of a line, as the form of the list's cursors has it.
 */
export function answerPage<T>(
  call: Call,
  bound: Json,
  { found, placeOf }: { readonly found: readonly T[]; readonly placeOf: (line: T) => string },
): Answer {
  const limit = limitOf(call);
  const data = found.slice(0, limit);
  const last = found.length > limit ? data.at(-1) : undefined;
  const nextCursor = last === undefined ? null : writePlace(bound, placeOf(last));
  return { status: 200, body: { data, nextCursor } };
}

/** What was given, and nothing else. */
export function given<T extends object>(asked: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as Partial<T>;
}
