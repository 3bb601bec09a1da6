/** Bytes of UTF-8 that a value may have to be kept inline in a row (rule P11). */
export const STORABLE_BYTES_MAX = 256 * 1024;
/** Lists and maps inside each other. */
export const STORABLE_DEPTH_MAX = 64;

/** The first thing in a value that cannot be kept, and where. */
export interface Unstorable {
  /** JSON pointer of it; '' = the value itself. A key that is itself at fault is shown with escapes. */
  readonly pointer: string;
  /** Why, in words; never the value. */
  readonly reason: string;
}

/**
 * Finds what JSON or PostgreSQL cannot hold (rule P11): NUL, a lone surrogate, NaN and infinity, whole numbers beyond 2^53, values
 * that are not JSON, nesting over 64, more than 256 KiB. A key `__proto__` is plain data and fine.
 * @param value anything, also what is not JSON at all
 * @returns null when it can be stored
 */
export function findUnstorable(value: unknown): Unstorable | null {
  const walk = new Walk();
  return walk.visit(value, '', 0) ?? (walk.bytes > STORABLE_BYTES_MAX ? tooLarge() : null);
}

function tooLarge(): Unstorable {
  return { pointer: '', reason: `larger than ${STORABLE_BYTES_MAX} bytes as JSON` };
}

/** Measures while it looks, so that a huge value is left after the bound and not after its end. */
class Walk {
  bytes = 0;

  visit(value: unknown, pointer: string, depth: number): Unstorable | null {
    if (this.bytes > STORABLE_BYTES_MAX) return tooLarge();
    switch (typeof value) {
      case 'string':
        this.bytes += jsonBytesOf(value);
        return textFault(value, pointer);
      case 'number':
        this.bytes += String(value).length;
        return numberFault(value, pointer);
      case 'boolean':
        this.bytes += value ? 4 : 5;
        return null;
      case 'object':
        return this.#visitObject(value, pointer, depth);
      default:
        return { pointer, reason: value === undefined ? 'undefined is not JSON' : `a ${typeof value} is not JSON` };
    }
  }

  #visitObject(value: object | null, pointer: string, depth: number): Unstorable | null {
    if (value === null) {
      this.bytes += 4;
      return null;
    }
    if (depth >= STORABLE_DEPTH_MAX) return { pointer, reason: `nested deeper than ${STORABLE_DEPTH_MAX}` };
    this.bytes += 2;
    if (Array.isArray(value)) return this.#visitList(value, pointer, depth);
    if (!isPlain(value)) return { pointer, reason: 'an object of a class is not JSON' };
    for (const [key, item] of Object.entries(value)) {
      this.bytes += jsonBytesOf(key) + 2;
      const at = `${pointer}/${pointerToken(key)}`;
      const fault = keyFault(key, at) ?? this.visit(item, at, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }

  #visitList(list: readonly unknown[], pointer: string, depth: number): Unstorable | null {
    for (let at = 0; at < list.length; at += 1) {
      this.bytes += 1;
      const fault = this.visit(list[at], `${pointer}/${at}`, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function numberFault(value: number, pointer: string): Unstorable | null {
  if (!Number.isFinite(value)) return { pointer, reason: 'NaN and infinity are not JSON' };
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return { pointer, reason: 'a whole number beyond 2^53 cannot be kept exactly; send it as text' };
  }
  return null;
}

/** In unicode mode a pair is one character, so only a half matches. */
const LONE_SURROGATE = /\p{Surrogate}/u;

function textFault(text: string, pointer: string): Unstorable | null {
  if (text.includes('\0')) return { pointer, reason: 'a NUL character (U+0000)' };
  if (LONE_SURROGATE.test(text)) return { pointer, reason: 'half of a surrogate pair, which is no character' };
  return null;
}

function keyFault(key: string, pointer: string): Unstorable | null {
  const fault = textFault(key, pointer);
  return fault === null ? null : { pointer, reason: `a key with ${fault.reason}` };
}

/** A key as a token of a JSON pointer (RFC 6901); what cannot be printed or stored itself is escaped, so that the report can. */
function pointerToken(key: string): string {
  const token = key.replaceAll('~', '~0').replaceAll('/', '~1');
  return !LONE_SURROGATE.test(token) && !token.includes('\0') ? token : JSON.stringify(token).slice(1, -1);
}

/** Bytes of UTF-8 of a text as JSON, quotes and escapes included. */
function jsonBytesOf(text: string): number {
  // Texts beyond the bound are not encoded at all: their length alone is too much.
  if (text.length > STORABLE_BYTES_MAX) return text.length;
  return Buffer.byteLength(JSON.stringify(text), 'utf8');
}
