import { ClientError, MALFORMED } from './client-error.ts';
import type { Operation } from './generated/operations.generated.ts';

/** What an operation is asked with, whichever it is. */
export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
  /** Gives the call up; what was sent may still be done. */
  readonly signal?: AbortSignal;
}

/** One call as it is sent, each time the same: address, bytes and the name of the act. */
export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly accepts: readonly string[];
  readonly idempotencyKey: string | null;
  /** Whether it may be sent again when nobody knows whether it was done: it writes nothing, or its name makes it the same act. */
  readonly isRepeatable: boolean;
  /** How long one answer may take, milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | null;
}

/** Where calls go, and with which key. */
export interface Destination {
  readonly base: string;
  readonly key: string | null;
  readonly timeoutMs: number;
}

/** @throws TypeError for what is no address of a server, or holds a password: that would be written down with it. */
export function readBase(url: string): string {
  const { protocol, username, password, search, hash, origin, pathname } = new URL(url);
  if (!/^https?:$/.test(protocol)) throw new TypeError('the address of a server begins with http:// or https://');
  if (username !== '' || password !== '')
    throw new TypeError('the address of a server holds no password: a key is given apart from it');
  if (search !== '' || hash !== '') throw new TypeError('the address of a server ends before "?" and "#"');
  return origin + pathname.replace(/\/+$/, '');
}

/** What a header of one word can carry. */
const WORD = /^[\x21-\x7e]{1,255}$/;

/** @throws TypeError for what no header can carry. */
export function readKey(key: string): string {
  if (WORD.test(key)) return key;
  throw new TypeError('an API key has 1 to 255 visible ASCII characters');
}

/** What would reach the server as something else, or not at all: nothing is sent. */
function refuse(message: string): never {
  throw new ClientError(message, { code: MALFORMED, retry: 'never' });
}

/** One part of a path, which addresses must not leave out. */
function partOf(name: string, value: string | undefined): string {
  if (value !== undefined && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
  return refuse(`${name} is ${JSON.stringify(value)}: that cannot stand in a path`);
}

function wordOf(name: string, value: string): string {
  return WORD.test(value) ? value : refuse(`${name} has 1 to 255 visible ASCII characters`);
}

function urlOf(base: string, { path }: Operation, { params = {}, query = {} }: Asked): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => partOf(name, params[name]));
  const search = new URLSearchParams(query).toString();
  return `${base}${filled}${search === '' ? '' : `?${search}`}`;
}

/** Seconds that the server was asked to wait with its answer, in milliseconds. */
function waitMsOf({ query = {} }: Asked): number {
  const [, seconds = '0'] = /^(\d{1,3})s$/.exec(query['wait'] ?? '') ?? [];
  return Number(seconds) * 1_000;
}

/** A name that no other act has. */
function keyFor({ isKeyed }: Operation, { idempotencyKey }: Asked): string | null {
  return isKeyed ? wordOf('Idempotency-Key', idempotencyKey ?? crypto.randomUUID()) : null;
}

/** Puts a call together, once for all its sendings. @throws ClientError PAWL_API_MALFORMED for what cannot be sent as it is. */
export function makeRequest({ base, key, timeoutMs }: Destination, operation: Operation, asked: Asked): Request {
  const { method, media, accepts } = operation;
  const idempotencyKey = keyFor(operation, asked);
  const isJson = media === 'application/json';
  return {
    method,
    url: urlOf(base, operation, asked),
    headers: {
      accept: [...accepts, 'application/problem+json'].join(', '),
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(media === null ? {} : { 'content-type': media }),
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      ...(asked.ifMatch === undefined ? {} : { 'if-match': wordOf('If-Match', asked.ifMatch) }),
    },
    body: media === null ? null : isJson ? JSON.stringify(asked.body) : String(asked.body),
    accepts,
    idempotencyKey,
    isRepeatable: method === 'GET' || idempotencyKey !== null || asked.query?.['dryRun'] === 'true',
    timeoutMs: timeoutMs + waitMsOf(asked),
    signal: asked.signal ?? null,
  };
}
