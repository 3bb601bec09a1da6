import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cronTimes } from '../../src/definition/cron-times.ts';

const PAGE = readFileSync(new URL('../../docs/reference/schedules.md', import.meta.url), 'utf8');
const HOUR_MS = 3_600_000;

/** The rows of the table: times, zone, day, how often that day, and the starts around the change. */
const ROWS = PAGE.split('\n')
  .filter((line) => /^\| `/.test(line))
  .map((line) => line.slice(2, -2).split(' | ') as [string, string, string, string, string]);

/** The wall clock of a zone: `YYYY-MM-DD HH:MM`. */
function wallClock(atMs: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(atMs);
}

/** Every start whose local day is that one. */
function startsOf(cron: string, timezone: string, day: string): readonly number[] {
  const times = cronTimes({ cron, timezone });
  const found: number[] = [];
  const endMs = Date.parse(`${day}T00:00Z`) + 40 * HOUR_MS;
  for (let atMs = times.next(Date.parse(`${day}T00:00Z`) - 16 * HOUR_MS); atMs < endMs; atMs = times.next(atMs))
    if (wallClock(atMs, timezone).startsWith(day)) found.push(atMs);
  return found;
}

/** The instant at which the offset of a zone changes on a day. */
function changeOf(timezone: string, day: string): number {
  const offset = (atMs: number): number => Date.parse(`${wallClock(atMs, timezone).replace(' ', 'T')}Z`) - atMs;
  const beginMs = Date.parse(`${day}T00:00Z`) - 16 * HOUR_MS;
  for (let atMs = beginMs; ; atMs += HOUR_MS / 2)
    if (offset(atMs) !== offset(atMs + HOUR_MS / 2)) return atMs + HOUR_MS / 2;
}

const written = (atMs: number, timezone: string): string =>
  `${wallClock(atMs, timezone).slice(11)} (${new Date(atMs).toISOString().slice(11, 16)}Z)`;

describe('docs/reference/schedules.md', () => {
  it('has half past two, every hour, every quarter of an hour and once a day, on both days of a change', () => {
    const days = new Map<string, Set<string>>();
    for (const [cron, zone, day] of ROWS) days.set(cron, (days.get(cron) ?? new Set()).add(`${zone} ${day}`));
    for (const cron of ['30 2 * * *', '0 * * * *', '*/15 * * * *', '0 0 * * *'])
      expect(days.get(`\`${cron}\``)?.size, cron).toBeGreaterThanOrEqual(2);
  });

  it.each(ROWS)('each row of the table is what a schedule does: %s in %s on %s', (times, zone, day, count, around) => {
    const cron = times.replaceAll('`', '');
    const starts = startsOf(cron, zone, day);
    expect(starts.length).toBe(Number(count));
    const changeMs = changeOf(zone, day);
    const near = starts.filter((atMs) => Math.abs(atMs - changeMs) <= HOUR_MS);
    expect(near.map((atMs) => written(atMs, zone)).join(', ') || 'none').toBe(around);
  });
});
