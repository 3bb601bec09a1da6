import { describe, expect, it } from 'vitest';
import {
  API_RIGHTS,
  API_ROLES,
  fitsGlob,
  hasRight,
  reaches,
  readKey,
  readScope,
  RIGHTS_OF,
  writeKey,
} from '../../src/model/api-key.ts';

const PARTS = { keyId: '0a1b2c3d', secret: 'c0ffee00'.repeat(8) };

describe('the text of a key', () => {
  it('is read back as it was written', () => {
    const text = writeKey(PARTS);
    expect(text).toMatch(/^pawl_0a1b2c3d_[0-9a-f]{70}$/);
    expect(readKey(text)).toEqual(PARTS);
  });

  it('S09 with one digit wrong is no key, wherever the digit stands', () => {
    const text = writeKey(PARTS);
    const wrong = [...text].map((digit, at) => text.slice(0, at) + (digit === '7' ? '8' : '7') + text.slice(at + 1));
    expect(wrong.filter((slip) => slip !== text && readKey(slip) !== null)).toEqual([]);
    expect([readKey(''), readKey(`${text}0`), readKey(` ${text}`), readKey(text.toUpperCase())]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('the rights of a key', () => {
  const operator = { roles: ['operator'], scopes: [] } as const;

  it('S11 a viewer reads and does nothing else', () => {
    expect(API_RIGHTS.filter((right) => hasRight({ roles: ['viewer'], scopes: [] }, right))).toEqual([
      'definition:read',
      'run:read',
    ]);
  });

  it('are those of its roles together; an admin has all, a key without a role none', () => {
    expect(RIGHTS_OF.admin).toEqual(API_RIGHTS);
    expect(API_ROLES.map((role) => RIGHTS_OF[role].length)).toEqual([2, 11, 3, 3, 14]);
    expect(hasRight({ roles: ['viewer', 'author'], scopes: [] }, 'definition:publish')).toBe(true);
    expect(hasRight({ roles: [], scopes: [{ right: '*', workflows: '*' }] }, 'run:read')).toBe(false);
    expect(hasRight(operator, 'approval:decide')).toBe(false);
  });

  it('are only ever narrowed by its scopes, by right and by workflow', () => {
    const narrow = { ...operator, scopes: [{ right: 'run:start', workflows: 'refund-*' }] } as const;
    expect(API_RIGHTS.filter((right) => hasRight(narrow, right))).toEqual(['run:start']);
    expect(['refund-order', 'refund-', 'order'].map((name) => reaches(narrow, 'run:start', name))).toEqual([
      true,
      true,
      false,
    ]);
    expect(reaches(operator, 'run:start', 'order')).toBe(true);
    expect(reaches(operator, 'definition:publish', 'order')).toBe(false);
    const wide = { ...operator, scopes: [{ right: '*', workflows: 'a' }] } as const;
    expect([
      reaches(wide, 'run:cancel', 'a'),
      reaches(wide, 'run:cancel', 'b'),
      hasRight(wide, 'approval:decide'),
    ]).toEqual([true, false, false]);
  });

  it('are written as RIGHT@WORKFLOWS', () => {
    expect(readScope('run:start@refund-*')).toEqual({ right: 'run:start', workflows: 'refund-*' });
    expect(readScope('*@*')).toEqual({ right: '*', workflows: '*' });
    expect(['run:start', 'run:fly@*', '@*', '*@', 'run:start@a b', 'run:start@a@b'].map(readScope)).toEqual(
      Array.from({ length: 6 }, () => null),
    );
  });

  it('a pattern fits a name in which its stars stand for anything, also for nothing', () => {
    const fits = (pattern: string, ...names: string[]): readonly boolean[] =>
      names.map((name) => fitsGlob(pattern, name));
    expect(fits('*', '', 'a')).toEqual([true, true]);
    expect(fits('a', 'a', 'ab', '')).toEqual([true, false, false]);
    expect(fits('a*', 'a', 'abc', 'ba')).toEqual([true, true, false]);
    expect(fits('*a', 'a', 'ba', 'ab')).toEqual([true, true, false]);
    expect(fits('a*a', 'a', 'aa', 'aba')).toEqual([false, true, true]);
    expect(fits('a*b*c', 'abc', 'axbxc', 'acb', 'ac')).toEqual([true, true, false, false]);
    expect(fits('a*b*bc', 'abc', 'abbc')).toEqual([false, true]);
    expect(fits('a**b', 'ab', 'axb')).toEqual([true, true]);
  });

  it('a pattern of many stars is looked at in a time that grows with the name alone', () => {
    expect(fitsGlob(`${'a*'.repeat(60)}b`, 'a'.repeat(100_000))).toBe(false);
  });
});
