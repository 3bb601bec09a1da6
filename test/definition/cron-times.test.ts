import { describe, expect, it } from 'vitest';
import { cronTimes, faultOf } from '../../src/definition/cron-times.ts';
import { fc } from '../support/fast-check.ts';

const HOUR_MS = 3_600_000;

describe('the times of a schedule', () => {
  it.each(['30 2 * * *', '*/15 * * * *', '0 9-17 * * MON-FRI', '0 0 29 2 *', '0 0 L * *', '5,10 4 1 1,7 *'])(
    '%s can be used',
    (cron) => {
      expect(faultOf(cron)).toBeNull();
    },
  );

  it.each([
    ['* * * *', 'five fields'],
    ['0 30 2 * * *', 'five fields'],
    ['@daily', 'five fields'],
    ['', 'five fields'],
    ['61 * * * *', 'minute'],
    ['every day at two o’clock', 'illegal characters'],
    ['0 0 30 2 *', 'no such day'],
  ])('%s cannot, for it says why: %s', (cron, why) => {
    expect(faultOf(cron)).toContain(why);
  });

  it('come strictly after an instant, and the newest until another is the last of them', () => {
    const cron = fc.constantFrom('* * * * *', '*/7 * * * *', '30 2 * * *', '0 */5 * * 1', '15 3 1 * *', '* 4 29 2 *');
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe');
    const from = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) });
    const length = fc.integer({ min: 0, max: 30 * HOUR_MS });
    fc.assert(
      fc.property(cron, zone, from, length, (text, timezone, fromMs, lengthMs) => {
        const times = cronTimes({ cron: text, timezone });
        const untilMs = fromMs + lengthMs;
        let newest: number | null = null;
        for (let atMs = times.next(fromMs); atMs <= untilMs; atMs = times.next(atMs)) {
          expect(atMs).toBeGreaterThan(newest ?? fromMs);
          newest = atMs;
        }
        expect(times.newest(fromMs, untilMs)).toBe(newest);
      }),
      { numRuns: 30 },
    );
  });

  it('A year of minutes that nobody was there for is looked through in a moment', () => {
    const fromMs = Date.UTC(2026, 0, 1);
    const untilMs = Date.UTC(2027, 0, 1) - 1;
    expect(cronTimes({ cron: '* * * * *', timezone: 'UTC' }).newest(fromMs, untilMs)).toBe(untilMs + 1 - 60_000);
  });
});
