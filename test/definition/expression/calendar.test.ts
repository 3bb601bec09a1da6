import { fc } from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  addMonths,
  readInstant,
  wallClockAt,
  writeInstant,
} from '../../../src/definition/expression/calendar.ts';

const at = (text: string): number => readInstant(text);

describe('the calendar', () => {
  it('keeps the time of day over a clock change, so that a day can have 23 or 25 hours', () => {
    expect(writeInstant(addDays(at('2026-03-28T11:00:00Z'), 1, 'Europe/Berlin'))).toBe('2026-03-29T10:00:00Z');
    expect(writeInstant(addDays(at('2026-10-24T10:00:00Z'), 1, 'Europe/Berlin'))).toBe('2026-10-25T11:00:00Z');
    expect(writeInstant(addDays(at('2026-03-28T11:00:00Z'), 1, 'UTC'))).toBe('2026-03-29T11:00:00Z');
    expect(writeInstant(addDays(at('2026-03-29T10:00:00Z'), -1, 'Europe/Berlin'))).toBe('2026-03-28T11:00:00Z');
  });

  it('moves a time that a clock change skips past the gap, and takes the first of two', () => {
    expect(writeInstant(addDays(at('2026-03-28T01:30:00Z'), 1, 'Europe/Berlin'))).toBe('2026-03-29T01:30:00Z');
    expect(writeInstant(addDays(at('2026-10-24T00:30:00Z'), 1, 'Europe/Berlin'))).toBe('2026-10-25T00:30:00Z');
    expect(writeInstant(addDays(at('2026-03-07T07:30:00Z'), 1, 'America/New_York'))).toBe('2026-03-08T07:30:00Z');
  });

  it('ends a month early when the next has no such day', () => {
    expect(writeInstant(addMonths(at('2026-01-31T12:00:00Z'), 1, 'UTC'))).toBe('2026-02-28T12:00:00Z');
    expect(writeInstant(addMonths(at('2028-01-31T12:00:00Z'), 1, 'UTC'))).toBe('2028-02-29T12:00:00Z');
    expect(writeInstant(addMonths(at('2026-03-31T12:00:00Z'), -13, 'UTC'))).toBe('2025-02-28T12:00:00Z');
    expect(writeInstant(addMonths(at('2026-12-15T12:00:00Z'), 1, '+05:30'))).toBe('2027-01-15T12:00:00Z');
  });

  it('reads RFC 3339 with a zone only, and no day that does not exist', () => {
    expect(at('2026-01-01T00:00:00.123456789+01:00')).toBe(Date.UTC(2025, 11, 31, 23, 0, 0, 123));
    expect(at('0001-01-01T00:00:00Z')).toBe(-62_135_596_800_000);
    for (const text of [
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-02-29T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:60:00Z',
      '2026-01-01T00:00:60Z',
      '2026-01-01T00:00:00+24:00',
      ' 2026-01-01T00:00:00Z',
      '0001-01-01T00:00:00+01:00',
      '',
    ]) {
      expect(() => at(text), text).toThrow(/time|RFC 3339/);
    }
  });

  it('refuses unknown zones and times outside the years of a timestamp', () => {
    expect(() => addDays(0, 1, 'Mars/Base')).toThrow('no time zone of that name');
    expect(() => addDays(0, 3_660_001, 'UTC')).toThrow('fewer days');
    expect(() => addMonths(0, 120_001, 'UTC')).toThrow('fewer months');
    expect(() => addMonths(0, 100_000, 'UTC')).toThrow('outside the years');
  });

  it('shows the wall clock that the platform shows, in every zone and year', () => {
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'America/St_Johns',
      'UTC',
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800 }), zones, (seconds, zone) => {
        const wall = wallClockAt(seconds * 1000, zone);
        const shown = new Intl.DateTimeFormat('en-GB', {
          timeZone: zone,
          dateStyle: 'short',
          timeStyle: 'medium',
        }).format(seconds * 1000);
        const two = (value: number): string => String(value).padStart(2, '0');
        expect(
          `${two(wall.day)}/${two(wall.month)}/${wall.year}, ${two(wall.hour)}:${two(wall.minute)}:${two(wall.second)}`,
        ).toBe(shown);
      }),
      { numRuns: 200 },
    );
  });

  it('shows the same time of day after any number of days, unless that time is skipped', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), fc.integer({ min: -800, max: 800 }), (seconds, days) => {
        const before = wallClockAt(seconds * 1000, 'Europe/Berlin');
        const after = wallClockAt(addDays(seconds * 1000, days, 'Europe/Berlin'), 'Europe/Berlin');
        const skipped = before.hour === 2 && after.hour === 3;
        expect([skipped ? 2 : after.hour, after.minute, after.second]).toEqual([
          before.hour,
          before.minute,
          before.second,
        ]);
      }),
      { numRuns: 200 },
    );
  });
});
