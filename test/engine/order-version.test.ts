import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { openSmallHouse, type SmallHouse, type SmallProcess } from './support/small-house.ts';

const MINUTE_MS = 60_000;
const REASON = 'it refunds twice';

const KEY = 'key: { value: input.id, again: afterFailure }';

function text(version: number, head = KEY): string {
  return [
    'pawl: 1',
    'workflow: refund',
    `version: ${version}`,
    'timeout: 1d',
    head,
    "input: { type: object, required: [id], properties: { id: { type: string }, as: { type: string, default: 'x' } } }",
    'steps: [{ id: rest, wait: 1m }]',
    '',
  ].join('\n');
}

interface Scene {
  readonly house: SmallHouse;
  readonly verbs: SmallProcess['verbs'];
  order(act: 'deprecate' | 'restore', version: number): Promise<void>;
  start(id: string, version?: number | null): Promise<{ readonly version: number; readonly created: boolean }>;
}

async function openScene(versions: readonly number[], head = KEY): Promise<Scene> {
  const house = openSmallHouse();
  const { verbs } = house.process({ works: true });
  for (const version of versions)
    await house.settled(verbs.publish({ text: text(version, head), file: 'r.pawl.yaml', by: 'ana' }));
  return {
    house,
    verbs,
    order: (act, version) => house.settled(verbs.orderVersion('refund', version, { act, by: 'kai', reason: REASON })),
    start: async (id, version = null) => {
      const input: Json = { id };
      const { run, created } = await house.settled(verbs.start({ workflow: 'refund', version, input, by: 'ana' }));
      return { version: run.version, created };
    },
  };
}

describe('a deprecated version', () => {
  it('is not started, under its number or as the only one, and the refusal says why, who, since and the way out', async () => {
    const { order, start } = await openScene([1]);
    await order('deprecate', 1);
    for (const version of [1, null])
      await expect(start('a', version)).rejects.toMatchObject({
        code: 'PAWL_VERSION_DEPRECATED',
        httpStatus: 409,
        message: expect.stringMatching(/^refund@1 is deprecated by kai since .*Z: it refunds twice; .* --undo$/),
      });
    await order('restore', 1);
    expect(await start('a')).toEqual({ version: 1, created: true });
  });

  it('gives way to the highest one that is not deprecated where no version is named', async () => {
    const { order, start } = await openScene([1, 2, 4]);
    await order('deprecate', 4);
    expect(await start('a')).toEqual({ version: 2, created: true });
    await order('deprecate', 1);
    expect(await start('b')).toEqual({ version: 2, created: true });
    await order('deprecate', 2);
    await expect(start('c')).rejects.toMatchObject({ code: 'PAWL_VERSION_DEPRECATED', details: { version: 4 } });
  });

  it('has its runs go on, and a start whose key names one is answered as ever', async () => {
    const { house, verbs, order, start } = await openScene([1]);
    expect(await start('a', 1)).toEqual({ version: 1, created: true });
    await order('deprecate', 1);
    expect(await start('a', 1)).toEqual({ version: 1, created: false });
    await house.world.run(() => false, 2 * MINUTE_MS);
    expect((await house.settled(verbs.show('a'))).status).toBe('COMPLETED');
    await expect(start('b', 1)).rejects.toMatchObject({ code: 'PAWL_VERSION_DEPRECATED' });
  });

  it('is not started by its schedule, which says why and goes on once that is taken back', async () => {
    const { house, verbs, order } = await openScene([1], "schedule: { cron: '* * * * *', input: { id: s } }");
    await order('deprecate', 1);
    await house.world.run(() => false, 1.5 * MINUTE_MS);
    expect(house.store.peek().runs.size).toBe(0);
    const [refused] = await house.settled(verbs.schedules(1));
    expect(refused).toMatchObject({ lastFired: null, error: expect.stringContaining('deprecated by kai') });
    await order('restore', 1);
    await house.world.run(() => false, 4 * MINUTE_MS);
    expect(house.store.peek().runs.size).toBeGreaterThan(0);
  });

  it('is deprecated once, and taken back once', async () => {
    const { order } = await openScene([1]);
    await expect(order('restore', 1)).rejects.toMatchObject({ code: 'PAWL_VERSION_NOT_DEPRECATED' });
    await expect(order('deprecate', 2)).rejects.toMatchObject({ code: 'PAWL_VERSION_NOT_FOUND' });
    await order('deprecate', 1);
    await expect(order('deprecate', 1)).rejects.toMatchObject({ code: 'PAWL_VERSION_DEPRECATED' });
  });
});
