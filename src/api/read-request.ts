import { compileSchema, tellMisfits } from '../definition/schema-validator.ts';
import { PawlError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { readJson } from '../model/read-json.ts';
import { findUnstorable } from '../model/storable.ts';
import { ApiError, malformed, type Misplaced } from './api-error.ts';
import type { BodyDoc, Call, QueryDoc, Route } from './route.ts';

/** Keys of a body, in all its maps together: more are no request but an attack on whoever looks at them. */
const KEYS_MAX = 10_000;

/** A request as it came. */
export interface RawRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What stands behind the question mark; '' = nothing. */
  readonly search: string;
  /** The bytes of the body; null = none. */
  readonly body: Uint8Array | null;
}

/** What of a request a handler is given, read by the row of its route. */
export type ReadCall = Pick<
  Call,
  'query' | 'body' | 'idempotencyKey' | 'ifMatch' | 'ifNoneMatch' | 'lastEventId' | 'traceparent'
>;

/**
 * Reads a request by the row of its route: nothing is coerced, filled in or dropped.
 * @throws PAWL_API_MALFORMED with every place that does not fit; PAWL_API_UNCONDITIONAL; PAWL_VALUE_NOT_STORABLE.
 */
export function readRequest(route: Route, request: RawRequest): ReadCall {
  const query = readQuery(route.query ?? {}, request.search);
  // What writes nothing needs no name, and is bound to no revision.
  const isDry = query['dryRun'] === 'true';
  return {
    query,
    idempotencyKey: isDry ? null : readIdempotencyKey(route, request),
    ifMatch: isDry ? null : readIfMatch(route, request),
    traceparent: readTraceparent(request),
    ifNoneMatch: headerOf(request, 'if-none-match'),
    lastEventId: route.resumes === true ? headerOf(request, 'last-event-id') : null,
    body: readBody(route.body, request.body),
  };
}

/** A header that was sent once. */
function headerOf({ headers }: RawRequest, name: string): string | null {
  const value = headers[name];
  if (value === undefined) return null;
  if (typeof value === 'string') return value;
  throw malformed(`the header ${name} is there twice`, [{ pointer: `/header/${name}`, message: 'is there twice' }]);
}

/** Of version 00; what is none is as if it were not there, as the standard has it. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

function readTraceparent({ headers }: RawRequest): string | null {
  const text = headers['traceparent'];
  return typeof text === 'string' && TRACEPARENT.test(text) ? text : null;
}

function readQuery(docs: Readonly<Record<string, QueryDoc>>, search: string): Readonly<Record<string, string>> {
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  const wrong: Misplaced[] = [];
  for (const [name, value] of new URLSearchParams(search)) {
    const pointer = `/query/${name}`;
    const doc = Object.hasOwn(docs, name) ? docs[name] : undefined;
    if (doc === undefined) wrong.push({ pointer, message: `${pointer} is not a parameter of this route` });
    else if (name in query) wrong.push({ pointer, message: `${pointer} is there twice` });
    else
      wrong.push(
        ...compileSchema(doc.schema)(value).map(({ message }) => ({ pointer, message: `${pointer}: ${message}` })),
      );
    query[name] = value;
  }
  if (wrong.length > 0) throw malformed(`the query does not fit: ${tellMisfits(wrong)}`, wrong);
  return query;
}

/** 1 to 255 visible characters of ASCII, bare or in quotes. */
const IDEMPOTENCY_KEY = /^(?:"([\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e]{1,255}))$/;

function readIdempotencyKey({ idempotency }: Route, request: RawRequest): string | null {
  if (idempotency === undefined) return null;
  const pointer = '/header/idempotency-key';
  const text = headerOf(request, 'idempotency-key');
  if (text === null && idempotency === 'optional') return null;
  if (text === null)
    throw malformed('the header Idempotency-Key is missing: without it a second try would be a second act', [
      { pointer, message: `${pointer} is required (found nothing)` },
    ]);
  const [, quoted, bare] = IDEMPOTENCY_KEY.exec(text) ?? [];
  const key = quoted ?? bare;
  if (key !== undefined) return key;
  throw malformed('the header Idempotency-Key has 1 to 255 visible ASCII characters', [
    { pointer, message: `${pointer} does not fit` },
  ]);
}

/** `"7"` or `"7-…"`, as an `ETag` of a run is. */
const REVISION_TAG = /^"(0|[1-9]\d{0,8})(?:-[0-9a-f]{16})?"$/;

function readIfMatch({ ifMatch }: Route, request: RawRequest): number | null {
  if (ifMatch === undefined) return null;
  const pointer = '/header/if-match';
  const text = headerOf(request, 'if-match');
  if (text === null && ifMatch === 'optional') return null;
  if (text === null)
    throw new ApiError(
      'PAWL_API_UNCONDITIONAL',
      'this act must say which revision of the run it is meant for: send its ETag as If-Match',
      { places: [{ pointer, message: `${pointer} is required (found nothing)` }] },
    );
  const [, revision] = REVISION_TAG.exec(text) ?? [];
  if (revision !== undefined) return Number(revision);
  throw malformed('If-Match is one ETag of the run, as "7"', [{ pointer, message: `${pointer} does not fit` }]);
}

function readBody(doc: BodyDoc | undefined, bytes: Uint8Array | null): Json {
  const isThere = bytes !== null && bytes.length > 0;
  if (doc === undefined) {
    if (isThere) throw malformed('this route takes no body', [{ pointer: '', message: 'there is a body' }]);
    return null;
  }
  const text = decode(isThere ? bytes : new Uint8Array());
  if (doc.kind === 'text') return text;
  const value = readJsonBody(text);
  const misfits = compileSchema(doc.schema)(value);
  if (misfits.length > 0) throw malformed(`the body does not fit: ${tellMisfits(misfits)}`, misfits);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw malformed('the body is not UTF-8', [{ pointer: '', message: 'bytes that are not UTF-8' }], error);
  }
}

/** JSON that says one thing only, and that can be kept: the bounds are those of what is stored. */
function readJsonBody(text: string): Json {
  const value = readExactJson(text);
  const unstorable = findUnstorable(value);
  if (unstorable !== null) {
    const { pointer, reason } = unstorable;
    throw malformed(`the body cannot be kept: ${reason}`, [{ pointer, message: reason }]);
  }
  if (keysIn(value) > KEYS_MAX)
    throw malformed(`the body has more than ${KEYS_MAX} keys`, [{ pointer: '', message: 'too many keys' }]);
  return value;
}

function readExactJson(text: string): Json {
  try {
    return readJson(text, 'the body');
  } catch (error) {
    if (!(error instanceof PawlError) || error.code !== 'PAWL_VALUE_NOT_STORABLE') throw error;
    const { pointer } = error.details;
    throw malformed(error.message, [{ pointer: typeof pointer === 'string' ? pointer : '', message: error.message }]);
  }
}

/** Depth is bounded before. */
function keysIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value) as readonly Json[];
  const own = Array.isArray(value) ? 0 : items.length;
  return items.reduce<number>((sum, item) => sum + keysIn(item), own);
}
