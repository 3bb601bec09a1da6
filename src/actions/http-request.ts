import { canonicalJson } from '../model/canonical-json.ts';
import type { Idempotency } from '../model/definition.ts';
import type { EffectRequest } from '../model/effect.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { isReservedHeader } from '../model/reserved-headers.ts';
import type { SecretHeaders } from '../ports/action-adapter.ts';

/** A request checked and ready for the wire. */
export interface PreparedRequest {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}
/** Why a request cannot go out as it is. */
export interface RequestRefusal {
  readonly refusal: string;
}

/** All that goes into one request. */
export interface RequestParts {
  readonly request: EffectRequest;
  readonly secrets: SecretHeaders;
  /** Our own headers: `pawl-effect` and its kind (E04). */
  readonly marks: Readonly<Record<string, string>>;
  /** Where the provider wants the key; null for reads and queries. */
  readonly key: { readonly value: string; readonly idempotency: Idempotency | null } | null;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What a header value may hold (RFC 9110, 5.5): no CR, LF or NUL, nothing beyond one byte. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Controls and blanks, which the URL parser would silently drop or encode. */
const URL_UNSAFE = /[\0-\x20\x7f]/;
const UNUSABLE_METHODS = new Set(['CONNECT', 'TRACE']);
/** Reads the URL; only what certainly means the same to us and to the provider passes. */
function readUrl(text: string | null): URL | RequestRefusal {
  if (text === null || text === '') return { refusal: 'the request has no URL' };
  if (URL_UNSAFE.test(text)) return { refusal: 'the URL holds a control character or a blank' };
  if (!URL.canParse(text)) return { refusal: 'the URL cannot be read' };
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { refusal: `the scheme ${url.protocol} is not http or https` };
  if (url.username !== '' || url.password !== '') return { refusal: 'the URL holds a user or a password: use `auth`' };
  return url;
}

/** Copies headers under lower-case names; the later of two with one name wins. */
function addHeaders(into: Map<string, string>, headers: Readonly<Record<string, string>>): RequestRefusal | null {
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) return { refusal: 'a header name holds a character that is not allowed there' };
    if (!HEADER_VALUE.test(value))
      return { refusal: `the header ${lower} holds a control character or one beyond latin-1` };
    if (isReservedHeader(name)) return { refusal: `the header ${lower} is not the workflow's to set` };
    into.set(lower, value);
  }
  return null;
}

/** The body with the key in its field; null when there is no object to put it into. */
function withKeyField(body: Json, name: string, key: string): JsonObject | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  return Object.fromEntries([...Object.entries(body), [name, key]]) as JsonObject;
}

/** Bytes of a body: canonical JSON, so that a resend is the same bytes; text as it is under a media type of its own. */
function encodeBody(body: Json, headers: Map<string, string>): Buffer {
  const mediaType = headers.get('content-type');
  if (mediaType === undefined) headers.set('content-type', 'application/json');
  const isText = typeof body === 'string' && mediaType !== undefined && !mediaType.toLowerCase().includes('json');
  return Buffer.from(isText ? body : canonicalJson(body), 'utf8');
}

/** Puts the key where the provider wants it (E04). */
function placeKey(parts: RequestParts, headers: Map<string, string>): { readonly body: Json } | RequestRefusal {
  const { key, request } = parts;
  if (key?.idempotency?.kind === 'header') headers.set(key.idempotency.name.toLowerCase(), key.value);
  if (key?.idempotency?.kind !== 'field') return { body: request.body };
  const body = withKeyField(request.body, key.idempotency.name, key.value);
  if (body !== null) return { body };
  return { refusal: `the key belongs in the field ${key.idempotency.name}, but the body is no object` };
}

/** Whether preparing was refused. */
export function isRefusal(prepared: object): prepared is RequestRefusal {
  return Object.hasOwn(prepared, 'refusal');
}

/**
 * Makes the request that goes on the wire, or says why it cannot go: nothing that could change its meaning on the way
 * (line breaks, controls, other schemes, connection headers) passes. Reasons name header names, never values.
 */
export function prepareRequest(parts: RequestParts): PreparedRequest | RequestRefusal {
  const { request } = parts;
  const url = readUrl(request.url);
  if (!(url instanceof URL)) return url;
  const method = (request.method ?? 'POST').toUpperCase();
  if (!TOKEN.test(method) || UNUSABLE_METHODS.has(method)) return { refusal: 'the method cannot be used' };
  const headers = new Map<string, string>([
    ['accept', 'application/json'],
    ['user-agent', 'pawl'],
  ]);
  const refused = addHeaders(headers, request.headers) ?? addHeaders(headers, parts.secrets);
  if (refused !== null) return refused;
  const keyed = placeKey(parts, headers);
  if (isRefusal(keyed)) return keyed;
  const body = keyed.body === null ? null : encodeBody(keyed.body, headers);
  headers.set('accept-encoding', 'identity');
  for (const [name, value] of Object.entries(parts.marks)) headers.set(name, value);
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: Object.fromEntries(headers),
    body,
  };
}
