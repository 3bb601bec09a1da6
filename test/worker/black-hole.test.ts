import { afterAll, beforeAll, expect, it } from 'vitest';
import { numbersFor } from '../../src/model/numbers.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { begin, type House, openHouse } from '../engine/support/house.ts';
import { sagaOf } from '../engine/support/workflows.ts';
import { openWire, type Wire } from '../support/wire.ts';

let house: House;
let wire: Wire;
beforeAll(async () => {
  house = await openHouse();
  wire = await openWire(house.url);
});
afterAll(async () => {
  await house.close();
  await wire.close();
});

const NUMBERS = numbersFor(4_500, { statementTimeoutMs: 250, sendWithinMs: 4_000 });

it.each(['request', 'answer'] as const)(
  'P04 a wire swallows the %s of a commit, and all else that is on it: what was done is found out, and everything happened once',
  async (what) => {
    // P04: "An answer lost at COMMIT: drop the connection, read back (revision, fence, journal)."
    const store = await openPostgresStore({ url: wire.url, numbers: NUMBERS });
    const worker = await house.process({ store, numbers: NUMBERS });
    await worker.app.runWorker();
    wire.swallowAt('pawl_commit', what);
    const run = await begin(worker, sagaOf(house.provider.url, ['reserve', 'charge']));
    const { app } = await house.process();
    let view = await app.show(run);
    for (; view.status !== 'COMPLETED'; view = await app.show(run)) await worker.watched.next();
    expect(house.happened()).toEqual(['reserve', 'charge']);
    expect(view.effects.map(({ state }) => state)).toEqual(['CONFIRMED', 'CONFIRMED']);
    expect(worker.logger.lines.some(({ event }) => event === 'commit.answer-lost')).toBe(true);
    expect((await app.verify(run)).faults).toEqual([]);
    await house.rest();
    await store.close();
  },
  20_000,
);
