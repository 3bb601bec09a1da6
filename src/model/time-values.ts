import { cutText } from './cut-text.ts';
import { parseDuration } from './duration.ts';
import type { Json } from './json.ts';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** A time that a value says, or why it says none: words that name the value. */
export type TimeRead = { readonly ms: number } | { readonly why: string };

/** A value as messages show it. */
function shown(value: Json): string {
  return cutText(JSON.stringify(value), 40);
}

/**
 * A duration as an expression gives it: the texts that a file may hold (`1h30m`, `PT90M`), and nothing else. A number has no
 * unit, and what is negative is no length of time, however it was computed.
 * @returns milliseconds, 0 to 100 years.
 */
export function durationOf(value: Json): TimeRead {
  if (typeof value === 'number')
    return { why: `${value} is not a duration: it has no unit; write text with one, as "5s" or "1h30m"` };
  if (typeof value !== 'string') return { why: `${shown(value)} is not a duration: write text, as "5s" or "1h30m"` };
  try {
    return { ms: parseDuration(value) };
  } catch (error) {
    return { why: (error as Error).message };
  }
}

/**
 * An instant as a file or an expression gives it: a text with a zone.
 * @returns epoch milliseconds UTC.
 */
export function instantOf(value: Json): TimeRead {
  const ms = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(ms)) return { ms };
  return { why: `${shown(value)} is not an instant: write a time with its zone, as "2030-01-31T12:00:00Z"` };
}
