import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { begin, type House, openHouse, untilStatus } from './support/house.ts';
import { sagaOf } from './support/workflows.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

describe('a saga on PostgreSQL', () => {
  it('runs from start to COMPLETED, each effect once, receipts verified', async () => {
    const process = await house.process();
    await process.app.runWorker();
    const run = await begin(process, sagaOf(house.provider.url, ['reserve', 'charge', 'ship']));
    const view = await untilStatus(process, run, 'COMPLETED');
    expect(house.provider.effects()).toEqual(['reserve', 'charge', 'ship']);
    expect(view.output).toEqual({ last: 'ship-1' });
    expect(view.effects.map((effect) => [effect.step, effect.state, effect.attempt])).toEqual([
      ['reserve', 'CONFIRMED', 1],
      ['charge', 'CONFIRMED', 1],
      ['ship', 'CONFIRMED', 1],
    ]);
    const verified = await process.app.verify(run);
    expect(verified.faults).toEqual([]);
    expect(verified.receipts).toHaveLength(3);
  });

  it('R01 reverse: a refused step undoes what was confirmed, last first, one at a time', async () => {
    // R01: "`reverse`: A, B, C confirmed in this completion order, D rejected: C's compensation is requested first, B's only after C's is confirmed, A's only …"
    const process = await house.process();
    await process.app.runWorker();
    house.provider.setScript({ ship: 'declined' });
    const run = await begin(process, sagaOf(house.provider.url, ['reserve', 'charge', 'ship']));
    const view = await untilStatus(process, run, 'COMPENSATED');
    expect(house.provider.effects()).toEqual(['reserve', 'charge', 'uncharge', 'unreserve']);
    expect(view.failure).toMatchObject({ code: 'http-402', step: 'ship' });
    expect((await process.app.verify(run)).faults).toEqual([]);
  });
});
