import { describe, expect, it } from 'vitest';
import { readBody } from '../../src/actions/read-body.ts';

function read(bytes: string | Uint8Array, contentType?: string) {
  const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
  return readBody(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, headers);
}

describe('readBody', () => {
  it('reads JSON under every JSON media type', () => {
    for (const type of [
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/problem+json',
      'text/json',
    ]) {
      expect(read('{"a":[1,null]}', type)).toEqual({ body: { a: [1, null] }, unreadable: null });
    }
  });

  it('reads JSON behind a byte order mark', () => {
    expect(read('\uFEFF{"a":1}', 'application/json').body).toEqual({ a: 1 });
  });

  it('tries JSON without a media type, and takes text for what it is', () => {
    expect(read('{"a":1}').body).toEqual({ a: 1 });
    expect(read('done').body).toBe('done');
    expect(read('12', 'text/plain').body).toBe('12');
  });

  it('reads text in the charset it names, and refuses bytes that are not of it', () => {
    expect(read(Uint8Array.of(0x63, 0x61, 0x66, 0xe9), 'text/plain; charset="iso-8859-1"').body).toBe('café');
    expect(read(Uint8Array.of(0x63, 0xe9), 'text/plain').unreadable).toMatch(/^not-text/);
    expect(read(Uint8Array.of(0x22, 0xe9, 0x22), 'application/json; charset=iso-8859-1').unreadable).toMatch(
      /^not-text/,
    );
    expect(read('a', 'text/plain; charset=no-such').unreadable).toMatch(/^not-text/);
  });

  it('an empty body is null under every media type', () => {
    expect(read('', 'application/json')).toEqual({ body: null, unreadable: null });
    expect(read('')).toEqual({ body: null, unreadable: null });
  });

  it('keeps __proto__ as plain data', () => {
    const { body } = read('{"__proto__":{"admin":true}}', 'application/json');
    expect(Object.hasOwn(body as object, '__proto__')).toBe(true);
    expect(Reflect.get(Object.getPrototypeOf(body) as object, 'admin')).toBeUndefined();
  });

  it('P11: names the place of what cannot be stored and never repeats it', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    expect(read('{"a":{"b":"x\\u0000secret"}}', 'application/json').unreadable).toMatch(
      /^not-storable: \/a\/b (?!.*secret)/,
    );
    expect(read('{"n":1e400}', 'application/json').unreadable).toMatch(/^not-storable: \/n /);
    expect(read('x\0y', 'text/plain').unreadable).toMatch(/^not-storable: \/ /);
  });

  it('P11: JSON that is too deep is refused, not a crash', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(read(deep, 'application/json').unreadable).toMatch(/^not-/);
  });
});
