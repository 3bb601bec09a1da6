import assert from 'node:assert/strict';
import { sha256 } from '../../model/hash.ts';
import type { Digest } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { RunFilter, StoredVersion } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import {
  commitOf,
  effectOf,
  headAt,
  identityOf,
  inserting,
  loadOne,
  newRunId,
  receiptOf,
  seated,
  signalTo,
  startFree,
  startOf,
  startOneHeld,
  stepOf,
  transitionAt,
} from './rows.ts';

const HOSTILE: Json = JSON.parse(
  '{"__proto__": {"polluted": true}, "constructor": 1, "empty": "", "quote": "\\"\\\\{},NULL\\n\\t\\u0001\\u007f", "emoji": "\\ud83d\\ude00é\\u2028", "big": 9007199254740991, "tiny": -0.1e-7, "deep": [[[[null]]]], "z": 1, "a": 2}',
) as Json;

function versionOf(version: number, digest: string): StoredVersion {
  return {
    tenant: 'default',
    workflow: 'shop',
    version,
    digest: sha256(digest) as Digest,
    digests: { graph: digest, data: 'd' },
    source: `pawl: 1 # ${digest}\n`,
    machine: `{"format":"machine/1","n":"${digest}"}`,
    publishedBy: 'user:anna',
    publishedAtMs: 0,
  };
}

function traceConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P04 what became of a commit whose answer was lost is read back: mine, unchanged, or no longer mine', async ({
    store,
    advance,
  }) => {
    const worker = await seated(store, 1_000);
    const runId = await startOneHeld(store, worker);
    const ask = [{ runId, revision: 2 }];
    assert.deepEqual(await store.trace(0, ask), [{ revision: 1, fence: 1, journal: null }]);
    const commit = stepOf(runId, 1, 1);
    await store.commit(0, worker, [commit]);
    const mine = { revision: 2, fence: 1, workerId: worker, stateHash: transitionAt(2).stateHash };
    assert.deepEqual(await store.trace(0, ask), [{ revision: 2, fence: 1, journal: mine }]);
    assert.deepEqual(
      await store.commit(0, worker, [commit]),
      [{ kind: 'stale', revision: 2 }],
      'the same bytes again change nothing',
    );
    await advance(1_001);
    await store.sweep(0, 10);
    assert.deepEqual(await store.trace(0, [...ask, { runId: newRunId(), revision: 1 }]), [
      { revision: 2, fence: 2, journal: mine },
      null,
    ]);
  });
}

function valueConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P11 what JSON can carry comes back as it went in, and what the store cannot hold is refused with nothing written', async ({
    store,
  }) => {
    const worker = await seated(store);
    const run = identityOf(newRunId(), store.parts, { input: HOSTILE, key: 'quote"\\ {},\u2028' });
    await store.start(0, [startOf(run, { kind: 'keep', workerId: worker })]);
    const { runId } = run;
    const snapshot = JSON.stringify({ big: 'x'.repeat(5_000), hostile: HOSTILE });
    const effect = effectOf('hostile', { output: HOSTILE, lastError: '"\\\n' });
    const commit = stepOf(runId, 1, 1, {
      head: headAt(2, { snapshot, output: null, failure: HOSTILE, needs: ['approval:"x"'] }),
      transitions: [
        transitionAt(2, {
          event: { type: 't', id: 'i', step: null, detail: HOSTILE },
          delta: HOSTILE,
          commands: [HOSTILE],
        }),
      ],
      effects: [inserting(effect)],
    });
    assert.equal((await store.commit(0, worker, [commit]))[0]?.kind, 'applied');
    const stored = await loadOne(store, runId);
    assert.deepEqual([stored.run, stored.snapshot, stored.output, stored.failure], [run, snapshot, null, HOSTILE]);
    assert.deepEqual(
      stored.effects.find(({ key }) => key === effect.key),
      effect,
    );
    const [last] = (await store.journal(0, runId)).slice(-1);
    assert.deepEqual([last?.event.detail, last?.delta, last?.commands], [HOSTILE, HOSTILE, [HOSTILE]]);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);

    for (const bad of ['a\u0000b', 'a\ud800b']) {
      const step = stepOf(runId, 1, 2, {
        transitions: [transitionAt(3, { event: { type: bad, id: 'i', step: null, detail: null } })],
      });
      assert.equal((await store.commit(0, worker, [step]))[0]?.kind, 'failed');
    }
    await assert.rejects(store.deliver(0, [signalTo(runId, 'a\u0000b')]), { code: 'PAWL_VALUE_NOT_STORABLE' });
    assert.deepEqual([(await loadOne(store, runId)).revision, await store.inbox(0, runId)], [2, []]);
  });

  test('P15 bytes that a hash covers come back byte for byte: requests, results, payloads, subjects', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const request = '{"z":1,"a":"\u2028","n":1.0,"n":2,  "spaces" : true}';
    const effect = effectOf('bytes', { request, requestHash: sha256(request) });
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const receipt = receiptOf(1, effect, { resultBase64: bytes.toString('base64') });
    await store.commit(0, worker, [stepOf(runId, 1, 1, { effects: [inserting(effect)], receipts: [receipt] })]);
    const stored = (await loadOne(store, runId)).effects.find(({ key }) => key === effect.key);
    assert.deepEqual([stored?.request, sha256(stored?.request ?? '')], [request, stored?.requestHash]);
    assert.deepEqual(await store.receipts(0, runId), [receipt]);
  });
}

function orderConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('P15 what a hash covers comes back in canonical order, all else in the order in which it was given', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const value = { z: 1, a: -0 };
    const effect = effectOf('order', { output: value });
    await store.commit(0, worker, [
      stepOf(runId, 1, 1, { effects: [inserting(effect)], receipts: [receiptOf(1, effect, { evidence: value })] }),
    ]);
    const stored = (await loadOne(store, runId)).effects.find(({ key }) => key === effect.key);
    const [receipt] = await store.receipts(0, runId);
    assert.deepEqual(
      [stored?.output, receipt?.evidence].map((read) => JSON.stringify(read)),
      ['{"z":1,"a":0}', '{"a":0,"z":1}'],
    );
  });
}

function versionConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('A version is immutable: the same content again is a no-op, other content is refused with what differs', async ({
    store,
  }) => {
    const first = await store.publish(versionOf(1, 'one'));
    assert.equal(first.created, true);
    assert.deepEqual(await store.publish(versionOf(1, 'one')), { created: false, version: first.version });
    await assert.rejects(
      store.publish(versionOf(1, 'two')),
      (error: { code?: string; details?: { differs?: Json } }) => {
        assert.deepEqual([error.code, error.details?.differs], ['PAWL_VERSION_CONFLICT', ['graph']]);
        return true;
      },
    );
    const second = await store.publish(versionOf(2, 'two'));
    assert.deepEqual(await store.findVersion('default', 'shop', null), second.version);
    assert.deepEqual(await store.findVersion('default', 'shop', 1), first.version);
    assert.deepEqual(await store.loadVersion(first.version.digest), first.version);
    assert.deepEqual(
      [await store.findVersion('default', 'other', null), await store.findVersion('else', 'shop', 1)],
      [null, null],
    );
    assert.deepEqual(await store.listVersions('default'), [first.version, second.version]);
  });

  test('A deprecation is kept once, with who was first, until it is taken back; it is one of the version, in its tenant', async (opened) => {
    const { store, advance } = opened;
    for (const number of [1, 2]) await store.publish(versionOf(number, `v${number}`));
    const of = { tenant: 'default', workflow: 'shop', version: 1 };
    const beforeMs = await store.nowMs();
    assert.equal(await store.deprecate({ ...of, version: 3 }, { by: 'ana', reason: 'none' }), false);
    assert.equal(await store.deprecate({ ...of, tenant: 'else' }, { by: 'eve', reason: 'mine' }), false);
    assert.equal(await store.deprecate(of, { by: 'ana', reason: 'refunds twice' }), true);
    await advance(1_000);
    assert.equal(await store.deprecate(of, { by: 'kai', reason: 'again' }), false);
    const found = await (await opened.again()).deprecations('default', 'shop');
    assert.ok((found[0]?.atMs ?? 0) >= beforeMs);
    assert.deepEqual(found, [{ ...of, by: 'ana', reason: 'refunds twice', atMs: found[0]?.atMs }]);
    assert.deepEqual(await store.deprecations('default', null), found);
    assert.deepEqual([await store.deprecations('default', 'other'), await store.deprecations('else', null)], [[], []]);
    for (const other of [
      { ...of, version: 2 },
      { ...of, tenant: 'else' },
    ])
      assert.equal(await store.restore(other, { by: 'ana', reason: null }), false);
    assert.equal(await store.restore(of, { by: 'ana', reason: null }), true);
    assert.equal(await store.restore(of, { by: 'ana', reason: null }), false);
    assert.deepEqual(await store.deprecations('default', null), []);
  });
}

function pageConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('A list of runs goes on behind a run, also among those of one instant, and is cut by workflow and version', async ({
    store,
  }) => {
    const worker = await seated(store);
    const runs = [0, 0, 0, 1].map((ms, index) =>
      identityOf(newRunId(), store.parts, { key: `r-${index}`, startedAtMs: 1_700_000_000_000 + ms }),
    );
    await store.start(
      0,
      runs.map((run) => startOf(run, { kind: 'keep', workerId: worker })),
    );
    const list = async (more: Partial<RunFilter>): Promise<readonly string[]> => {
      const all = { tenant: 'default', workflow: null, statuses: null, needsHuman: false, q: null, limit: 10 };
      return (await store.listRuns({ ...all, ...more })).map(({ run }) => run.runId);
    };
    const all = await list({});
    assert.equal(all.length, runs.length);
    for (const [index, runId] of all.entries()) {
      const run = runs.find((one) => one.runId === runId);
      assert.ok(run);
      const after = { startedAtMs: run.startedAtMs, runId: run.runId };
      assert.deepEqual(await list({ after }), all.slice(index + 1));
      assert.deepEqual(await list({ after, limit: 1 }), all.slice(index + 1, index + 2));
    }
    const [first] = runs;
    assert.ok(first);
    const { workflow, version } = first;
    assert.deepEqual(await list({ workflows: [workflow, 'other'], version }), all);
    assert.deepEqual([await list({ workflows: ['other'] }), await list({ workflows: [] })], [[], []]);
    assert.deepEqual(await list({ version: version + 1 }), []);
  });
}

function listConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('Runs are found by id and by key, and listed newest first by what is asked for', async ({ store }) => {
    const worker = await seated(store);
    const runs = ['first', 'second', 'third'].map((key, index) =>
      identityOf(newRunId(), store.parts, { key, startedAtMs: 1_700_000_000_000 + index }),
    );
    await store.start(
      0,
      runs.map((run) => startOf(run, { kind: 'keep', workerId: worker })),
    );
    const [first, second, third] = runs;
    assert.ok(first && second && third);
    await store.commit(0, worker, [
      stepOf(second.runId, 1, 1, { head: headAt(2, { status: 'HELD', needs: ['incident:unknown'] }) }),
    ]);
    const all = { tenant: 'default', workflow: null, statuses: null, needsHuman: false, q: null, limit: 10 };
    const keys = async (filter: Partial<typeof all> | object): Promise<string[]> =>
      (await store.listRuns({ ...all, ...filter })).map(({ run }) => run.key);
    assert.deepEqual(await keys({}), ['third', 'second', 'first']);
    assert.deepEqual(await keys({ limit: 1 }), ['third']);
    assert.deepEqual(await keys({ needsHuman: true }), ['second']);
    assert.deepEqual(await keys({ statuses: ['RUNNING'] }), ['third', 'first']);
    assert.deepEqual(await keys({ q: 'first' }), ['first']);
    assert.deepEqual(await keys({ q: third.runId }), ['third']);
    assert.deepEqual([await keys({ workflow: 'other' }), await keys({ tenant: 'other' })], [[], []]);
    assert.deepEqual(await store.findRun('default', first.runId), [first]);
    assert.deepEqual(await store.findRun('default', 'second'), [second]);
    assert.deepEqual([await store.findRun('other', first.runId), await store.findRun('default', 'nobody')], [[], []]);
    const [line] = await store.listRuns({ ...all, needsHuman: true });
    assert.deepEqual(
      [line?.status, line?.revision, line?.needs, line?.endedAtMs],
      ['HELD', 2, ['incident:unknown'], null],
    );
  });

  test('Workers and holders are shown as they are', async ({ store }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const [free] = await startFree(store, 1);
    assert.ok(free);
    const [seat] = await store.workers();
    assert.deepEqual([seat?.part, seat?.workerId, seat?.held], [0, worker, 1]);
    assert.deepEqual(await store.holder(0, runId), { workerId: worker, leaseUntilMs: seat?.leaseUntilMs });
    assert.equal(await store.holder(0, free), null);
    await store.leaveSeat(0, worker);
    assert.deepEqual(
      [await store.workers(), await store.holder(0, runId)],
      [[], { workerId: worker, leaseUntilMs: null }],
    );
  });

  test('A commit of nothing is applied and tells the time', async ({ store }) => {
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const nowMs = await store.nowMs();
    const [answer] = await store.commit(0, worker, [commitOf(runId, 1, 1)]);
    assert.ok(answer?.kind === 'applied' && answer.revision === 1 && answer.atMs >= nowMs);
    assert.deepEqual(
      [await store.commit(0, worker, []), await store.deliver(0, []), await store.start(0, [])],
      [[], [], []],
    );
  });
}

function readingConformance(harness: ConformanceHarness): void {
  versionConformance(harness);
  listConformance(harness);
  pageConformance(harness);
}

/** P04, P11, P15, versions and lists: what is stored is what is read. */
export function recordConformance(harness: ConformanceHarness): void {
  traceConformance(harness);
  valueConformance(harness);
  orderConformance(harness);
  readingConformance(harness);
}
