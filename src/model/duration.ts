import { cutText } from './cut-text.ts';
import { RefusedError } from './errors.ts';

/** Milliseconds of each unit; a day is always 24 hours. */
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const SHORT = /^(?:\d+(?:ms|[smhdw]))+$/;
const SHORT_PART = /(\d+)(ms|[smhdw])/g;
const ISO = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/;
const ISO_CALENDAR = /^[+-]?P[^T]*\d(?:\.\d+)?[YM]/i;
const SHORT_CALENDAR = /^\d+ ?(?:y|yr|years?|mo|mon|months?|M|Y)$/;
const WORDS = /\d ?(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?)\b/i;

/** The longest duration that is taken: 100 years of 365 days. Later instants would leave what a timestamp can hold. */
export const DURATION_MS_MAX = 100 * 365 * UNIT_MS.d;

const DATE = /^\d{4}-\d{2}-\d{2}/;
const FORMS = 'write for example 10s, 1h30m, 7d, 2w or PT1H30M';
const SIGN_HELP = `${FORMS}; for a time that may have passed wait: { until: … }`;

function refuse(text: string, why: string, help: string): RefusedError {
  return new RefusedError(
    'PAWL_DURATION_INVALID',
    `${JSON.stringify(cutText(text, 40))} is not a duration: ${why}; ${help}`,
    {
      why,
      help,
    },
  );
}

function explainSign(text: string): RefusedError {
  return DATE.test(text)
    ? refuse(text, 'it is a date', 'write wait: { until: … } for an instant')
    : refuse(text, 'it is negative or has a sign', SIGN_HELP);
}

/** Most often the T stands where it does not belong, or is missing. */
function explainIso(text: string): RefusedError {
  const isWhole = ISO.test(text);
  const moved = [text.replace('T', ''), text.replace('P', 'PT')].find((other) => !isWhole && ISO.test(other));
  return moved === undefined
    ? refuse(text, 'an ISO duration has the form PnWnDTnHnMnS', FORMS)
    : refuse(text, 'weeks and days stand before the T, hours, minutes and seconds behind it', `write ${moved}`);
}

/** Says why a text is no duration, and the mend. */
function explain(text: string): RefusedError {
  if (text.trim() === '') return refuse(text, 'it is empty', FORMS);
  if (text !== text.trim()) return refuse(text, 'it has blanks around it', `write ${text.trim()}`);
  if (ISO_CALENDAR.test(text) || SHORT_CALENDAR.test(text)) {
    return refuse(text, 'months and years have no fixed length', 'say `until:` with addMonths(…), or write days');
  }
  if (/^[+-]|-\d/.test(text)) return explainSign(text);
  if (/^\d+(?:\.\d+)?$/.test(text))
    return refuse(text, 'the unit is missing', `write ${text}s for seconds or ${text}m for minutes`);
  if (/^P/.test(text)) return explainIso(text);
  if (WORDS.test(text)) return refuse(text, 'the units are ms, s, m, h, d and w', FORMS);
  if (/\d\.\d/.test(text)) return refuse(text, 'only whole numbers are allowed', 'write 1h30m instead of 1.5h');
  const joined = text.replace(/\s+/g, '');
  if (joined !== text && SHORT.test(joined)) return refuse(text, 'it has blanks in it', `write ${joined}`);
  return refuse(text, 'the units are ms, s, m, h, d and w', FORMS);
}

function shortMs(text: string): number {
  let sum = 0;
  let previous = Number.POSITIVE_INFINITY;
  for (const [, amount, unit] of text.matchAll(SHORT_PART)) {
    const size = UNIT_MS[unit as keyof typeof UNIT_MS];
    if (size >= previous) throw refuse(text, 'each unit may come once, the largest first', FORMS);
    previous = size;
    sum += Number(amount) * size;
  }
  return sum;
}

function isoMs(text: string, match: RegExpExecArray): number {
  if (/^P$|T$/.test(text)) throw explain(text);
  const [, weeks = '0', days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  const whole =
    Number(weeks) * UNIT_MS.w + Number(days) * UNIT_MS.d + Number(hours) * UNIT_MS.h + Number(minutes) * UNIT_MS.m;
  return whole + Math.round(Number(seconds) * UNIT_MS.s);
}

/**
 * Milliseconds of a duration such as `10s`, `1h30m`, `7d`, `2w`, `250ms` or ISO `PT1H30M`; a day is 24 hours.
 * Zero is a duration; who needs a positive one says so.
 * @returns whole milliseconds, 0 to `DURATION_MS_MAX`.
 * @throws PAWL_DURATION_INVALID with `details.why` and `details.help`; months and years are refused, and what is longer than 100 years.
 */
export function parseDuration(text: string): number {
  const iso = SHORT.test(text) ? null : ISO.exec(text);
  if (iso === null && !SHORT.test(text)) throw explain(text);
  const ms = iso === null ? shortMs(text) : isoMs(text, iso);
  if (!(ms <= DURATION_MS_MAX)) throw refuse(text, 'it is longer than 100 years', 'a run cannot wait that long');
  return ms;
}
