import { cutText } from './cut-text.ts';
import { DURATION_MS_MAX, parseDuration } from './duration.ts';
import type { Json } from './json.ts';

/** Latest instant that is accepted: the end of the year 9999. */
const INSTANT_MAX_MS = 253_402_300_799_999;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** How the difference of two times is written when it is negative. */
const PAST = /^-\d+(?:\.\d+)?(?:ms|s)$/;

/** A time that a value says, or why it says none: words that name the value. */
export type TimeRead = { readonly ms: number } | { readonly why: string };

/** A value as messages show it. */
function shown(value: Json): string {
  return cutText(JSON.stringify(value), 40);
}

/**
 * A duration as an expression gives it: a text (`1h30m`, `PT90M`), or whole milliseconds. A computed one that is negative,
 * such as the time until an instant that has passed, is zero: what was waited for is there.
 * @returns milliseconds, 0 to 100 years.
 */
export function durationOf(value: Json): TimeRead {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value <= DURATION_MS_MAX)
    return { ms: Math.max(0, value) };
  if (typeof value !== 'string')
    return { why: `${shown(value)} is not a duration: write "1h30m", or whole milliseconds up to 100 years` };
  if (PAST.test(value)) return { ms: 0 };
  try {
    return { ms: parseDuration(value) };
  } catch (error) {
    return { why: (error as Error).message };
  }
}

/**
 * An instant as an expression gives it: a text with a zone, or epoch milliseconds.
 * @returns epoch milliseconds UTC, of the years 1970 to 9999 for a number.
 */
export function instantOf(value: Json): TimeRead {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= INSTANT_MAX_MS)
    return { ms: value };
  const ms = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(ms)) return { ms };
  return { why: `${shown(value)} is not an instant: write a time with its zone, as "2030-01-31T12:00:00Z"` };
}
