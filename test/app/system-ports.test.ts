import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/app/system-clock.ts';
import { createSystemIds } from '../../src/app/system-ids.ts';
import { displayRunId, parseRunId } from '../../src/model/run-id.ts';
import { keyShard, partOf, virtualShardOf } from '../../src/model/virtual-shard.ts';

describe('system ids', () => {
  it('puts the virtual shard into the 12 bits behind the version, for every shard', () => {
    const ids = createSystemIds();
    for (const shard of [0, 1, 0xff, 0x100, 0xabc, 4_095]) {
      const runId = ids.newRunId(shard);
      expect(runId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(virtualShardOf(runId)).toBe(shard);
      expect(partOf(runId, 4)).toBe(shard % 4);
    }
  });

  it('spreads runs without a business key over all parts', () => {
    const ids = createSystemIds();
    const parts = new Set(Array.from({ length: 200 }, () => partOf(ids.newRunId(), 4)));
    expect([...parts].sort()).toEqual([0, 1, 2, 3]);
  });

  it('sends all runs of a business key to one shard and tells workflows and tenants apart', () => {
    expect(keyShard('default', 'order', 'o-1')).toBe(keyShard('default', 'order', 'o-1'));
    const shards = new Set([
      keyShard('default', 'order', 'o-1'),
      keyShard('default', 'refund', 'o-1'),
      keyShard('other', 'order', 'o-1'),
      keyShard('default', 'order', 'o-2'),
    ]);
    expect(shards.size).toBe(4);
  });

  it('never gives one id twice, and each can be displayed and read back', () => {
    const ids = createSystemIds();
    const made = Array.from({ length: 1_000 }, () => ids.newRunId(7));
    expect(new Set(made).size).toBe(1_000);
    for (const runId of made.slice(0, 20)) expect(parseRunId(displayRunId(runId))).toBe(runId);
    expect(ids.newWorkerId()).not.toBe(ids.newWorkerId());
    expect(ids.newEventId()).not.toBe(ids.newEventId());
  });
});

describe('system clock', () => {
  it('sleeps longer than a 32-bit timer can, and ends at once when its signal aborts', async () => {
    const clock = createSystemClock();
    const stop = new AbortController();
    let done = false;
    const slept = clock.sleep(60 * 24 * 60 * 60 * 1_000, stop.signal).then(() => {
      done = true;
    });
    await clock.sleep(20);
    expect(done).toBe(false);
    stop.abort();
    await slept;
    expect(done).toBe(true);
  });

  it('does not sleep under a signal that has aborted already', async () => {
    const clock = createSystemClock();
    const stop = new AbortController();
    stop.abort();
    await expect(clock.sleep(60_000, stop.signal)).resolves.toBeUndefined();
  });

  it('measures what it slept and never runs backwards', async () => {
    const clock = createSystemClock();
    const before = clock.monotonicMs();
    await clock.sleep(10);
    expect(clock.monotonicMs() - before).toBeGreaterThanOrEqual(9);
  });
});
