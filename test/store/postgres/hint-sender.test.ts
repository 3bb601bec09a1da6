import { describe, expect, it } from 'vitest';
import { createHintSender } from '../../../src/store/postgres/hint-sender.ts';

describe('the sender of hints', () => {
  it('what is told while a hint is on its way goes together with the next, at the earliest 10 ms later', async () => {
    const sent: { readonly parts: readonly number[]; readonly atMs: number }[] = [];
    let twice: () => void = () => undefined;
    const sentTwice = new Promise<void>((resolve) => {
      twice = resolve;
    });
    const sender = createHintSender((parts) => {
      sent.push({ parts, atMs: performance.now() });
      if (sent.length === 2) twice();
      return Promise.resolve();
    });
    for (const part of [0, 1, 1, 2, 0]) sender.tell(part);
    await sentTwice;
    await sender.close();
    expect(sent.map(({ parts }) => parts)).toEqual([[0], [1, 2, 0]]);
    expect((sent[1]?.atMs ?? 0) - (sent[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(9);
  });

  it('a hint that cannot be sent is no fault of whoever stored something, and the next one is tried', async () => {
    const tried: (readonly number[])[] = [];
    const sender = createHintSender((parts) => {
      tried.push(parts);
      return Promise.reject(new Error('the server is gone'));
    });
    sender.tell(1);
    sender.tell(2);
    await sender.close();
    sender.tell(3);
    await sender.close();
    expect(tried).toEqual([[1], [2], [3]]);
  });
});
