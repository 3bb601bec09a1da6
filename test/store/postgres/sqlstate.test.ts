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

  it.each(['53100', '53300', '57014'])('%s says nothing about what was asked for: it is waited out', (code) => {
    expect(storeErrorOf(fault(code), 'writing')).toMatchObject({ code: 'PAWL_STORE_UNAVAILABLE', retry: 'later' });
    expect(isConnectionLost(fault(code))).toBe(false);
  });

  it.each(['57P01', '08006'])('%s ends the connection, so a write is in doubt', (code) => {
    expect(storeErrorOf(fault(code), 'writing').code).toBe('PAWL_STORE_ANSWER_LOST');
  });

  it('22P05 is a value that cannot be held', () => {
    expect(storeErrorOf(fault('22P05'), 'writing').code).toBe('PAWL_VALUE_NOT_STORABLE');
  });
});
