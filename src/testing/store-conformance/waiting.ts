import assert from 'node:assert/strict';
import type { Approval } from '../../model/approval.ts';
import type { RunId } from '../../model/ids.ts';
import type { Store } from '../../ports/store.ts';
import type { ApprovalFilter, TimerFilter, TimerLine } from '../../ports/waiting-store.ts';
import { type ConformanceHarness, testWith } from './harness.ts';
import { identityOf, newRunId, seated, startOf } from './rows.ts';

const T0 = 1_700_000_000_000;

function approvalOf(approvalId: string, set: Partial<Approval>): Approval {
  return {
    approvalId,
    step: approvalId,
    state: 'open',
    title: 'Pay?',
    subject: { subject: 1, effects: [] },
    subjectHash: 'a'.repeat(64),
    authorizes: [],
    from: ['role:finance'],
    quorum: 2,
    denials: 1,
    except: ['bob'],
    askedAtMs: T0,
    expiresAtMs: null,
    onExpire: 'deny',
    votes: [],
    decidedAtMs: null,
    ...set,
  };
}

/** A run with three approvals and two timers. */
async function runWith(store: Store, workflow: string, startedAtMs: number): Promise<RunId> {
  const workerId = await seated(store);
  const run = identityOf(newRunId(), store.parts, { workflow, startedAtMs });
  const approvals = [
    approvalOf('pay', { expiresAtMs: T0 + 1_000 }),
    approvalOf('sign', { from: ['user:zoe', 'role:finance'], except: ['user:eve'] }),
    approvalOf('done', { state: 'approved', decidedAtMs: T0 + 2 }),
  ];
  const timers = [
    { name: 'pay:expires', dueAtMs: startedAtMs + 1_000, generation: 1 },
    { name: 'run:deadline', dueAtMs: startedAtMs + 500, generation: 1 },
  ];
  const [answer] = await store.start(0, [startOf(run, { kind: 'keep', workerId }, { approvals, timers })]);
  assert.equal(answer?.created, true);
  return run.runId;
}

/** What runs wait for: found, in a stable order, and by who may still vote. */
export function waitingConformance(harness: ConformanceHarness): void {
  const test = testWith(harness);

  test('A02 A03 approvals of all runs are listed by state, workflow, expiry and who may still vote', async ({
    store,
  }) => {
    const old = await runWith(store, 'shop', T0);
    const young = await runWith(store, 'bank', T0 + 5_000);
    const list = async (filter: Partial<ApprovalFilter>): Promise<readonly string[]> =>
      (await store.approvals({ tenant: 'default', limit: 10, ...filter })).map(
        ({ run, approval }) => `${approval.approvalId} ${run.runId === old ? 'old' : 'young'}`,
      );
    const all = await list({});
    assert.deepEqual(all, ['done young', 'pay young', 'sign young', 'done old', 'pay old', 'sign old']);
    assert.deepEqual(await list({ states: ['approved', 'denied'], workflow: 'shop' }), ['done old']);
    assert.deepEqual(await list({ workflows: ['bank'], states: ['open'] }), ['pay young', 'sign young']);
    assert.deepEqual(await list({ workflows: [] }), []);
    assert.deepEqual(await list({ dueBeforeMs: T0 + 1_000 }), []);
    assert.deepEqual(await list({ dueBeforeMs: T0 + 1_001, workflow: 'bank' }), ['pay young']);
    assert.deepEqual(await list({ tenant: 'other' }), []);
    const may = (principal: string, ...names: readonly string[]): Promise<readonly string[]> =>
      list({ voter: { principal, entries: [`user:${principal}`, ...names] }, workflow: 'shop' });
    assert.deepEqual(await may('ana', 'role:finance'), ['pay old', 'sign old']);
    assert.deepEqual(await may('bob', 'role:finance'), ['sign old']);
    assert.deepEqual(await may('eve', 'role:finance'), ['pay old']);
    assert.deepEqual(await may('zoe'), ['sign old']);
    assert.deepEqual(await may('nobody', 'role:other'), []);
    const walked: string[] = [];
    let page = await store.approvals({ tenant: 'default', limit: 2 });
    while (page.length > 0) {
      walked.push(...page.map(({ approval, run }) => `${approval.approvalId} ${run.runId === old ? 'old' : 'young'}`));
      const last = page.at(-1);
      assert.ok(last);
      const { runId, startedAtMs } = last.run;
      const after = { runId, startedAtMs, approvalId: last.approval.approvalId };
      page = await store.approvals({ tenant: 'default', limit: 2, after });
    }
    assert.deepEqual(walked, all);
    assert.notEqual(young, old);
  });

  test('V06 timers of all runs are listed, the first that falls due first', async ({ store }) => {
    const old = await runWith(store, 'shop', T0);
    await runWith(store, 'bank', T0 + 600);
    const told = (lines: readonly TimerLine[]): readonly string[] =>
      lines.map(({ run, timer }) => `${timer.name} ${run.runId === old ? 'old' : 'young'} ${timer.dueAtMs - T0}`);
    const list = (filter: Partial<TimerFilter>): Promise<readonly TimerLine[]> =>
      store.timers({ tenant: 'default', limit: 10, ...filter });
    const all = ['run:deadline old 500', 'pay:expires old 1000', 'run:deadline young 1100', 'pay:expires young 1600'];
    assert.deepEqual(told(await list({})), all);
    assert.deepEqual(told(await list({ dueBeforeMs: T0 + 1_000 })), all.slice(0, 1));
    assert.deepEqual(told(await list({ workflow: 'bank' })), all.slice(2));
    assert.deepEqual(told(await list({ workflows: ['shop'] })), all.slice(0, 2));
    assert.deepEqual(told(await list({ tenant: 'other' })), []);
    const [, second] = await list({ limit: 2 });
    assert.ok(second);
    const { dueAtMs, name } = second.timer;
    assert.deepEqual(told(await list({ after: { dueAtMs, name, runId: second.run.runId } })), all.slice(2));
  });
}
