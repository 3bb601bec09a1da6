import { describe, expect, it } from 'vitest';
import { planFiring } from '../../src/engine/plan-firing.ts';
import type { ScheduleDefinition } from '../../src/model/definition.ts';

const LEASE_MS = 30_000;
/** Milliseconds of a time of one day. */
const at = (time: string): number => Date.parse(`2026-06-01T${time.padEnd(8, ':00')}Z`);
const clock = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString().slice(11, 16));

/** Every five minutes. */
function schedule(catchUp: ScheduleDefinition['catchUp']): ScheduleDefinition {
  const input = { kind: 'literal', value: {} } as const;
  return { cron: '*/5 * * * *', timezone: 'UTC', input, overlap: 'skip', catchUp };
}

describe('what is started of the instants that have come', () => {
  it.each([
    ['one', '00:45', '00:45', '00:45', '00:50'],
    ['one', '00:45', '01:12:23', '01:10', '01:15'],
    ['one', '00:45', '01:10', '01:10', '01:15'],
    ['all', '00:45', '01:12:23', '00:45', '00:50'],
    ['all', '01:10', '01:12:23', '01:10', '01:15'],
    ['none', '00:45', '00:45:29', '00:45', '00:50'],
    ['none', '00:45', '00:45:31', null, '00:50'],
    ['none', '00:45', '01:12:23', null, '01:15'],
    ['none', '00:45', '01:10:02', '01:10', '01:15'],
  ] as const)('catchUp: %s, due at %s and taken at %s: %s, then %s', (catchUp, due, taken, fire, next) => {
    const plan = planFiring(
      schedule(catchUp),
      { dueAtMs: at(due), sinceMs: at('00:41'), takenAtMs: at(taken) },
      LEASE_MS,
    );
    expect([clock(plan.fireAtMs), clock(plan.nextAtMs)]).toEqual([fire, next]);
  });

  it.each([
    ['one', '00:45', '01:10'],
    ['all', '00:45', '01:10'],
    ['none', null, '01:10'],
  ] as const)(
    'catchUp: %s of a late instant of a lower version: its own times count since 01:08',
    (catchUp, fire, next) => {
      const plan = planFiring(
        schedule(catchUp),
        { dueAtMs: at('00:45'), sinceMs: at('01:08'), takenAtMs: at('01:09') },
        LEASE_MS,
      );
      expect([clock(plan.fireAtMs), clock(plan.nextAtMs)]).toEqual([fire, next]);
    },
  );
});
