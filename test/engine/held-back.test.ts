import { describe, expect, it } from 'vitest';
import type { AttemptReport } from '../../src/model/outcome.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { openSmallHouse } from './support/small-house.ts';

const LOOKUP = [
  '    idempotency: none',
  '    reconcile:',
  "      http: { method: GET, url: 'http://shop.test/book' }",
  '      found: response.status == 200',
  '      absent: final',
  '      every: 1s',
  '      giveUp: 10m',
];
/** What providers promise. */
const KINDS = {
  lookup: LOOKUP,
  keyless: ['    idempotency: none'],
  'short key': ['    idempotency: { header: Idempotency-Key, remembers: 1m }'],
} as const;
type Kind = keyof typeof KINDS;

const action = (name: string, kind: Kind): readonly string[] => [
  `  ${name}:`,
  `    http: { method: POST, url: 'http://shop.test/${name}' }`,
  ...KINDS[kind],
  '    timeout: 1s',
  '    settlesWithin: 5s',
  '    compensate: none',
];

/** Waits for its event, then does one thing after the other. */
function workflow(kinds: readonly Kind[], transport: 'http' | 'worker' = 'http'): string {
  const lines = kinds.flatMap((kind, at) => action(`do.a${at}`, kind));
  return [
    'pawl: 1\nworkflow: paying\nversion: 1\ntimeout: 5d\nevents: { go: { schema: { type: object } } }\nactions:',
    ...lines.map((line) => (transport === 'worker' ? line.replace(/http: .*POST.*/, 'worker: desk') : line)),
    'steps:\n  - { id: go, await: go }',
    ...kinds.map((_, at) => `  - { id: a${at}, call: do.a${at} }`),
    '',
  ].join('\n');
}

const ACT = { by: 'ana', reason: 'compared with the book' };
const GO = { name: 'go', data: {}, source: 'shop', by: 'shop', waitMs: 0 };

/** A run that waited when the copy was made; its acts were done after that, or not; then the copy was put back. */
async function setBack(text: string, wasDone: boolean) {
  const house = openSmallHouse();
  const { store, world, process, begin, settled, until } = house;
  const book: string[] = [];
  const outside = {
    send: ({ effect }: { effect: { key: string } }): AttemptReport => {
      book.push(effect.key);
      return answered(200, { id: `x-${book.length}` });
    },
    query: ({ effect }: { effect: { key: string } }): AttemptReport =>
      book.includes(effect.key) ? answered(200, { id: 'seen' }) : answered(404, {}),
  };
  const before = process({ works: true, outside });
  const run = await begin(before.verbs, text);
  const status = (): string | undefined => [...store.peek().runs.values()].at(0)?.head.status;
  await until(() => status() === 'WAITING');
  const copy = store.peek();
  if (wasDone) {
    await settled(before.verbs.signal(run, { ...GO, eventId: 'go-1' }));
    await until(() => status() === 'COMPLETED');
  }
  before.kill();
  await world.run(() => false, world.nowMs() + 120_000);
  store.become({ systemIdentifier: 'put-back', timeline: 2 }, copy);
  const { verbs, logged } = process({ works: true, outside });
  await until(() => logged.some(({ event }) => event === 'recovery.opened'));
  await world.run(() => false, world.nowMs() + 10);
  const asks = { evidence: 'the statement', by: 'ana', roles: ['operator'] };
  return {
    ...house,
    ...{ verbs, run, book, status },
    go: () => settled(verbs.signal(run, { ...GO, eventId: 'go-2' })),
    end: () => settled(verbs.endRecovery(ACT)),
    pass: (ms: number) => world.run(() => false, world.nowMs() + ms),
    row: async (step: string) => (await settled(verbs.show(run))).effects.find((effect) => effect.step === step),
    why: async () => (await settled(verbs.why(run))).reasons[0],
    say: (effect: string, as: 'confirmed' | 'absent') =>
      settled(verbs.resolve(run, { ...asks, effect, as, output: as === 'confirmed' ? { id: 'seen' } : undefined })),
    isSound: async () => (await settled(verbs.verifyStore())).faults,
  };
}

describe('what a run from before the window was about to do', () => {
  it.each(Object.keys(KINDS).flatMap((kind) => [true, false].map((done) => [kind as Kind, done] as const)))(
    'P14 %s, done in lost commits %s: it happens once, and the run goes on',
    async (kind, wasDone) => {
      // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
      const scene = await setBack(workflow([kind]), wasDone);
      const { until, status, book, pass, end, go, say, row, why, isSound } = scene;
      await go();
      if (kind === 'lookup' && wasDone) await until(() => status() === 'COMPLETED');
      else await pass(30_000);
      expect(book.length).toBe(wasDone ? 1 : 0);
      if (kind !== 'lookup') {
        expect(await row('a0')).toMatchObject({ state: 'UNKNOWN', sent: 0 });
        expect((await why())?.command).toMatch(/^pawl resolve run_\w+ a0 --as confirmed\|absent/);
        await end();
        await pass(30_000);
        // The word of whoever ends recovery mode says nothing of this one.
        expect([status(), book.length]).toEqual(['HELD', wasDone ? 1 : 0]);
        expect(await say('a0', wasDone ? 'confirmed' : 'absent')).toMatchObject({ outcome: 'applied' });
      } else if (!wasDone) {
        // It was asked about, and did not happen; nothing is sent before an operator has been through the window.
        expect((await scene.settled(scene.verbs.recoveryWindow()))?.forgotten[0]?.effect).toMatchObject({
          heldBack: true,
          command: null,
        });
        await end();
      }
      await until(() => status() === 'COMPLETED');
      expect(book.length).toBe(1);
      expect(await isSound()).toEqual([]);
    },
  );

  it('P14 is asked about also where it comes only after recovery mode has ended', async () => {
    // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const { until, status, book, pass, end, go, say, row, isSound } = await setBack(
      workflow(['lookup', 'keyless']),
      true,
    );
    await end();
    await go();
    await until(() => status() === 'HELD');
    expect(await row('a0')).toMatchObject({ state: 'CONFIRMED', sent: 0 });
    expect(await row('a1')).toMatchObject({ state: 'UNKNOWN', sent: 0 });
    await pass(30_000);
    await say('a1', 'confirmed');
    await until(() => status() === 'COMPLETED');
    expect(book.length).toBe(2);
    expect(await isSound()).toEqual([]);
  });

  it('P14 of a run that began since nothing is doubted: it is held back, and sent when recovery mode ends', async () => {
    // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const { until, book, pass, end, begin, verbs, store } = await setBack(workflow(['keyless']), true);
    const key = await begin(
      verbs,
      workflow(['keyless']).replace('version: 1', 'version: 2').replace('await: go', 'wait: 1s'),
    );
    const row = () =>
      [
        ...(store
          .peek()
          .runs.get(key as never)
          ?.effects.values() ?? []),
      ].at(0);
    await until(() => row()?.code === 'recovery');
    await pass(60_000);
    expect([row()?.state, book.length]).toEqual(['AUTHORIZED', 1]);
    await end();
    await until(() => row()?.state === 'CONFIRMED');
    expect(book.length).toBe(2);
  });

  it.each([true, false])(
    'P14 is handed to no remote worker before it is known not to have happened (%s)',
    async (wasDone) => {
      // P14: "nothing but effects with a remembered key is sent until an operator has reconciled the window."
      const { until, status, settled, verbs, pass, end, go, say, row, book } = await setBack(
        workflow(['keyless'], 'worker'),
        false,
      );
      const pull = () =>
        settled(verbs.pullAttempts({ queue: 'desk', limit: 5, leaseMs: 5_000, waitMs: 0, by: 'desk-1' }));
      await go();
      await until(() => status() === 'RUNNING' || status() === 'WAITING');
      await pass(1_000);
      expect(await pull()).toEqual([]);
      await until(() => status() === 'HELD');
      expect(await row('a0')).toMatchObject({ state: 'UNKNOWN', code: 'forgotten' });
      await end();
      expect(await pull()).toEqual([]);
      await pass(30_000);
      await say('a0', wasDone ? 'confirmed' : 'absent');
      if (!wasDone) {
        const [taken] = await pull();
        expect(taken).toMatchObject({ action: 'do.a0' });
        const told = { outcome: 'confirmed', code: null, output: { id: 'x' }, afterMs: null } as const;
        await settled(verbs.settleHandOut({ ...told, handOut: taken?.handOut ?? '', by: 'desk-1' }));
      }
      await until(() => status() === 'COMPLETED');
      expect(book).toEqual([]);
    },
  );
});
