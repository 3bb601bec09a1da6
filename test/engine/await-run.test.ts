import { describe, expect, it } from 'vitest';
import { openSmallHouse } from './support/small-house.ts';

const file = (steps: string): string =>
  ['pawl: 1', 'workflow: waiter', 'version: 1', 'timeout: 2h', steps, ''].join('\n');
const PAUSE = file('steps: [{ id: pause, wait: 1m }]');
const CALL = file(
  [
    'actions: { shop.pay: { function: pay@1, idempotency: { remembers: 24h }, compensate: none } }',
    'steps: [{ id: pay, call: shop.pay }]',
  ].join('\n'),
);
const never = new AbortController().signal;

describe('awaitRun', () => {
  it('is over at once where a run rests already, and for one that is not there', async () => {
    const house = openSmallHouse();
    const { verbs } = house.process({ works: false });
    const id = await house.begin(verbs, PAUSE);
    const run = await house.settled(verbs.find(id));
    const beganMs = house.world.nowMs();
    await house.settled(verbs.awaitRun(run, { forMs: 60_000, signal: never }));
    await house.settled(verbs.awaitRun({ ...run, runId: 'nobody' as never }, { forMs: 60_000, signal: never }));
    expect(house.world.nowMs() - beganMs).toBeLessThan(1_000);
  });

  it('is over when the run has ended, and when patience has', async () => {
    const house = openSmallHouse();
    const idle = house.process({ works: false });
    const id = await house.begin(idle.verbs, CALL);
    const run = await house.settled(idle.verbs.find(id));
    const beganMs = house.world.nowMs();
    await house.settled(idle.verbs.awaitRun(run, { forMs: 5_000, signal: never }));
    expect(house.world.nowMs() - beganMs).toBeGreaterThanOrEqual(5_000);
    expect((await house.settled(idle.verbs.show(id))).status).toBe('RUNNING');
    house.process({ works: true });
    await house.settled(idle.verbs.awaitRun(run, { forMs: 500_000, signal: never }));
    expect((await house.settled(idle.verbs.show(id))).status).toBe('COMPLETED');
    expect(house.world.nowMs() - beganMs).toBeLessThan(400_000);
  });

  it('is over when it is told to leave', async () => {
    const house = openSmallHouse();
    const { verbs } = house.process({ works: false });
    const run = await house.settled(verbs.find(await house.begin(verbs, CALL)));
    const leaving = new AbortController();
    leaving.abort();
    const beganMs = house.world.nowMs();
    await house.settled(verbs.awaitRun(run, { forMs: 60_000, signal: leaving.signal }));
    expect(house.world.nowMs() - beganMs).toBeLessThan(1_000);
  });
});
