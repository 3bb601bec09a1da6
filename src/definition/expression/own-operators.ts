import { BOUNDS } from './bounds.ts';
import { DecimalNumber } from './decimal.ts';
import { refuse } from './expression-refusal.ts';
import type { EngineHost } from './engine-host.ts';

/** How deep values are compared; what is stored is no deeper (P11), and this bounds the walk for values made by expressions. */
const DEPTH_MAX = 100;

/**
 * CEL's equality of values: numbers by value across int and double, maps by key whatever their order, different kinds never equal.
 * Own, because the engine's has no decimals inside lists and maps and chooses its overload by the first element it meets.
 */
export function areEqual(left: unknown, right: unknown, host: EngineHost, depth = 0): boolean {
  if (left === right) return true;
  if (depth > DEPTH_MAX) return refuse('nested too deeply to compare');
  if (isNumber(left) && isNumber(right)) return equalNumbers(left, right);
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => areEqual(item, right[at], host, depth + 1));
  }
  return left instanceof Map && right instanceof Map
    ? equalMaps(left, right, host, depth)
    : equalScalars(left, right, host);
}

function equalScalars(left: unknown, right: unknown, host: EngineHost): boolean {
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  if (left instanceof DecimalNumber && right instanceof DecimalNumber) return left.compare(right) === 0;
  return host.isDuration(left) && host.isDuration(right) && left.valueOf() === right.valueOf();
}

function isNumber(value: unknown): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

/** Exact across the kinds: rounding the bigint to a double would make 2^53 + 1 equal to 2^53. */
function equalNumbers(left: bigint | number, right: bigint | number): boolean {
  if (typeof left === typeof right) return left === right;
  const [whole, double] = typeof left === 'bigint' ? [left, Number(right)] : [BigInt(right), Number(left)];
  return Number.isInteger(double) && BigInt(double) === whole;
}

function equalMaps(
  left: ReadonlyMap<unknown, unknown>,
  right: ReadonlyMap<unknown, unknown>,
  host: EngineHost,
  depth: number,
): boolean {
  if (left.size !== right.size) return false;
  for (const [key, value] of left) {
    if (!right.has(key) || !areEqual(value, right.get(key), host, depth + 1)) return false;
  }
  return true;
}

/** CEL's `in`: an element of a list, a key of a map. */
export function isIn(value: unknown, container: unknown, host: EngineHost): boolean {
  if (Array.isArray(container)) return container.some((item) => areEqual(value, item, host));
  if (container instanceof Map) return container.has(value);
  return refuse('`in` takes a list or a map on its right');
}

/** A map literal; the engine's own silently drops keys such as `constructor`. */
export function makeMap(parts: unknown): ReadonlyMap<string, unknown> {
  const made = new Map<string, unknown>();
  const flat: readonly unknown[] = Array.isArray(parts) ? parts : [];
  for (let at = 0; at < flat.length; at += 2) {
    const key = flat[at];
    if (typeof key !== 'string') return refuse('the keys of a map are texts');
    if (made.has(key)) return refuse('a map with the same key twice');
    made.set(key, flat[at + 1]);
  }
  return made;
}

/** Counts what one evaluation walks; a comprehension asks before it starts, so the answer depends on data only and replays. */
export class CostMeter {
  #sizes: number[] = [];
  #steps = 0;

  /** Begins an evaluation. */
  reset(): void {
    this.#sizes = [];
    this.#steps = 0;
  }

  /**
   * The elements that a comprehension at nesting `depth` will walk: of a list its elements, of a map its keys in canonical order.
   * @throws ExpressionRefusal over a bound.
   */
  enter(range: unknown, depth: number): readonly unknown[] {
    const elements = elementsOf(range);
    if (elements.length > BOUNDS.listElements) refuse(`a list of more than ${BOUNDS.listElements} elements`);
    this.#sizes[depth] = elements.length;
    const cost = this.#sizes.slice(0, depth + 1).reduce((product, size) => product * size, 1);
    this.#steps += elements.length;
    if (cost > BOUNDS.cost || this.#steps > BOUNDS.steps)
      refuse(`more than ${BOUNDS.cost} elements in nested comprehensions`);
    return elements;
  }
}

function elementsOf(range: unknown): readonly unknown[] {
  if (Array.isArray(range)) return range;
  if (range instanceof Map) return [...range.keys()].sort();
  return refuse('a comprehension walks a list or a map');
}

type Operator = readonly [signature: string, run: (left: DecimalNumber, right: DecimalNumber) => unknown];

const ARITHMETIC: readonly Operator[] = [
  ['+', (left, right) => left.plus(right)],
  ['-', (left, right) => left.minus(right)],
  ['*', (left, right) => left.times(right)],
];
const ORDER: readonly Operator[] = [
  ['<', (left, right) => left.compare(right) < 0],
  ['<=', (left, right) => left.compare(right) <= 0],
  ['>', (left, right) => left.compare(right) > 0],
  ['>=', (left, right) => left.compare(right) >= 0],
];

function decimalOf(value: unknown): DecimalNumber {
  return typeof value === 'bigint' || value instanceof DecimalNumber
    ? DecimalNumber.from(value)
    : refuse('a decimal goes with decimals and ints');
}

/** Operators on decimals, for the engine: with each other, and with ints. */
export function decimalOperators(): readonly {
  readonly signature: string;
  readonly run: (left: unknown, right: unknown) => unknown;
}[] {
  const withResult = [
    ...ARITHMETIC.map((row) => [...row, 'decimal'] as const),
    ...ORDER.map((row) => [...row, 'bool'] as const),
  ];
  return withResult.flatMap(([operator, run, result]) =>
    ['decimal decimal', 'decimal int', 'int decimal'].map((sides) => ({
      signature: `${sides.replace(' ', ` ${operator} `)}: ${result}`,
      run: (left: unknown, right: unknown) => run(decimalOf(left), decimalOf(right)),
    })),
  );
}
