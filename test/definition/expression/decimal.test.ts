import { fc } from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { DecimalNumber } from '../../../src/definition/expression/decimal.ts';

const parse = (text: string): DecimalNumber => DecimalNumber.parse(text);
const cents = fc.integer({ min: -1_000_000, max: 1_000_000 });
const ofCents = (value: number): DecimalNumber => new DecimalNumber(BigInt(value), 2);

describe('a decimal', () => {
  it('reads plain and exponent forms and nothing else', () => {
    expect(['12.50', '-0.05', '+7', '1e3', '1.5e-3', '0.10'].map((text) => parse(text).toText())).toEqual([
      '12.50',
      '-0.05',
      '7',
      '1000',
      '0.0015',
      '0.10',
    ]);
    for (const text of [
      '',
      ' 1',
      '1 ',
      '1,5',
      '.5',
      '5.',
      '0x10',
      'NaN',
      '1e',
      '--1',
      '1e99999',
      `1${'0'.repeat(300)}`,
    ]) {
      expect(() => parse(text), text).toThrow(/decimal/);
    }
  });

  it('takes a double by its shortest text, so that 19.99 is 19.99', () => {
    expect(
      [19.99, 8.29, 17.08, 37.8, 1e-7, 5].map((value) => DecimalNumber.from(value).times(parse('100')).toText()),
    ).toEqual(['1999.00', '829.00', '1708.00', '3780.0', '0.0000100', '500']);
    expect(() => DecimalNumber.from(Number.NaN)).toThrow('finite');
  });

  it('adds, subtracts and multiplies exactly', () => {
    fc.assert(
      fc.property(cents, cents, (a, b) => {
        expect(
          ofCents(a)
            .plus(ofCents(b))
            .compare(ofCents(a + b)),
        ).toBe(0);
        expect(
          ofCents(a)
            .minus(ofCents(b))
            .compare(ofCents(a - b)),
        ).toBe(0);
        expect(
          ofCents(a)
            .times(ofCents(b))
            .compare(new DecimalNumber(BigInt(a) * BigInt(b), 4)),
        ).toBe(0);
        expect(ofCents(a).compare(ofCents(b))).toBe(Math.sign(a - b));
      }),
    );
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: 0, max: 20 }), (units, scale) => {
        const value = new DecimalNumber(units, scale);
        expect(parse(value.toText()).compare(value)).toBe(0);
      }),
    );
  });

  it('rounds half away from zero, and pads with zeros', () => {
    const rows = [
      ['1.005', 2, '1.01'],
      ['-1.005', 2, '-1.01'],
      ['1.004', 2, '1.00'],
      ['2.5', 0, '3'],
      ['-2.5', 0, '-3'],
      ['0.4', 0, '0'],
      ['7', 2, '7.00'],
      ['999.995', 2, '1000.00'],
    ] as const;
    for (const [text, places, shown] of rows) expect(parse(text).toFixed(places)).toBe(shown);
  });

  it('is an integer only without a fraction', () => {
    expect(parse('1999.00').toInteger()).toBe(1999n);
    expect(() => parse('100.5').toInteger()).toThrow('not a whole number');
  });

  it('has a bound on its digits, so that products cannot grow without end', () => {
    const long = parse('9'.repeat(150));
    expect(() => long.times(long)).toThrow('too many digits');
  });
});
