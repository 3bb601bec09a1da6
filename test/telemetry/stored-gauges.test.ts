import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { Gauge } from '../../src/model/gauges.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { createStoredGauges, type GaugedStore } from '../../src/telemetry/stored-gauges.ts';

const HELD: readonly Gauge[] = [
  { measure: 'runs', label: 'HELD', count: 3, ageMs: null },
  { measure: 'needs', label: 'pause:resume', count: 2, ageMs: null },
  { measure: 'effects', label: 'REQUESTED', count: 4, ageMs: null },
  { measure: 'doubt', label: null, count: 1, ageMs: 90_500 },
  { measure: 'outbox', label: 'dead', count: 5, ageMs: 2_000 },
];

/** A scrape of a store whose answers are `held`, in turn; `patience`: what ends a wait for it. */
function world(
  answers: readonly (readonly Gauge[] | Error | Promise<never>)[],
  patience = new Promise<never>(() => {}),
) {
  let nowMs = 0;
  let asked = 0;
  const tenants: string[] = [];
  const registry = new Registry();
  const clock: Clock = { monotonicMs: () => nowMs, sleep: () => patience };
  const { refresh } = createStoredGauges(registry, clock);
  const store: GaugedStore = {
    parts: 2,
    queues: async (part) => [{ part, queue: 'gpu', offered: 2, sinceMs: null, askedAtMs: null }],
    gauges: async (tenant) => {
      tenants.push(tenant);
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (answer instanceof Error) throw answer;
      return answer ?? [];
    },
  };
  return {
    tenants,
    asked: () => asked,
    step: (ms: number) => {
      nowMs += ms;
    },
    scrape: async () => {
      await refresh(store, 'default');
      const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      return new Map(lines.map((line) => line.split(' ') as [string, string]));
    },
  };
}

describe('Gauges of what is stored', () => {
  it('tell each count by its label and each age in seconds, of one tenant; what nobody waits for is 0', async () => {
    const { scrape, tenants } = world([HELD]);
    const told = await scrape();
    expect(Object.fromEntries(told)).toEqual({
      'pawl_runs_open{status="HELD"}': '3',
      'pawl_runs_needing_people{need="pause:resume"}': '2',
      'pawl_effects_open{state="REQUESTED"}': '4',
      pawl_effects_in_doubt: '1',
      pawl_effects_in_doubt_oldest_seconds: '90.5',
      pawl_timers_due: '0',
      pawl_timers_due_oldest_seconds: '0',
      pawl_inbox_undecided: '0',
      pawl_inbox_undecided_oldest_seconds: '0',
      'pawl_outbox_open{state="dead"}': '5',
      'pawl_outbox_open_oldest_seconds{state="dead"}': '2',
      pawl_batches_running: '0',
      'pawl_queue_offers{queue="gpu"}': '4',
      pawl_stored_up: '1',
    });
    expect(tenants).toEqual(['default']);
  });

  it('what is over is told no longer', async () => {
    const { scrape, step } = world([HELD, []]);
    await scrape();
    step(5_000);
    const told = await scrape();
    expect(told.get('pawl_runs_open{status="HELD"}')).toBeUndefined();
    expect([told.get('pawl_effects_in_doubt'), told.get('pawl_effects_in_doubt_oldest_seconds')]).toEqual(['0', '0']);
  });

  it('the store is asked once in five seconds, however many scrape', async () => {
    const { scrape, step, asked } = world([HELD]);
    await Promise.all([scrape(), scrape()]);
    step(4_999);
    await scrape();
    expect(asked()).toBe(1);
    step(1);
    await scrape();
    expect(asked()).toBe(2);
  });

  it('a store that fails is told as such: 0 of nothing is said that nobody knows, and it is asked again later', async () => {
    const { scrape, step } = world([HELD, new Error('it is gone'), HELD]);
    await scrape();
    step(5_000);
    expect(Object.fromEntries(await scrape())).toEqual({ pawl_stored_up: '0' });
    step(5_000);
    expect((await scrape()).get('pawl_effects_in_doubt')).toBe('1');
  });

  it('a store that does not answer keeps no scrape waiting, and is not asked again meanwhile', async () => {
    const { scrape, step, asked } = world([new Promise<never>(() => {})], Promise.resolve() as Promise<never>);
    expect(Object.fromEntries(await scrape())).toEqual({ pawl_stored_up: '0' });
    step(60_000);
    expect((await scrape()).get('pawl_stored_up')).toBe('0');
    expect(asked()).toBe(1);
  });
});
