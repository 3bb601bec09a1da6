import { describe, expect, it } from 'vitest';
import { judgeRetention } from '../../src/engine/prune-runs.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { verifyStore } from '../../src/engine/verify-store.ts';
import type { RunId } from '../../src/model/ids.ts';
import { PRUNED_REQUEST } from '../../src/model/retention.ts';
import type { Publisher } from '../../src/ports/publisher.ts';
import type { Store } from '../../src/ports/store.ts';
import type { RunRows } from '../../src/store/memory/tables.ts';
import { NEVER, openSmallHouse, type SmallHouse } from './support/small-house.ts';

const ACTIONS = `
actions:
  do.a: { http: { method: POST, url: 'http://p/a' }, idempotency: natural, compensate: { call: undo.a } }
  undo.a: { http: { method: POST, url: 'http://p/undo-a' }, idempotency: natural, compensate: none }
`;

/** A keyed workflow that keeps its state for so long; `lines` stand before its steps. */
function file(retention: string, steps: readonly string[], lines: readonly string[] = []): string {
  return [
    'pawl: 1',
    'workflow: brief',
    'version: 1',
    'key: input.id',
    'timeout: 9d',
    `retention: ${retention}`,
    'input: { type: object, required: [id], properties: { id: { type: string }, note: { type: string, default: none } } }',
    'events: { letter: { schema: { type: object } } }',
    ...lines,
    ACTIONS,
    'steps:',
    ...steps.map((step) => `  - ${step}`),
    '',
  ].join('\n');
}

const A = '{ id: a, call: do.a, with: { id: =input.id } }';
const INPUT = { id: 'o-1' };
const OPS = { by: 'ops', reason: 'room' };

function rowsOf(house: SmallHouse, run: string): RunRows {
  const rows = house.store.peek().runs.get(run as RunId);
  if (rows === undefined) throw new Error(`there is no run ${run}`);
  return rows;
}

const isOver = (house: SmallHouse, run: string): boolean => {
  const { head, lease, wakeUp } = rowsOf(house, run);
  return head.endedAtMs !== null && lease === null && wakeUp === null;
};
const isPruned = (house: SmallHouse, run: string): boolean => rowsOf(house, run).head.prunedAtMs !== null;

/** A run that is over, with whoever can be asked about it. */
async function ended(text: string) {
  const house = openSmallHouse();
  const { verbs, logged } = house.process({ works: true });
  const run = await house.begin(verbs, text, INPUT);
  await house.until(() => isOver(house, run));
  return { house, verbs, run, logged };
}

describe('retention', () => {
  it('P10 what a run was is gone after its time, what it did to the world stays', async () => {
    // P10: "Retention never touches an unfinished run, an ancestor's child that can still be undone, a receipt, an observation, a start key, a key tombstone or the audit."
    const { house, verbs, run, logged } = await ended(file('1h', [A], ['output: { got: =steps.a.output.id }']));
    const before = rowsOf(house, run);
    expect(await house.settled(verbs.prune(null))).toEqual({
      dryRun: true,
      pruned: 0,
      kept: { retention: 1 },
      runs: [],
    });
    await house.world.run(() => false, house.world.nowMs() + 3_599_000);
    expect(isPruned(house, run)).toBe(false);
    await house.until(() => isPruned(house, run));
    const after = rowsOf(house, run);
    expect(after.receipts).toEqual(before.receipts);
    expect(after.receipts.size).toBe(1);
    expect(after.observations).toEqual(before.observations);
    expect(after.audit).toEqual(before.audit);
    expect(
      [...after.effects.values()].map(({ key, requestHash, state, ingredients }) => [
        key,
        requestHash,
        state,
        ingredients,
      ]),
    ).toEqual(
      [...before.effects.values()].map(({ key, requestHash, state, ingredients }) => [
        key,
        requestHash,
        state,
        ingredients,
      ]),
    );
    expect([...after.effects.values()].map(({ request, output }) => [request, output])).toEqual([
      [PRUNED_REQUEST, undefined],
    ]);
    expect([after.run.input, after.head.snapshot, after.head.output, after.journal.size]).toEqual([
      null,
      '',
      undefined,
      0,
    ]);
    expect(after.head.status).toBe('COMPLETED');
    expect(logged.filter(({ event }) => event === 'run.pruned').length).toBe(1);
    expect((await verifyStore(house.store)).faults).toEqual([]);
    const view = await house.settled(verbs.show(run));
    expect(view).toMatchObject({ status: 'COMPLETED', phase: 'ended', input: null, output: null, waitingFor: [] });
    expect(view.prunedAt).toBe(new Date(after.head.prunedAtMs ?? 0).toISOString());
    expect(view.effects).toMatchObject([
      { step: 'a', state: 'CONFIRMED', request: null, receiptNo: 1, observedBy: 'response' },
    ]);
    expect((await house.settled(verbs.why(run))).reasons[0]?.text).toMatch(
      /^it has ended: COMPLETED; its state was pruned at/,
    );
    expect((await house.settled(verbs.verify(run))).faults).toEqual([]);
  });

  it('P10 the start key of a pruned run still names it: the same start never starts again, another one is a conflict', async () => {
    // P10: "Retention never touches … a start key"
    const { house, verbs, run } = await ended(file('1s', [A]));
    await house.until(() => isPruned(house, run));
    const ask = { workflow: 'brief', version: null, by: 'starter' };
    const again = await house.settled(verbs.start({ ...ask, input: INPUT }));
    expect([again.created, again.run.runId]).toEqual([false, run]);
    // A newer version fills in another default: what was sent is read as the run's own version would.
    const newer = file('1s', [A]).replace('version: 1', 'version: 2').replace('default: none', 'default: other');
    await house.settled(verbs.publish({ text: newer, file: 'test.pawl.yaml', by: 'author' }));
    const later = await house.settled(verbs.start({ ...ask, input: INPUT }));
    expect([later.created, later.run.runId]).toEqual([false, run]);
    const other = verbs.start({ ...ask, input: { ...INPUT, note: 'else' } });
    await expect(house.settled(other)).rejects.toMatchObject({ code: 'PAWL_RUN_KEY_CONFLICT' });
    expect(house.store.peek().runs.size).toBe(1);
  });

  it('P10 what comes late is filed and answered, and moves nothing; an undo is refused by name', async () => {
    // P10: what is pruned cannot be undone; V04: "An event for a run that ended is consumed as `ended`, answered 2xx."
    const { house, verbs, run, logged } = await ended(file('1s', [A]));
    await house.until(() => isPruned(house, run));
    const { revision } = rowsOf(house, run).head;
    const letter = { name: 'letter', data: { n: 1 }, source: 'webhook', eventId: 'l-1', by: 'psp', waitMs: 2_000 };
    expect(await house.settled(verbs.signal(run, letter))).toMatchObject({ outcome: 'ended', code: 'pruned' });
    expect(await house.settled(verbs.signal(run, letter))).toMatchObject({ outcome: 'ended', again: true });
    await expect(house.settled(verbs.previewCompensation(run))).rejects.toMatchObject({ code: 'PAWL_RUN_PRUNED' });
    const order = await house.settled(verbs.compensate(run, OPS, null));
    expect(order).toMatchObject({ outcome: 'refused', code: 'pruned' });
    const [effectKey = ''] = rowsOf(house, run).effects.keys();
    const payload = {
      type: 'proof',
      effectKey,
      turn: 'attempt:1:fence:1',
      observedBy: 'response',
      message: 'it happened',
      output: null,
      externalId: 'x-2',
      resultBase64: '',
    } as const;
    const proof = { part: 0, runId: run as RunId, source: 'late-answer', eventId: 'p-1', payload, payloadHash: 'h' };
    await house.settled(house.store.deliver(0, [proof]));
    await house.until(() => rowsOf(house, run).observations.size === 1);
    expect([...rowsOf(house, run).observations.values()]).toMatchObject([
      {
        effectKey,
        source: 'late-answer',
        sourceId: 'attempt:1:fence:1',
        detail: { kind: 'confirmed', externalId: 'x-2' },
      },
    ]);
    expect(logged.some(({ event }) => event === 'run.late')).toBe(true);
    expect(rowsOf(house, run).head).toMatchObject({ revision, status: 'COMPLETED' });
    const { inbox } = await house.settled(verbs.history(run));
    const answers = inbox.map(({ payload: told, outcome }) => `${told?.type ?? 'pruned'} ${outcome ?? ''}`);
    expect(answers.sort()).toEqual(['compensate refused', 'proof ended', 'signal ended']);
    expect((await verifyStore(house.store)).faults).toEqual([]);
  });

  it('P10 a person who prunes is kept with the acts of each run; a worker is nobody', async () => {
    // P10: "Retention never touches … the audit."
    const { house, verbs, run } = await ended(file('0s', [A]));
    if (!isPruned(house, run))
      expect(await house.settled(verbs.prune(OPS))).toMatchObject({
        dryRun: false,
        pruned: 1,
        runs: [{ keptFor: null }],
      });
    expect(rowsOf(house, run).audit).toMatchObject([{ actor: 'ops', act: 'prune', target: run, reason: 'room' }]);
    expect(await house.settled(verbs.prune(OPS))).toEqual({ dryRun: false, pruned: 0, kept: {}, runs: [] });
  });

  it('P10 a child is kept as long as its parent can be undone, and goes after it', async () => {
    // P10: "an ancestor's child that can still be undone"
    const house = openSmallHouse();
    const { verbs } = house.process({ works: true });
    const head = ['pawl: 1', 'version: 1', 'timeout: 9d'];
    const part = [...head, 'workflow: part', 'retention: 0s', ACTIONS, 'steps:', '  - { id: a, call: do.a }', ''];
    const whole = [...head, 'workflow: whole', 'retention: 2m', 'steps:', '  - { id: part, child: part@1 }', ''];
    await house.settled(verbs.publish({ text: part.join('\n'), file: 'test.pawl.yaml', by: 'author' }));
    const parent = await house.begin(verbs, whole.join('\n'));
    const childOf = (): string | undefined =>
      [...house.store.peek().runs.values()].find(({ run }) => run.workflow === 'part')?.run.runId;
    await house.until(() => isOver(house, parent));
    const child = childOf() ?? '';
    await house.world.run(() => false, house.world.nowMs() + 60_000);
    expect(isPruned(house, child)).toBe(false);
    const plan = await house.settled(verbs.prune(null));
    expect(plan).toMatchObject({ kept: { parent: 1, retention: 1 }, runs: [{ keptFor: 'parent' }] });
    await house.until(() => isPruned(house, parent));
    await house.until(() => isPruned(house, child));
    expect(rowsOf(house, child).head.prunedAtMs).toBeGreaterThan(rowsOf(house, parent).head.prunedAtMs ?? 0);
    expect((await verifyStore(house.store)).faults).toEqual([]);
  });

  it('P10 a run that goes on is kept, however short its retention', async () => {
    // P10: "Retention never touches an unfinished run"
    const house = openSmallHouse();
    const { verbs } = house.process({ works: true });
    const run = await house.begin(verbs, file('0s', [A, '{ id: rest, wait: 1h }']), INPUT);
    await house.world.run(() => false, house.world.nowMs() + 60_000);
    expect(await house.settled(verbs.prune(OPS))).toMatchObject({ pruned: 0, kept: { unfinished: 1 } });
    expect(isPruned(house, run)).toBe(false);
  });

  it('V19 a message that has not arrived keeps its run, and nothing does once it has', async () => {
    // V19: "retention never deletes a row reachable from a non-terminal run, an open key window, or an unsent outbox row."
    let isThere = false;
    const publisher: Publisher = { send: async () => (isThere ? null : 'nobody listens') };
    const house = openSmallHouse();
    const { verbs } = house.process({ works: true, publisher });
    const run = await house.begin(verbs, file('0s', ['{ id: tell, publish: told.it }']), INPUT);
    await house.until(() => isOver(house, run));
    await house.world.run(() => false, house.world.nowMs() + 30_000);
    expect(await house.settled(verbs.prune(OPS))).toMatchObject({
      pruned: 0,
      kept: { message: 1 },
      runs: [{ keptFor: 'message' }],
    });
    isThere = true;
    await house.until(() => isPruned(house, run));
    expect(rowsOf(house, run).outbox.size).toBe(0);
  });

  it('V19 an effect of which nobody knows what became keeps its run, also one that was terminated', async () => {
    // V19: "retention never deletes a row reachable from … an open key window"
    const house = openSmallHouse();
    const { verbs } = house.process({ works: true, outside: { send: () => NEVER } });
    const run = await house.begin(verbs, file('0s', [A]), INPUT);
    await house.until(() => [...rowsOf(house, run).effects.values()].some(({ state }) => state === 'REQUESTED'));
    await house.settled(verbs.terminate(run, OPS));
    await house.until(() => rowsOf(house, run).head.status === 'TERMINATED');
    await house.world.run(() => false, house.world.nowMs() + 60_000);
    const { pruned, kept } = await house.settled(verbs.prune(OPS));
    expect([pruned, isPruned(house, run)]).toEqual([0, false]);
    expect(Object.keys(kept)).not.toContain('retention');
  });

  it('P14 a database that may have forgotten something keeps everything until an operator has looked', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode"
    const { house, verbs, run } = await ended(file('2m', [A]));
    house.store.become({ systemIdentifier: 'other', timeline: 2 });
    await house.world.run(() => false, house.world.nowMs() + 180_000);
    expect(isPruned(house, run)).toBe(false);
    await house.settled(verbs.endRecovery(OPS));
    await house.until(() => isPruned(house, run));
  });

  it('P10 a run whose version cannot be read here is kept', async () => {
    // P10: what nobody can judge is not taken.
    const { house } = await ended(file('1h', [A]));
    const versions = { byDigest: async () => null } as unknown as Engine['versions'];
    const engine = { store: house.store as Store, versions } as Engine;
    expect((await judgeRetention(engine, 0, null)).runs).toMatchObject([{ keptFor: 'unreadable' }]);
  });
});
