import type { Json } from '../model/json.ts';
import { findUnstorable } from '../model/storable.ts';

/** A body as far as it could be understood. */
export interface ReadBody {
  /** undefined when it could not be read. */
  readonly body: Json | undefined;
  /** Why there is no body: a kebab-case word, then details that hold no data. */
  readonly unreadable: string | null;
}

/** Media types whose body must be JSON: `application/json`, `application/problem+json`, … */
const JSON_TYPE = /^[a-z0-9.+-]+\/(?:[a-z0-9.-]+\+)?json$/;
const CHARSET = /charset="?([\w:.-]+)"?/;

/** A body that is not understood. */
function unreadable(reason: string): ReadBody {
  return { body: undefined, unreadable: reason };
}

/** Decodes without guessing: bytes that are not of the charset are refused, never replaced. */
function decode(bytes: Uint8Array, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Parses; undefined when it is no JSON. */
function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Refuses what JSON or the store cannot hold (P11), with the place named. */
export function checkStorable(value: unknown): ReadBody {
  const fault = findUnstorable(value);
  return fault === null
    ? { body: value as Json, unreadable: null }
    : unreadable(`not-storable: ${fault.pointer === '' ? '/' : fault.pointer} ${fault.reason}`);
}

/** What the headers say of the body. */
interface BodyKind {
  readonly isEncoded: boolean;
  readonly mediaType: string;
  readonly isJson: boolean;
  readonly charset: string;
}

/** Reads the headers that describe a body. */
function kindOf(headers: Readonly<Record<string, string>>): BodyKind {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  const contentType = (headers['content-type'] ?? '').toLowerCase();
  const mediaType = contentType.replace(/;.*$/s, '').trim();
  const isJson = JSON_TYPE.test(mediaType);
  // JSON is UTF-8 whatever its media type says beside it (RFC 8259, 8.1).
  const charset = isJson ? 'utf-8' : (CHARSET.exec(contentType)?.[1] ?? 'utf-8');
  return { isEncoded: encoding !== '' && encoding !== 'identity', mediaType, isJson, charset };
}

/**
 * Reads the body of an HTTP answer. A JSON media type must hold JSON; without a media type JSON is tried and text is
 * what remains; every other type is text. An empty body is null. Nothing is decompressed: we ask for `identity`, and
 * an answer that is encoded all the same is not readable.
 */
export function readBody(bytes: Uint8Array, headers: Readonly<Record<string, string>>): ReadBody {
  const { isEncoded, mediaType, isJson, charset } = kindOf(headers);
  if (bytes.length === 0) return { body: null, unreadable: null };
  if (isEncoded) return unreadable('encoded: the answer is compressed, which was not asked for');
  const text = decode(bytes, charset);
  if (text === null) return unreadable('not-text: the bytes are not of the charset');
  const parsed = isJson || mediaType === '' ? parseJson(text) : undefined;
  if (parsed !== undefined) return checkStorable(parsed);
  return isJson ? unreadable('not-json: the media type says JSON, the body is none') : checkStorable(text);
}
