import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/app/system-clock.ts';
import { createBatcher } from '../../src/worker/batcher.ts';

const clock = createSystemClock();

interface Item {
  readonly run: string;
  readonly n: number;
}

/** A sender whose batches are answered when the test says so. */
function controlledSender() {
  const batches: { readonly items: readonly Item[]; answer(): void; fail(error: Error): void }[] = [];
  const arrivals: (() => void)[] = [];
  const send = (items: readonly Item[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      batches.push({ items, answer: () => resolve(items.map((item) => `${item.run}:${item.n}`)), fail: reject });
      arrivals.shift()?.();
    });
  const nextBatch = async (count: number): Promise<void> => {
    while (batches.length < count) await new Promise<void>((resolve) => arrivals.push(resolve));
  };
  return { batches, send, nextBatch };
}

const items = (count: number, prefix = 'r'): readonly Item[] =>
  Array.from({ length: count }, (_, n) => ({ run: `${prefix}${n}`, n }));

describe('batcher', () => {
  it('P02c a lone item leaves at once as a batch of one', async () => {
    // P02c: "A run is in at most one batch in flight."
    const { batches, send, nextBatch } = controlledSender();
    const batcher = createBatcher({ clock, send, identityOf: (item: Item) => item.run });
    const answer = batcher.submit({ run: 'a', n: 1 });
    await nextBatch(1);
    expect(batches[0]?.items).toHaveLength(1);
    batches[0]?.answer();
    await expect(answer).resolves.toBe('a:1');
    expect(batcher.size()).toBe(0);
  });

  it('groups what is ready in the same turn, and whatever queues up while a batch travels', async () => {
    const { batches, send, nextBatch } = controlledSender();
    const batcher = createBatcher({ clock, send, identityOf: (item: Item) => item.run });
    const first = items(3).map((item) => batcher.submit(item));
    await nextBatch(1);
    expect(batches[0]?.items.map((item) => item.run)).toEqual(['r0', 'r1', 'r2']);
    const second = items(5, 's').map((item) => batcher.submit(item));
    batches[0]?.answer();
    await Promise.all(first);
    await nextBatch(2);
    expect(batches[1]?.items).toHaveLength(5);
    batches[1]?.answer();
    await expect(Promise.all(second)).resolves.toEqual(['s0:0', 's1:1', 's2:2', 's3:3', 's4:4']);
  });

  it('P02c a run is in at most one batch in flight, also while a second batch travels', async () => {
    // P02c: "A run is in at most one batch in flight."
    const { batches, send, nextBatch } = controlledSender();
    const batcher = createBatcher({ clock, send, identityOf: (item: Item) => item.run });
    const first = batcher.submit({ run: 'a', n: 1 });
    await nextBatch(1);
    const again = batcher.submit({ run: 'a', n: 2 });
    const others = items(40).map((item) => batcher.submit(item));
    await nextBatch(2);
    expect(batches[1]?.items.map((item) => item.run)).not.toContain('a');
    expect(batches[1]?.items).toHaveLength(40);
    batches[1]?.answer();
    await Promise.all(others);
    expect(batches).toHaveLength(2);
    batches[0]?.answer();
    await first;
    await nextBatch(3);
    expect(batches[2]?.items).toEqual([{ run: 'a', n: 2 }]);
    batches[2]?.answer();
    await expect(again).resolves.toBe('a:2');
  });

  it('keeps the order of one identity within its queue and never puts it twice into one batch', async () => {
    const { batches, send, nextBatch } = controlledSender();
    const batcher = createBatcher({ clock, send, identityOf: (item: Item) => item.run });
    const answers = [1, 2, 3].map((n) => batcher.submit({ run: 'a', n }));
    for (const turn of [1, 2, 3]) {
      await nextBatch(turn);
      expect(batches[turn - 1]?.items).toEqual([{ run: 'a', n: turn }]);
      batches[turn - 1]?.answer();
      await answers[turn - 1];
    }
  });

  it('caps a batch at 200 and has at most two on their way', async () => {
    const { batches, send, nextBatch } = controlledSender();
    const batcher = createBatcher({ clock, send, identityOf: (item: Item) => item.run });
    const answers = items(700).map((item) => batcher.submit(item));
    await nextBatch(2);
    await clock.sleep(0);
    expect(batches.map((batch) => batch.items.length)).toEqual([200, 200]);
    for (const turn of [0, 1, 2, 3]) {
      await nextBatch(turn + 1);
      batches[turn]?.answer();
    }
    await Promise.all(answers);
    expect(batches.map((batch) => batch.items.length)).toEqual([200, 200, 200, 100]);
  });

  it('tells every member of a batch that its sending failed, and goes on with the next', async () => {
    const { batches, send, nextBatch } = controlledSender();
    const batcher = createBatcher({ clock, send, identityOf: (item: Item) => item.run });
    const answers = items(2).map((item) => batcher.submit(item));
    await nextBatch(1);
    batches[0]?.fail(new Error('gone'));
    await expect(Promise.allSettled(answers)).resolves.toEqual([
      { status: 'rejected', reason: new Error('gone') },
      { status: 'rejected', reason: new Error('gone') },
    ]);
    const next = batcher.submit({ run: 'b', n: 9 });
    await nextBatch(2);
    batches[1]?.answer();
    await expect(next).resolves.toBe('b:9');
  });
});
