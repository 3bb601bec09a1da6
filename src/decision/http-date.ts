const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const TIME = '(\\d{2}):(\\d{2}):(\\d{2})';
/** The three forms of RFC 9110, 5.6.7: the preferred one, RFC 850's and asctime's. Anything looser is not a date. */
const PREFERRED = new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\\d{2}) ([A-Z][a-z]{2}) (\\d{4}) ${TIME} GMT$`);
const RFC_850 = new RegExp(
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\\d{2})-([A-Z][a-z]{2})-(\\d{2}) ${TIME} GMT$`,
);
const ASCTIME = new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) ([ \\d]\\d) ${TIME} (\\d{4})$`);

/**
 * Reads an HTTP date.
 * @param nowMs epoch milliseconds; a two-digit year is taken as the nearest one that is not over 50 years ahead.
 * @returns epoch milliseconds, or null for anything that is not one of the three forms or no day of the calendar.
 */
export function parseHttpDate(text: string, nowMs: number): number | null {
  const preferred = PREFERRED.exec(text);
  if (preferred) return instantOf(preferred[3], preferred[2], preferred[1], preferred.slice(4));
  const asctime = ASCTIME.exec(text);
  if (asctime) return instantOf(asctime[6], asctime[1], asctime[2], asctime.slice(3, 6));
  const rfc850 = RFC_850.exec(text);
  if (!rfc850) return null;
  const thisYear = new Date(nowMs).getUTCFullYear();
  const century = thisYear - (thisYear % 100);
  const year = century + Number(rfc850[3]);
  return instantOf(String(year > thisYear + 50 ? year - 100 : year), rfc850[2], rfc850[1], rfc850.slice(4));
}

function instantOf(year = '', monthName = '', day = '', time: readonly string[]): number | null {
  const dayMs = dayOf(Number(year), (MONTHS as readonly string[]).indexOf(monthName), Number(day));
  const [hours = 0, minutes = 0, seconds = 0] = time.map(Number);
  const isTime = hours < 24 && minutes < 60 && seconds <= 60;
  return dayMs !== null && isTime ? dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1_000 : null;
}

/** The start of a day of the calendar; null for a month that is none and for a 31st of February. */
function dayOf(year: number, month: number, day: number): number | null {
  const calendar = new Date(Date.UTC(year, month, day));
  return calendar.getUTCMonth() === month && calendar.getUTCDate() === day ? calendar.getTime() : null;
}
