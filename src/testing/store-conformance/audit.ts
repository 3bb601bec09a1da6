import assert from 'node:assert/strict';
import { linkFaults } from '../../model/audit-chain.ts';
import { sha256 } from '../../model/hash.ts';
import type { Digest, RunId } from '../../model/ids.ts';
import { lockAddress } from '../../model/lock.ts';
import type { AuditEntry } from '../../model/run-commit.ts';
import { scheduleAddress } from '../../model/schedule.ts';
import type { ActFilter, ChainedAct, ChainPlace } from '../../ports/audit-store.ts';
import type { Store, StoredVersion } from '../../ports/store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { identityOf, newRunId, seated, startOf } from './rows.ts';

const VERSION: StoredVersion = {
  tenant: 'default',
  workflow: 'shop',
  version: 1,
  digest: sha256('shop@1') as Digest,
  digests: {},
  source: '',
  machine: '{}',
  publishedBy: 'anna',
  publishedAtMs: 0,
};
const KEY = {
  keyId: '0000000a',
  tenant: 'default',
  principal: 'ana',
  roles: ['viewer'],
  scopes: [{ right: 'run:start', workflows: 'shop' }],
  secretHash: sha256('secret'),
  createdBy: 'root',
  expiresAtMs: null,
} as const;
const OPS = { by: 'ops', reason: 'month end' } as const;
const COMPARED = { tenant: 'default', by: 'ana', reason: 'compared' } as const;

/** Does each act that is about no run once, and once more where that changes nothing. */
async function actOnHouse(store: Store): Promise<void> {
  const dueAtMs = (await store.nowMs()) + 60_000;
  const schedule = { ...scheduleAddress('default', 'shop', store.parts), version: 1 };
  const lock = lockAddress('default', 'gate', store.parts);
  for (const _ of ['once', 'again']) {
    await store.publish(VERSION, { part: schedule.part, dueAtMs, timesOf: null });
    await store.createKey(KEY);
    await store.beginRecovery(1_000, { tenant: 'default', by: 'ana', reason: null });
  }
  await store.orderSchedule(schedule, { act: 'pause', ...OPS });
  await store.orderSchedule(schedule, { act: 'resume', ...OPS, dueAtMs });
  const version = { tenant: 'default', workflow: 'shop', version: 1 };
  for (const _ of ['once', 'again']) await store.deprecate(version, OPS);
  for (const _ of ['once', 'again']) await store.restore(version, { by: 'ops', reason: null });
  const pause = { tenant: 'default', pauseId: '01890000-0000-7000-8000-0000000000aa' };
  for (const _ of ['once', 'again']) await store.beginPause({ ...pause, kind: 'host', name: 'bank.test', ...OPS });
  for (const _ of ['once', 'again']) await store.endPause(pause, { by: 'ops', reason: null });
  await store.limitLock(lock, { ...OPS, limit: 3 });
  await store.limitLock(lock, { ...OPS, limit: null });
  for (const _ of ['once', 'again']) {
    await store.revokeKey('default', KEY.keyId, OPS);
    await store.endRecovery(COMPARED);
  }
}

/** Every act of a chain, page by page. */
async function chained(store: Store, part: number | null, limit: number): Promise<readonly ChainedAct[]> {
  const all: ChainedAct[] = [];
  let after: ChainPlace | null = null;
  for (;;) {
    const page: readonly ChainedAct[] = await store.chains(part, after, limit);
    all.push(...page);
    const last = page.at(-1);
    if (last === undefined) return all;
    after = { runId: last.runId, tenant: last.record.tenant, auditNo: last.record.auditNo };
  }
}

function assertWhole(acts: readonly ChainedAct[]): void {
  const faults = acts.flatMap(({ runId, record }, at) => {
    const before = acts[at - 1];
    const isSame = before?.runId === runId && before.record.tenant === record.tenant;
    return linkFaults(runId, record, isSame ? before.record : undefined);
  });
  assert.deepEqual(faults, []);
}

const actOf = (act: string, atMs: number): AuditEntry => ({
  actor: 'kai',
  act,
  target: 'pay',
  reason: null,
  detail: { n: 1 },
  atMs,
});

/** A run with acts of people from its first commit. */
async function runWith(store: Store, workflow: string, acts: readonly AuditEntry[]): Promise<RunId> {
  const worker = await seated(store);
  const run = identityOf(newRunId(), store.parts, { workflow });
  const [answer] = await store.start(0, [startOf(run, { kind: 'keep', workerId: worker }, { audit: acts })]);
  assert.equal(answer?.created, true);
  return run.runId;
}

function writeConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('A05: an act that is about no run is written by the statement that carries it out, with what was before and after; what changes nothing is no act', async ({
    store,
  }) => {
    // A05: "Everything is audited": who, what, why, before and after.
    await actOnHouse(store);
    const acts = (await store.acts({ tenant: 'default', limit: 100 })).toReversed();
    const told = acts.map(({ actor, act, target, reason }) => [actor, act, target, reason]);
    assert.deepEqual(told, [
      ['anna', 'publish', 'shop', null],
      ['root', 'key.create', KEY.keyId, null],
      ['ana', 'recovery.begin', 'database', null],
      ['ops', 'schedule.pause', 'shop', 'month end'],
      ['ops', 'schedule.resume', 'shop', 'month end'],
      ['ops', 'version.deprecate', 'shop', 'month end'],
      ['ops', 'version.restore', 'shop', null],
      ['ops', 'pause.begin', 'host bank.test', 'month end'],
      ['ops', 'pause.end', 'host bank.test', null],
      ['ops', 'lock.limit', 'gate', 'month end'],
      ['ops', 'lock.limit', 'gate', 'month end'],
      ['ops', 'key.revoke', KEY.keyId, 'month end'],
      ['ana', 'recovery.end', 'database', 'compared'],
    ]);
    const ended = acts.at(-1)?.detail as { readonly before: { readonly sinceMs: number } };
    const { principal, roles, scopes, expiresAtMs } = KEY;
    const after = { version: 1, paused: true };
    const live = { version: 1, deprecated: false };
    const deprecated = { version: 1, deprecated: true };
    const lasting = { version: 1, paused: false };
    const host = { kind: 'host', name: 'bank.test' };
    assert.deepEqual(
      acts.map(({ detail }) => detail),
      [
        { before: null, after: { version: 1, digest: VERSION.digest } },
        { before: null, after: { principal, roles, scopes, expiresAtMs } },
        { before: null, after: { lastSeenMs: 1_000 } },
        { before: lasting, after },
        { before: after, after: lasting },
        { before: live, after: deprecated },
        { before: deprecated, after: live },
        { before: { ...host, paused: false }, after: { ...host, paused: true } },
        { before: { ...host, paused: true }, after: { ...host, paused: false } },
        { before: { limit: null }, after: { limit: 3 } },
        { before: { limit: 3 }, after: { limit: null } },
        { before: { principal }, after: null },
        { before: { sinceMs: ended.before.sinceMs, lastSeenMs: 1_000 }, after: null },
      ],
    );
    assert.deepEqual(
      acts.map(({ runId, auditNo, workflow }) => [runId, auditNo, workflow]),
      acts.map(({ act, target }, at) => [null, at + 1, /^(?:publish|version|schedule)/.test(act) ? target : null]),
    );
    assertWhole(await chained(store, null, 4));
  });

  test('A05: acts at once each get a place of their own in the chain of their tenant', async (opened) => {
    const stores = [opened.store, await opened.again()];
    const keys = Array.from({ length: 12 }, (_, at) => ({ ...KEY, keyId: `k${at}`, tenant: `t${at % 2}` }));
    await Promise.all(keys.map((key, at) => (stores[at % 2] ?? opened.store).createKey(key)));
    const acts = await chained(opened.store, null, 5);
    assert.deepEqual(
      acts.map(({ record }) => [record.tenant, record.auditNo]),
      ['t0', 't1'].flatMap((tenant) => [1, 2, 3, 4, 5, 6].map((no) => [tenant, no])),
    );
    assertWhole(acts);
  });
}

/** Acts of people and keys, also those that are about no run: written, chained, listed. */
export function auditConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);
  writeConformance(harness);

  test('Acts are listed newest first, by who, what, when, run and workflow, page by page, those of runs and of no run together', async ({
    store,
  }) => {
    await store.publish(VERSION);
    const { atMs } = (await store.acts({ tenant: 'default', limit: 1 }))[0] ?? { atMs: 0 };
    const first = await runWith(store, 'shop', [actOf('retry', atMs - 5), actOf('cancel', atMs)]);
    const other = await runWith(store, 'bank', [actOf('retry', atMs)]);
    await store.createKey({ ...KEY, tenant: 'other' });
    const list = async (filter: Partial<ActFilter>): Promise<readonly unknown[]> =>
      (await store.acts({ tenant: 'default', limit: 10, ...filter })).map(({ act, runId }) => [act, runId]);
    const [retry, cancel, publish] = [
      ['retry', first],
      ['cancel', first],
      ['publish', null],
    ] as const;
    const last = ['retry', other] as const;
    const ofRuns = first < other ? [last, cancel] : [cancel, last];
    assert.deepEqual(await list({}), [...ofRuns, publish, retry]);
    assert.deepEqual(await list({ actor: 'anna' }), [publish]);
    assert.deepEqual(await list({ act: 'cancel' }), [cancel]);
    assert.deepEqual(await list({ runId: first }), [cancel, retry]);
    assert.deepEqual(await list({ workflow: 'shop' }), [cancel, publish, retry]);
    assert.deepEqual(await list({ workflows: ['bank'] }), [last]);
    assert.deepEqual(await list({ workflows: [] }), []);
    assert.deepEqual(await list({ untilMs: atMs }), [retry]);
    assert.deepEqual(await list({ sinceMs: atMs }), [...ofRuns, publish]);
    const paged: unknown[] = [];
    let after: ActFilter['after'];
    for (;;) {
      const [act] = await store.acts({ tenant: 'default', limit: 1, ...(after === undefined ? {} : { after }) });
      if (act === undefined) break;
      paged.push([act.act, act.runId]);
      after = act;
    }
    assert.deepEqual(paged, [...ofRuns, publish, retry]);
  });

  test('Chains of runs lie in the part of their run, each whole, page by page', async ({ store }) => {
    const one = await runWith(store, 'shop', [actOf('a', 1), actOf('b', 2), actOf('c', 3)]);
    const two = await runWith(store, 'shop', [actOf('d', 1)]);
    for (const limit of [1, 2, 10]) {
      const acts = await chained(store, 0, limit);
      const named = acts.map(({ runId, record }) => `${runId} ${record.auditNo}`);
      assert.deepEqual(named, [`${one} 1`, `${one} 2`, `${one} 3`, `${two} 1`].sort());
      assertWhole(acts);
    }
    assert.deepEqual(await chained(store, 1, 10), []);
    assert.deepEqual(await chained(store, null, 10), []);
  });
}
