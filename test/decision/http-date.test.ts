import { describe, expect, it } from 'vitest';
import { parseHttpDate } from '../../src/decision/http-date.ts';
import { T0 } from './ledger-fixtures.ts';

const AT = Date.UTC(1994, 10, 6, 8, 49, 37);

describe('parseHttpDate', () => {
  it('reads the three forms of RFC 9110', () => {
    expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT', T0)).toBe(AT);
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', T0)).toBe(AT);
    expect(parseHttpDate('Sun Nov  6 08:49:37 1994', T0)).toBe(AT);
  });

  it('takes a two-digit year that is not over fifty years ahead as one of this century', () => {
    expect(parseHttpDate('Sunday, 06-Nov-28 08:49:37 GMT', T0)).toBe(Date.UTC(2028, 10, 6, 8, 49, 37));
    expect(parseHttpDate('Sunday, 06-Nov-77 08:49:37 GMT', T0)).toBe(Date.UTC(2077, 10, 6, 8, 49, 37));
    expect(parseHttpDate('Sunday, 06-Nov-78 08:49:37 GMT', T0)).toBe(Date.UTC(1978, 10, 6, 8, 49, 37));
  });

  it.each([
    '',
    'abc',
    '2027',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 CET',
    'Sun, 31 Feb 1994 08:49:37 GMT',
    'Sun, 06 Nox 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:00 GMT',
    'Sun, 06 Nov 1994 08:49:61 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
  ])('is null for "%s"', (text) => {
    expect(parseHttpDate(text, T0)).toBeNull();
  });
});
