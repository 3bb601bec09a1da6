import { refuse } from './expression-refusal.ts';

/** A point on the wall clock of a zone; month 1..12, weekday 0 = Sunday. */
export interface WallClock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  readonly weekday: number;
}

const DAY_MS = 86_400_000;
/** The range of RFC 3339 timestamps: years 0001 to 9999. */
const INSTANT_MS_MIN = -62_135_596_800_000;
const INSTANT_MS_MAX = 253_402_300_799_999;

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const FIXED_ZONE = /^([+-]?)(\d{2}):(\d{2})$/;

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Reads an RFC 3339 timestamp with a zone; finer than a millisecond is cut off.
 * @returns epoch milliseconds
 * @throws ExpressionRefusal for other forms and for days that do not exist.
 */
export function readInstant(text: string): number {
  const match =
    INSTANT.exec(text) ?? refuse('timestamp() takes an RFC 3339 text with a zone, like "2026-01-31T12:00:00Z"');
  const at = (group: number): number => Number(match[group] ?? '0');
  const millisecond = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const utcMs = utcOf([at(1), at(2), at(3), at(4), at(5), at(6), millisecond]);
  const back = new Date(utcMs);
  const dayExists = back.getUTCMonth() + 1 === at(2) && back.getUTCDate() === at(3) && back.getUTCHours() === at(4);
  const inRange = at(5) < 60 && at(6) < 60 && at(9) < 24 && at(10) < 60;
  if (!dayExists || !inRange) refuse('there is no such time');
  const offsetMs = (at(9) * 60 + at(10)) * 60_000;
  return checkInstant(match[8] === '-' ? utcMs + offsetMs : utcMs - offsetMs);
}

/** @throws ExpressionRefusal outside the years 0001 to 9999. */
export function checkInstant(atMs: number): number {
  if (!(atMs >= INSTANT_MS_MIN && atMs <= INSTANT_MS_MAX)) refuse('a time outside the years 0001 to 9999');
  return atMs;
}

/** An instant as RFC 3339 text in UTC; milliseconds only when there are some. */
export function writeInstant(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000Z', 'Z');
}

/**
 * What the wall clock of a zone shows. Zone rules are the ones of the process's ICU data; results are recorded, never recomputed.
 * @param zone IANA name or fixed offset like `+02:00`
 * @throws ExpressionRefusal for an unknown zone.
 */
export function wallClockAt(atMs: number, zone: string): WallClock {
  const shifted = new Date(atMs + offsetAt(atMs, zone));
  return {
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
    millisecond: shifted.getUTCMilliseconds(),
    weekday: shifted.getUTCDay(),
  };
}

/** The same time of day `days` later on the wall clock of a zone. A time that a clock change skips moves past the gap; of two, the first. */
export function addDays(atMs: number, days: number, zone: string): number {
  if (Math.abs(days) > 3_660_000) refuse('addDays() takes fewer days');
  return shiftWall(atMs, zone, (wall) => ({ ...wall, day: wall.day + days }));
}

/** The same day of the month `months` later, or the month's last day if it has no such day. */
export function addMonths(atMs: number, months: number, zone: string): number {
  if (Math.abs(months) > 120_000) refuse('addMonths() takes fewer months');
  return shiftWall(atMs, zone, (wall) => {
    const count = wall.year * 12 + (wall.month - 1) + months;
    const year = Math.floor(count / 12);
    const month = (((count % 12) + 12) % 12) + 1;
    return { ...wall, year, month, day: Math.min(wall.day, daysInMonth(year, month)) };
  });
}

/** Day of the year from 0, as CEL counts. */
export function dayOfYear(wall: WallClock): number {
  return Math.round(
    (utcOf([wall.year, wall.month, wall.day, 0, 0, 0, 0]) - utcOf([wall.year, 1, 1, 0, 0, 0, 0])) / DAY_MS,
  );
}

function shiftWall(atMs: number, zone: string, change: (wall: WallClock) => WallClock): number {
  const to = change(wallClockAt(atMs, zone));
  const wallMs = utcOf([to.year, to.month, to.day, to.hour, to.minute, to.second, to.millisecond]);
  checkInstant(wallMs);
  const before = offsetAt(wallMs - DAY_MS, zone);
  const after = offsetAt(wallMs + DAY_MS, zone);
  const real = [before, after].filter((offset) => offsetAt(wallMs - offset, zone) === offset);
  return checkInstant(wallMs - (real.length === 0 ? before : Math.max(...real)));
}

function daysInMonth(year: number, month: number): number {
  return new Date(utcOf([year, month + 1, 0, 0, 0, 0, 0])).getUTCDate();
}

/** Date.UTC reads years below 100 as 19xx; this does not. */
function utcOf(wall: readonly [number, number, number, number, number, number, number]): number {
  const [year, month, day, hour, minute, second, millisecond] = wall;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millisecond);
  return date.getTime();
}

/** Milliseconds that the zone is ahead of UTC at an instant. */
function offsetAt(atMs: number, zone: string): number {
  const fixed = FIXED_ZONE.exec(zone);
  if (fixed !== null) {
    const ms = (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000;
    return fixed[1] === '-' ? -ms : ms;
  }
  if (zone === 'UTC') return 0;
  const wholeMs = Math.floor(atMs / 1000) * 1000;
  const parts = new Map<string, string>(
    formatOf(zone)
      .formatToParts(wholeMs)
      .map((part) => [part.type, part.value]),
  );
  const at = (type: string) => Number(parts.get(type));
  const year = parts.get('era') === 'BC' || parts.get('era') === 'B' ? 1 - at('year') : at('year');
  return utcOf([year, at('month'), at('day'), at('hour'), at('minute'), at('second'), 0]) - wholeMs;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  try {
    const made = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, made);
    return made;
  } catch {
    return refuse('no time zone of that name');
  }
}

/** Whether a zone is known, for the check at publish. */
export function isZone(zone: string): boolean {
  if (FIXED_ZONE.test(zone)) return true;
  try {
    return formatOf(zone) !== undefined;
  } catch {
    return false;
  }
}
