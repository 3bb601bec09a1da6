import { BOUNDS } from './bounds.ts';
import { refuse } from './expression-refusal.ts';

const FORM = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * An exact decimal number: `units` x 10^-`scale`. Private fields, so that an expression cannot read its parts.
 * Sums keep the larger scale and products add them, so `1.10 + 2.20` is `3.30`.
 */
export class DecimalNumber {
  readonly #units: bigint;
  readonly #scale: number;

  constructor(units: bigint, scale: number) {
    this.#units = units;
    this.#scale = scale;
  }

  /**
   * Reads `-12.50` or `1e-7`.
   * @throws ExpressionRefusal for any other text, blanks included.
   */
  static parse(text: string): DecimalNumber {
    const [, sign = '', whole = '', fraction = '', exponent = '0'] =
      FORM.exec(text) ?? refuse('decimal() takes a text like "12.50"');
    const scale = fraction.length - Number(exponent);
    if (whole.length + fraction.length + Math.abs(scale) > BOUNDS.decimalDigits) refuse('a decimal of too many digits');
    const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
    return scale < 0 ? new DecimalNumber(digits * 10n ** BigInt(-scale), 0) : new DecimalNumber(digits, scale);
  }

  /** The exact decimal of an integer, or of the shortest text that reads back as a double (19.99 is 19.99). */
  static from(value: bigint | number | string | DecimalNumber): DecimalNumber {
    if (value instanceof DecimalNumber) return value;
    if (typeof value === 'bigint') return new DecimalNumber(value, 0);
    if (typeof value === 'number' && !Number.isFinite(value)) refuse('decimal() takes a finite number');
    return DecimalNumber.parse(String(value));
  }

  plus(other: DecimalNumber): DecimalNumber {
    const scale = Math.max(this.#scale, other.#scale);
    return new DecimalNumber(this.#at(scale) + other.#at(scale), scale).#bounded();
  }

  minus(other: DecimalNumber): DecimalNumber {
    return this.plus(other.negated());
  }

  times(other: DecimalNumber): DecimalNumber {
    return new DecimalNumber(this.#units * other.#units, this.#scale + other.#scale).#bounded();
  }

  negated(): DecimalNumber {
    return new DecimalNumber(-this.#units, this.#scale);
  }

  /** -1, 0 or 1; `1.0` and `1.00` compare as 0. */
  compare(other: DecimalNumber): -1 | 0 | 1 {
    const scale = Math.max(this.#scale, other.#scale);
    const [left, right] = [this.#at(scale), other.#at(scale)];
    if (left === right) return 0;
    return left < right ? -1 : 1;
  }

  /**
   * The whole number it is.
   * @throws ExpressionRefusal when it has a fraction: nothing is rounded unseen.
   */
  toInteger(): bigint {
    const divisor = 10n ** BigInt(this.#scale);
    if (this.#units % divisor !== 0n) refuse('the decimal is not a whole number; round it with string(d, 0) first');
    return this.#units / divisor;
  }

  /** Plain digits, never an exponent: `-0.05`. */
  toText(): string {
    const digits = (this.#units < 0n ? -this.#units : this.#units).toString().padStart(this.#scale + 1, '0');
    const sign = this.#units < 0n ? '-' : '';
    if (this.#scale === 0) return sign + digits;
    return `${sign}${digits.slice(0, -this.#scale)}.${digits.slice(-this.#scale)}`;
  }

  /** Rounded to `places` digits after the point; exactly half goes away from zero (1.005 -> 1.01, -1.005 -> -1.01). */
  toFixed(places: number): string {
    if (places >= this.#scale) return new DecimalNumber(this.#at(places), places).#bounded().toText();
    const divisor = 10n ** BigInt(this.#scale - places);
    const half = divisor / 2n;
    const rounded = this.#units < 0n ? (this.#units - half) / divisor : (this.#units + half) / divisor;
    return new DecimalNumber(rounded, places).toText();
  }

  #at(scale: number): bigint {
    return this.#units * 10n ** BigInt(scale - this.#scale);
  }

  #bounded(): DecimalNumber {
    if (this.#scale > BOUNDS.decimalDigits || this.#units.toString().length > BOUNDS.decimalDigits)
      refuse('a decimal of too many digits');
    return this;
  }
}
