import { describe, expect, it } from 'vitest';
import { isConnectionLost, sqlstateOf, storeErrorOf } from '../../../src/store/postgres/sqlstate.ts';

const fault = (code: string | undefined): Error =>
  Object.assign(new Error('fault'), code === undefined ? {} : { code });

describe('errors of the database', () => {
  it.each(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ENOENT', undefined])(
    '%s of a socket means that the server never answered',
    (code) => {
      expect(sqlstateOf(fault(code))).toBeNull();
      expect(isConnectionLost(fault(code))).toBe(true);
      expect(storeErrorOf(fault(code), 'writing').code).toBe('PAWL_STORE_ANSWER_LOST');
      expect(storeErrorOf(fault(code), 'reading').code).toBe('PAWL_STORE_UNAVAILABLE');
    },
  );

  it.each(['40001', '40P01', '55P03'])('%s passes: nothing was done', (code) => {
    expect(storeErrorOf(fault(code), 'writing').code).toBe('PAWL_STORE_FAILED');
  });

  it.each(['53100', '53300', '57014', '58030'])(
    '%s says nothing about what was asked for: it is waited out',
    (code) => {
      expect(storeErrorOf(fault(code), 'writing')).toMatchObject({ code: 'PAWL_STORE_UNAVAILABLE', retry: 'later' });
      expect(isConnectionLost(fault(code))).toBe(false);
    },
  );

  it.each(['57P01', '08006', '40003'])('%s ends the connection, so a write is in doubt', (code) => {
    expect(storeErrorOf(fault(code), 'writing').code).toBe('PAWL_STORE_ANSWER_LOST');
  });

  it.each([
    ['28P01', 'PAWL_STORE_REFUSED', 'mend the user and the password'],
    ['28000', 'PAWL_STORE_REFUSED', 'mend the user and the password'],
    ['3D000', 'PAWL_DATABASE_MISSING', 'CREATE DATABASE'],
    ['42501', 'PAWL_STORE_REFUSED', 'grant it'],
    ['42P01', 'PAWL_MIGRATION_MISMATCH', 'restore it whole'],
    ['42703', 'PAWL_MIGRATION_MISMATCH', 'restore it whole'],
    ['3F000', 'PAWL_MIGRATION_MISMATCH', 'restore it whole'],
    ['42P07', 'PAWL_MIGRATION_MISMATCH', 'restore it whole'],
    ['23514', 'PAWL_STORE_REFUSED', 'the database refused (23514): fault'],
    ['PW001', 'PAWL_STORE_REFUSED', 'the database refused (PW001): fault'],
  ])('%s does not pass: it is %s, never to be tried again, and says what to do', (code, expected, words) => {
    for (const place of ['connecting', 'reading', 'writing'] as const)
      expect(storeErrorOf(fault(code), place)).toMatchObject({
        code: expected,
        retry: 'never',
        httpStatus: 503,
        message: expect.stringContaining(words),
      });
  });

  it('22P05 is a value that cannot be held', () => {
    expect(storeErrorOf(fault('22P05'), 'writing').code).toBe('PAWL_VALUE_NOT_STORABLE');
  });
});
