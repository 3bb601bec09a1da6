import { describe, expect, it } from 'vitest';
import type { VoteAsk } from '../../src/engine/cast-vote.ts';
import { castVote } from '../../src/engine/cast-vote.ts';
import type { Door } from '../../src/engine/door.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { findEffect } from '../../src/engine/find-effect.ts';
import { findRun, loadStored, versionOf } from '../../src/engine/find-run.ts';
import type { Approval } from '../../src/model/approval.ts';
import type { Incident, RunIdentity } from '../../src/model/run.ts';
import { displayEffectKey, displayRunId } from '../../src/model/run-id.ts';
import { authorized, RUN } from '../decision/ledger-fixtures.ts';

const ONE = authorized('charge');
const AGAIN = authorized('charge', [['v', 1]]);
const OTHER = authorized('ship');

describe('the effect that a person means', () => {
  const search = { effects: [ONE, AGAIN, OTHER], incidents: [] };

  it('is found by its key, as shown, in hex or by its beginning', () => {
    expect(findEffect(search, displayEffectKey(ONE.key))).toBe(ONE);
    expect(findEffect(search, AGAIN.key)).toBe(AGAIN);
    expect(findEffect(search, OTHER.key.slice(0, 10))).toBe(OTHER);
  });

  it('is of a step the one that a person is asked about, else the one in doubt, else the last', () => {
    expect(findEffect(search, 'charge')).toBe(AGAIN);
    const unknown = { ...ONE, state: 'UNKNOWN' } as const;
    expect(findEffect({ ...search, effects: [unknown, AGAIN] }, 'charge')).toBe(unknown);
    const asked = { effectKey: AGAIN.key } as Incident;
    const pin = { effectKey: null } as Incident;
    expect(findEffect({ effects: [unknown, AGAIN], incidents: [pin, asked] }, 'charge')).toBe(AGAIN);
  });

  it('is refused where there is none, and where there are several', () => {
    expect(() => findEffect(search, 'refund')).toThrow('the run has no effect refund');
    const both = [ONE, AGAIN].map((effect) => ({ ...effect, state: 'UNKNOWN' }) as const);
    expect(() => findEffect({ effects: both, incidents: [] }, 'charge')).toThrow(
      `charge names 2 effects; use a key: ${displayEffectKey(ONE.key)}, ${displayEffectKey(AGAIN.key)}`,
    );
  });
});

/** An engine over a store that knows these runs and no rows. */
function engineOf(found: readonly RunIdentity[], approvals: readonly Approval[] | null = null): Engine {
  const runs = approvals === null ? [] : [{ run: RUN, approvals }];
  return {
    tenant: 'default',
    store: { findRun: () => Promise.resolve(found), load: () => Promise.resolve({ runs, nowMs: 0 }) },
    versions: { byDigest: () => Promise.resolve(null) },
  } as unknown as Engine;
}

describe('the run that a person means', () => {
  it('is one of at least so many where the search has an end', async () => {
    const many = Array.from({ length: 20 }, (_, i): RunIdentity => ({ ...RUN, workflow: `w-${i}` }));
    await expect(findRun(engineOf(many), RUN.key)).rejects.toThrow(`${RUN.key} names at least 20 runs; use an id`);
    await expect(findRun(engineOf(many.slice(1)), RUN.key)).rejects.toThrow(`${RUN.key} names 19 runs; use an id`);
  });

  const other = {
    ...RUN,
    runId: RUN.runId.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    workflow: 'refund',
  } as RunIdentity;

  it('is found by its id as shown or as UUID, and by a key that only it has', async () => {
    expect(await findRun(engineOf([RUN]), displayRunId(RUN.runId))).toBe(RUN);
    expect(await findRun(engineOf([other, RUN]), RUN.runId)).toBe(RUN);
    expect(await findRun(engineOf([RUN]), RUN.key)).toBe(RUN);
  });

  it('is refused where there is none, where workflows share the key, where its rows or its version are gone', async () => {
    await expect(findRun(engineOf([]), 'nobody')).rejects.toMatchObject({ code: 'PAWL_RUN_NOT_FOUND' });
    await expect(findRun(engineOf([RUN, other]), RUN.key)).rejects.toMatchObject({
      code: 'PAWL_RUN_AMBIGUOUS',
      message: expect.stringContaining(`${displayRunId(other.runId)} (refund)`),
    });
    await expect(loadStored(engineOf([RUN]), RUN)).rejects.toMatchObject({ code: 'PAWL_RUN_NOT_FOUND' });
    await expect(versionOf(engineOf([RUN]), RUN)).rejects.toMatchObject({ code: 'PAWL_INVARIANT' });
  });
});

describe('the approval that a voter means', () => {
  const approval = (approvalId: string, state: Approval['state']): Approval =>
    ({ approvalId, step: 'decision', state, subjectHash: 'a'.repeat(64) }) as Approval;
  const ask: VoteAsk = {
    approval: null,
    decision: 'approve',
    subjectHash: null,
    principal: 'ana',
    roles: [],
    comment: null,
  };

  /** The approval that a vote was stored for. */
  async function votedOn(
    approvals: readonly Approval[],
    name: string | null,
    subjectHash: string | null = null,
  ): Promise<string> {
    const engine = engineOf([RUN], approvals);
    const deliveries: string[] = [];
    const store = {
      ...engine.store,
      deliverAndClaim: ({ source }: { source: string }) => {
        deliveries.push(source);
        return Promise.resolve({
          exists: true,
          event: 'new',
          claimed: false,
          outcome: 'applied',
          code: null,
          detail: null,
        });
      },
    };
    const door = { workerId: () => 'w' } as unknown as Door;
    await castVote({ ...engine, store, numbers: { leaseMs: 1 } } as unknown as Engine, door, RUN, {
      ...ask,
      approval: name,
      subjectHash,
    });
    return deliveries.join();
  }

  it('is the only open one, the only one at all, or the named one: by id, or the last of that step that is open', async () => {
    expect(await votedOn([approval('d', 'approved'), approval('d/1', 'open')], null)).toBe('vote:d/1');
    expect(await votedOn([approval('d', 'denied')], null)).toBe('vote:d');
    expect(await votedOn([approval('d', 'open'), approval('d/1', 'held')], 'decision')).toBe('vote:d/1');
    expect(await votedOn([approval('d', 'approved'), approval('d/1', 'open')], 'd')).toBe('vote:d');
  });

  it('A05 the same vote again is for the approval that was seen, also where its step has asked anew since', async () => {
    // A05: "The same vote again: 200 with the first".
    const both = [approval('decision', 'approved'), approval('decision.v1', 'open')];
    expect(await votedOn(both, 'decision', 'a'.repeat(64))).toBe('vote:decision');
    expect(await votedOn(both, 'decision')).toBe('vote:decision.v1');
    expect(await votedOn(both, 'decision', 'b'.repeat(64))).toBe('vote:decision.v1');
  });

  it('is refused where there is none of that name, none at all, or more than one', async () => {
    await expect(votedOn([approval('d', 'open')], 'other')).rejects.toThrow('has no approval other');
    await expect(votedOn([], null)).rejects.toThrow('asks for no approval');
    await expect(votedOn([approval('d', 'open'), approval('d/1', 'held')], null)).rejects.toThrow(
      'has 2 approvals; name one: d, d/1',
    );
  });
});
