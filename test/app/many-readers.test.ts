import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, type House, openHouse } from '../engine/support/house.ts';
import { sagaOf } from '../engine/support/workflows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** As many readers as a busy page has; many more than a pool has connections. */
const READERS = 128;

describe('many readers at once', () => {
  it('each gets its answer: a reader waits for a connection and is never refused', async () => {
    const process = await house.process();
    const run = await begin(process, sagaOf(house.provider.url, ['reserve']));
    const views = await Promise.allSettled(Array.from({ length: READERS }, () => process.app.show(run)));
    expect(views.filter((view) => view.status === 'rejected')).toEqual([]);
    expect(views.every((view) => view.status === 'fulfilled' && view.value.id.length > 0)).toBe(true);
  });
});
