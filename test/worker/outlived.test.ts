import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { begin, type House, openHouse, untilRun, untilStatus } from '../engine/support/house.ts';
import { runSql } from '../support/postgres.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const NUMBERS = { leaseMs: 3_000 };
const TEXT =
  'pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\nactions:\n  slow: { function: slow@1, idempotency: { remembers: 24h }, compensate: none }\nsteps:\n  - { id: one, call: slow }\n';

it('P06 a run that was parked for workers that were only cut off goes on by itself when one of them comes back', async () => {
  // P06: "only crashes while it is held alone count towards the three that park it (`poison`)."
  let sent = 0;
  const functions = {
    'slow@1': {
      send: (): Promise<Json> => {
        sent += 1;
        return sent === 1 ? new Promise(() => undefined) : Promise.resolve({ ok: true });
      },
    },
  };
  const cutOff = await house.process({ numbers: NUMBERS, functions });
  await cutOff.app.runWorker();
  const run = await begin(cutOff, TEXT);
  await untilRun(cutOff, run, (view) => view.effects[0]?.state === 'REQUESTED');
  let heal: () => void = () => undefined;
  const healed = new Promise<void>((resolve) => {
    heal = resolve;
  });
  cutOff.watched.hooks = {
    around: async (_verb, _args, call) => {
      await healed;
      return call();
    },
  };
  await runSql(
    house.url,
    `WITH h AS (UPDATE pawl.run_head SET suspect = true, crashes = 2 WHERE run_id = $1 RETURNING owner),
          l AS (UPDATE pawl.lease SET suspect = true WHERE run_id = $1)
     UPDATE pawl.seat SET lease_until = now() - interval '1 second' WHERE worker_id = (SELECT h.owner FROM h)`,
    [run],
  );
  const other = await house.process({ numbers: NUMBERS, functions });
  await other.app.runWorker();
  const parked = await untilStatus(other, run, 'HELD');
  expect(parked.incidents).toMatchObject([{ kind: 'poison', acts: ['retry', 'terminate'] }]);
  heal();
  const view = await untilStatus(other, run, 'COMPLETED');
  expect(view.incidents).toEqual([]);
  expect(cutOff.logger.lines.some(({ event }) => event === 'seat.lost')).toBe(true);
}, 30_000);
