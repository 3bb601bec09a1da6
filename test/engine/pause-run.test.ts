import { describe, expect, it } from 'vitest';
import type { AttemptReport } from '../../src/model/outcome.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { openSmallHouse, type SmallHouse, type SmallProcess } from './support/small-house.ts';
import { sagaOf } from './support/workflows.ts';

const SAGA = sagaOf('http://shop.test', ['reserve', 'charge']);
/** An act that is answered late, beside a wait for an event. */
const BESIDE = [
  'pawl: 1',
  'workflow: beside',
  'version: 1',
  'timeout: 1d',
  'events: { paid: {} }',
  'actions:',
  "  shop.pack: { http: { method: POST, url: 'http://shop.test/pack' }, idempotency: { header: Idempotency-Key, remembers: 24h }, compensate: none, timeout: 10m }",
  'steps:',
  '  - id: both',
  '    parallel:',
  '      act: [{ id: pack, call: shop.pack, with: {} }]',
  '      hear: [{ id: heard, await: paid, timeout: 1h }]',
  '',
].join('\n');

/** A worker whose provider answers when it is told to. */
function held(house: SmallHouse): SmallProcess & { readonly sent: string[]; answer(): void } {
  const sent: string[] = [];
  let answer: () => void = () => undefined;
  const process = house.process({
    works: true,
    outside: {
      send: ({ effect }): Promise<AttemptReport> => {
        sent.push(effect.step);
        return new Promise((resolve) => {
          answer = () => resolve(answered(200, { id: `x-${effect.step}` }));
        });
      },
    },
  });
  return Object.assign(process, { sent, answer: () => answer() });
}

const statusOf = ({ store }: SmallHouse): readonly string[] =>
  [...store.peek().runs.values()].map(({ head }) => head.status);
const PAUSE = { by: 'ana', reason: 'the provider is odd' };
const RESUME = { by: 'ana', reason: null };

/** Lets so much time of the world pass. */
async function pass({ world, settled }: SmallHouse, ms: number): Promise<void> {
  await settled(
    new Promise<void>((resolve) => {
      world.after(ms, null, resolve);
    }),
  );
}

describe('a run that is paused in the hands of a worker', () => {
  it('has the answer that comes then written down, is let go of and left alone, and goes on at once when it is resumed', async () => {
    const house = openSmallHouse();
    const { settled, until } = house;
    const worker = held(house);
    const run = await house.begin(worker.verbs, SAGA);
    await until(() => worker.sent.length === 1);
    expect(await settled(worker.verbs.pause(run, PAUSE))).toMatchObject({ outcome: 'applied' });
    worker.answer();
    await until(() => [...house.store.peek().runs.values()].every(({ lease }) => lease === null));
    const shown = await settled(worker.verbs.show(run));
    expect(shown).toMatchObject({ status: 'WAITING', paused: { by: 'ana', reason: PAUSE.reason } });
    expect(shown.effects.map(({ step, state }) => [step, state])).toEqual([['reserve', 'CONFIRMED']]);
    const claims = worker.watched.calls.filter(({ verb }) => verb === 'claim').length;
    await pass(house, 60_000);
    expect(worker.watched.calls.filter(({ verb }) => verb === 'claim').length - claims).toBe(0);
    expect(worker.sent).toEqual(['reserve']);
    expect((await settled(worker.verbs.verifyStore())).faults).toEqual([]);
    expect((await settled(worker.verbs.why(run))).reasons[0]).toMatchObject({
      kind: 'paused',
      text: 'paused by ana: the provider is odd',
      command: expect.stringContaining('pawl resume run_'),
    });
    const ofAny = { workflow: null, statuses: null, q: null, limit: 10 };
    expect(await settled(worker.verbs.needs(ofAny))).toMatchObject([
      { kind: 'paused', message: 'ana has paused it: the provider is odd', acts: ['resume'] },
    ]);
    await settled(worker.verbs.resume(run, RESUME));
    expect(await settled(worker.verbs.needs(ofAny))).toEqual([]);
    const resumedAtMs = house.world.nowMs();
    await until(() => worker.sent.length === 2);
    expect(house.world.nowMs() - resumedAtMs).toBeLessThan(1_000);
    worker.answer();
    await until(() => statusOf(house).every((status) => status === 'COMPLETED'));
  });

  it('takes what has come in meanwhile when it is resumed, also while what had left is not answered', async () => {
    const house = openSmallHouse();
    const { settled, until } = house;
    const worker = held(house);
    const run = await house.begin(worker.verbs, BESIDE);
    await until(() => worker.sent.length === 1);
    await settled(worker.verbs.pause(run, PAUSE));
    const ask = { name: 'paid', data: {}, source: 'shop', eventId: 'e1', by: 'shop', waitMs: 0 };
    await settled(worker.verbs.signal(run, ask));
    await pass(house, 5_000);
    const inbox = await settled(house.store.inbox(0, [...house.store.peek().runs.keys()][0] ?? ('' as never)));
    expect(inbox.filter(({ eventId }) => eventId === 'e1')).toMatchObject([{ outcome: null }]);
    await settled(worker.verbs.resume(run, RESUME));
    await pass(house, 2_000);
    expect((await settled(worker.verbs.show(run))).steps.find(({ id }) => id === 'heard')).toMatchObject({
      status: 'completed',
    });
    worker.answer();
    await until(() => statusOf(house).every((status) => status === 'COMPLETED'));
    expect(worker.sent).toEqual(['pack']);
  });
});
