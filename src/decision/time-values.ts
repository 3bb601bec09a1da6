import { DURATION_MS_MAX, parseDuration } from '../model/duration.ts';
import type { Json } from '../model/json.ts';

/** Latest instant that is accepted: the end of the year 9999. */
const INSTANT_MAX_MS = 253_402_300_799_999;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** How the difference of two times is written when it is negative. */
const PAST = /^-\d+(?:\.\d+)?(?:ms|s)$/;

/**
 * A duration as an expression gives it: a text (`1h30m`, `PT90M`), or whole milliseconds. A computed one that is negative,
 * such as the time until an instant that has passed, is zero: what was waited for is there.
 * @returns milliseconds, 0 to 100 years, or null for anything that is no duration.
 */
export function millisecondsOf(value: Json): number | null {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value <= DURATION_MS_MAX ? Math.max(0, value) : null;
  if (typeof value !== 'string') return null;
  if (PAST.test(value)) return 0;
  try {
    return parseDuration(value);
  } catch {
    return null;
  }
}

/**
 * An instant as an expression gives it: a text with a zone, or epoch milliseconds.
 * @returns epoch milliseconds UTC, or null for anything else.
 */
export function instantOf(value: Json): number | null {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value >= 0 && value <= INSTANT_MAX_MS ? value : null;
  if (typeof value !== 'string' || !INSTANT.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}
