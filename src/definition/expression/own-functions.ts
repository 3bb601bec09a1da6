import { canonicalJson } from '../../model/canonical-json.ts';
import { parseDuration } from '../../model/duration.ts';
import { hashJson } from '../../model/hash.ts';
import { BOUNDS } from './bounds.ts';
import { addDays, addMonths, checkInstant, dayOfYear, readInstant, wallClockAt, type WallClock } from './calendar.ts';
import { DecimalNumber } from './decimal.ts';
import type { EngineHost } from './engine-host.ts';
import { refuse } from './expression-refusal.ts';
import { jsonOf, textOf } from './json-value.ts';
import { compilePattern } from './linear-pattern.ts';
import { areEqual, isIn, makeMap } from './own-operators.ts';
import {
  indexOf,
  join,
  lastIndexOf,
  lowerAscii,
  replace,
  slice,
  split,
  substring,
  trim,
  upperAscii,
} from './text-functions.ts';

/** A function for the engine, registered as `own_<name>` with untyped arguments; pure. */
export interface OwnFunction {
  readonly name: string;
  readonly arities: readonly number[];
  readonly run: (...args: readonly unknown[]) => unknown;
}

/** The own functions over one engine's values; the same code serves the engine and the oracle of the tests. */
export function ownFunctions(host: EngineHost): readonly OwnFunction[] {
  return [
    { name: 'eq', arities: [2], run: (left, right) => areEqual(left, right, host) },
    { name: 'in', arities: [2], run: (value, container) => isIn(value, container, host) },
    { name: 'map', arities: [1], run: makeMap },
    { name: 'matches', arities: [2], run: matches },
    { name: 'json', arities: [1], run: (value) => bounded(canonicalJson(jsonOf(value, host))) },
    { name: 'hash', arities: [1], run: (value) => hashJson(jsonOf(value, host)) },
    { name: 'text', arities: [1], run: (value) => textOf(value, host) },
    { name: 'fixed', arities: [2], run: fixed },
    { name: 'int', arities: [1], run: toInt },
    { name: 'double', arities: [1], run: toDouble },
    { name: 'bool', arities: [1], run: toBool },
    { name: 'decimal', arities: [1], run: toDecimal },
    { name: 'timestamp', arities: [1], run: toTimestamp },
    { name: 'dur', arities: [1], run: (text) => host.duration(durationMs(text)) },
    {
      name: 'addDays',
      arities: [3],
      run: (at, days, zone) => new Date(addDays(instantMs(at), count(days), zoneName(zone))),
    },
    {
      name: 'addMonths',
      arities: [3],
      run: (at, months, zone) => new Date(addMonths(instantMs(at), count(months), zoneName(zone))),
    },
    { name: 'sum', arities: [1], run: sum },
    { name: 'range', arities: [1], run: range },
    ...TEXT_FUNCTIONS,
    ...clockFunctions(host),
  ];
}

const TEXT_FUNCTIONS: readonly OwnFunction[] = [
  { name: 'slice', arities: [3], run: slice },
  { name: 'join', arities: [1, 2], run: join },
  { name: 'replace', arities: [3], run: replace },
  { name: 'split', arities: [2], run: split },
  { name: 'trim', arities: [1], run: trim },
  { name: 'lowerAscii', arities: [1], run: lowerAscii },
  { name: 'upperAscii', arities: [1], run: upperAscii },
  { name: 'indexOf', arities: [2, 3], run: indexOf },
  { name: 'lastIndexOf', arities: [2], run: lastIndexOf },
  { name: 'substring', arities: [2, 3], run: substring },
];

function bounded(text: string): string {
  return text.length > BOUNDS.textLength ? refuse(`a text of more than ${BOUNDS.textLength} characters`) : text;
}

function matches(text: unknown, pattern: unknown): boolean {
  if (typeof text !== 'string' || typeof pattern !== 'string') return refuse('matches() takes texts');
  return (compilePattern(pattern) ?? refuse('not a pattern of the RE2 syntax')).matches(text);
}

function fixed(value: unknown, places: unknown): string {
  if (!(value instanceof DecimalNumber)) return refuse('string(d, places) takes a decimal');
  const digits = count(places);
  return digits < 0 || digits > 30 ? refuse('places is 0 to 30') : value.toFixed(digits);
}

const INT_TEXT = /^[+-]?\d{1,19}$/;
const DOUBLE_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INT64_MAX = 9_223_372_036_854_775_807n;
const INT64_MIN = -9_223_372_036_854_775_808n;

/** What `int()` makes of a value. @throws ExpressionRefusal for what is no number or the text of one. */
export function toInt(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number')
    return inRange(Number.isFinite(value) ? BigInt(Math.trunc(value)) : refuse('int() takes a finite number'));
  if (typeof value === 'string')
    return INT_TEXT.test(value) ? inRange(BigInt(value.replace('+', ''))) : refuse('int() takes a text of digits');
  if (value instanceof Date) return BigInt(Math.floor(value.getTime() / 1000));
  if (value instanceof DecimalNumber) return inRange(value.toInteger());
  return refuse('int() takes a number, a text of digits, a timestamp or a decimal');
}

function inRange(value: bigint): bigint {
  return value > INT64_MAX || value < INT64_MIN ? refuse('int() has 64 bits') : value;
}

/** What `double()` makes of a value. @throws ExpressionRefusal for what is no number or the text of one. */
export function toDouble(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string' && DOUBLE_TEXT.test(value)) return Number(value);
  return refuse('double() takes a number or the text of one');
}

/** What `bool()` makes of a value. @throws ExpressionRefusal for other texts than those of true and false. */
export function toBool(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && ['true', 'True', 'TRUE', 't', '1'].includes(value)) return true;
  if (typeof value === 'string' && ['false', 'False', 'FALSE', 'f', '0'].includes(value)) return false;
  return refuse('bool() takes "true" or "false"');
}

function toDecimal(value: unknown): DecimalNumber {
  const takes =
    typeof value === 'string' ||
    typeof value === 'bigint' ||
    typeof value === 'number' ||
    value instanceof DecimalNumber;
  return takes ? DecimalNumber.from(value) : refuse('decimal() takes a text like "12.50" or a number');
}

function toTimestamp(value: unknown): Date {
  if (value instanceof Date) return value;
  if (typeof value === 'string') return new Date(readInstant(value));
  if (typeof value === 'bigint') return new Date(checkInstant(Number(value) * 1000));
  return refuse('timestamp() takes an RFC 3339 text or whole seconds');
}

function durationMs(text: unknown): number {
  if (typeof text !== 'string') return refuse('dur() takes a text like "7d"');
  try {
    return parseDuration(text);
  } catch {
    return refuse('not a duration; write for example "10s", "1h30m", "7d", "2w"');
  }
}

function instantMs(value: unknown): number {
  return value instanceof Date ? value.getTime() : refuse('takes a timestamp; write timestamp(…) around a text');
}

function zoneName(zone: unknown): string {
  return typeof zone === 'string' ? zone : refuse('takes the name of a time zone, like "Europe/Berlin"');
}

/** A whole number as an argument; JSON without a schema gives doubles, so a whole double is taken too. */
function count(value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : refuse('takes a whole number');
}

function sum(list: unknown): unknown {
  if (!Array.isArray(list)) return refuse('sum() takes a list');
  const items: readonly unknown[] = list;
  if (items.length > BOUNDS.listElements) refuse(`a list of more than ${BOUNDS.listElements} elements`);
  if (items.every((item) => typeof item === 'bigint')) return items.reduce<bigint>((total, item) => total + item, 0n);
  if (items.every((item) => typeof item === 'number')) return items.reduce<number>((total, item) => total + item, 0);
  if (items.every((item) => item instanceof DecimalNumber))
    return items.reduce<DecimalNumber>((total, item) => total.plus(item), new DecimalNumber(0n, 0));
  return refuse('sum() takes a list of numbers of one kind');
}

function range(size: unknown): bigint[] {
  const length = count(size);
  if (length < 0) return refuse('range() takes a size that is not negative');
  if (length > BOUNDS.listElements) return refuse(`a list of more than ${BOUNDS.listElements} elements`);
  return Array.from({ length }, (_, at) => BigInt(at));
}

type ClockPart = (wall: WallClock) => number;

/** The getters of instants, each with what it reads; of a duration the unit that it counts. */
export const CLOCK_PARTS: readonly (readonly [string, ClockPart, number | null])[] = [
  ['getFullYear', (wall) => wall.year, null],
  ['getMonth', (wall) => wall.month - 1, null],
  ['getDayOfMonth', (wall) => wall.day - 1, null],
  ['getDate', (wall) => wall.day, null],
  ['getDayOfWeek', (wall) => wall.weekday, null],
  ['getDayOfYear', dayOfYear, null],
  ['getHours', (wall) => wall.hour, 3_600_000],
  ['getMinutes', (wall) => wall.minute, 60_000],
  ['getSeconds', (wall) => wall.second, 1_000],
  ['getMilliseconds', (wall) => wall.millisecond, 1],
];

/** Getters of instants, in UTC or a zone; of durations the whole number of units. */
function clockFunctions(host: EngineHost): readonly OwnFunction[] {
  return CLOCK_PARTS.map(([name, part, unitMs]) => ({
    name,
    arities: [1, 2],
    run: (value, zone) => {
      if (host.isDuration(value) && unitMs !== null && zone === undefined)
        return BigInt(Math.trunc(value.valueOf() / unitMs));
      return BigInt(part(wallClockAt(instantMs(value), zone === undefined ? 'UTC' : zoneName(zone))));
    },
  }));
}
