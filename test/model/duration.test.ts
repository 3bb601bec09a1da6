import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/model/duration.ts';

describe('a duration', () => {
  it.each([
    ['10s', 10_000],
    ['250ms', 250],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['400d', 34_560_000_000],
    ['0s', 0],
    ['PT0S', 0],
    ['PT1H30M', 5_400_000],
    ['P1DT12H', 129_600_000],
    ['P2W', 1_209_600_000],
    ['PT0.5S', 500],
    ['1w2d3h4m5s6ms', 788_645_006],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    ['', /empty/],
    [' ', /empty/],
    [' 5s', /blanks around/],
    ['5', /unit is missing/],
    ['1.5h', /whole numbers/],
    ['5 s', /blanks in it/],
    ['5 minutes', /units are/],
    ['1M', /months and years/],
    ['1y', /months and years/],
    ['3mo', /months and years/],
    ['P1M', /months and years/],
    ['P1Y2D', /months and years/],
    ['-5m', /negative/],
    ['P-1D', /negative/],
    ['-PT5M', /negative/],
    ['+5m', /sign/],
    ['- 5s', /sign.*until/],
    ['2027-01-01', /it is a date; write wait: \{ until: … \}/],
    ['2027-01-01T12:00:00Z', /it is a date/],
    ['5m1h', /largest first/],
    ['1h1h', /largest first/],
    ['P', /ISO/],
    ['PT', /ISO/],
    ['P1DT', /ISO/],
    ['PT2W', /before the T.*write P2W/],
    ['P2H', /behind it; write PT2H/],
    ['pt5m', /units are/],
    ['NaN', /units are/],
    ['1e18s', /units are/],
    ['999999999999999999999s', /longer than 100 years/],
    ['101w1000000d', /longer than 100 years/],
    ['5x', /units are/],
    ['null', /units are/],
  ])('%j is refused, with the reason and the mend', (text, reason) => {
    expect(() => parseDuration(text)).toThrow(reason);
    expect(() => parseDuration(text)).toThrow(
      expect.objectContaining({
        code: 'PAWL_DURATION_INVALID',
        details: { why: expect.any(String), help: expect.any(String) },
      }),
    );
  });

  it('of months points to addMonths', () => {
    expect(() => parseDuration('1M')).toThrow(/addMonths/);
  });

  it('is the sum of its parts, whatever they are', () => {
    const part = fc.nat({ max: 500 });
    fc.assert(
      fc.property(part, part, part, part, (days, hours, minutes, seconds) => {
        const ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
        expect(parseDuration(`${days}d${hours}h${minutes}m${seconds}s`)).toBe(ms);
        expect(parseDuration(`P${days}DT${hours}H${minutes}M${seconds}S`)).toBe(ms);
      }),
    );
  });
});
