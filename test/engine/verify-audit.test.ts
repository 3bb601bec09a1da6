import { describe, expect, it } from 'vitest';
import { readSeal } from '../../src/engine/audit-seal.ts';
import { sealAudit, verifyAudit } from '../../src/engine/verify-audit.ts';
import { verifyStore } from '../../src/engine/verify-store.ts';
import { chainAudit } from '../../src/model/audit-chain.ts';
import type { RunId } from '../../src/model/ids.ts';
import type { AuditEntry } from '../../src/model/run-commit.ts';
import type { ChainedAct } from '../../src/ports/audit-store.ts';
import type { Store } from '../../src/ports/store.ts';
import { openMemoryStore } from '../../src/store/memory/memory-store.ts';

const RUN = '01890000-0000-7000-8000-00000000000a' as RunId;
const actOf = (reason: string): AuditEntry => ({
  actor: 'ana',
  act: 'retry',
  target: 'pay',
  reason,
  detail: null,
  atMs: 1_800_000_000_000,
});
const chained = (runId: RunId | null, tenant: string, reasons: readonly string[]): readonly ChainedAct[] =>
  chainAudit(runId, tenant, reasons.map(actOf)).map((record) => ({ runId, record }));

const TENANTS = [...chained(null, 'a', ['1', '2', '3']), ...chained(null, 'b', ['4'])];
const RUNS = chained(RUN, 'a', ['5', '6']);

/** A store with these acts: of tenants, and of the runs of its only part. */
function storeOf(tenants: readonly ChainedAct[], runs: readonly ChainedAct[]): Store {
  const store = openMemoryStore({ clock: { nowMs: () => 1_800_000_000_000 }, parts: 1, leaseMs: 9_000 });
  const known = (part: number | null): readonly ChainedAct[] => (part === null ? tenants : runs);
  return { ...store, chains: async (part, after) => (after === null ? known(part) : []) };
}

const SEALED = await sealAudit(storeOf(TENANTS, RUNS));

describe('verifying acts', () => {
  it('A05: finds nothing in chains that are whole, and seals the head of each', async () => {
    // A05: who has done what is chained, per run and per tenant.
    expect(await verifyAudit(storeOf(TENANTS, RUNS), null)).toEqual({ chains: 3, acts: 6, faults: [] });
    expect(await verifyAudit(storeOf(TENANTS, RUNS), SEALED)).toEqual({ chains: 3, acts: 6, faults: [] });
    expect(SEALED).toEqual({
      at: '2027-01-15T08:00:00.000Z',
      chains: [
        { chain: 'tenant a', acts: 3, head: TENANTS[2]?.record.integrity },
        { chain: 'tenant b', acts: 1, head: TENANTS[3]?.record.integrity },
        { chain: 'run_01h4000000e00800000000000a', acts: 2, head: RUNS[1]?.record.integrity },
      ],
    });
  });

  it('S56 names an act whose content was changed, one that is missing in between, and one that was put in', async () => {
    const forged = TENANTS.map(({ runId, record }, at) => ({
      runId,
      record: at === 1 ? { ...record, actor: 'mallory' } : record,
    }));
    const { faults } = await verifyAudit(storeOf(forged, RUNS), null);
    expect(faults).toEqual([{ chain: 'tenant a', row: 'act 2', what: 'its content does not match its integrity' }]);
    const cut = await verifyAudit(storeOf(TENANTS.toSpliced(1, 1), RUNS), null);
    expect(cut.faults.map(({ chain, row, what }) => [chain, row, what])).toEqual([
      ['tenant a', 'act 3', 'an act is missing before this one'],
      ['tenant a', 'act 3', 'it is not linked to the act before it'],
    ]);
    const unlinked = await verifyAudit(storeOf([], chained(RUN, 'a', ['5', '6']).slice(1)), null);
    expect(unlinked.faults[0]).toMatchObject({ row: 'act 2', what: 'an act is missing before this one' });
  });

  it('S56 with a seal finds that the end of a chain was cut off, made anew, or the whole chain taken away; without one it cannot', async () => {
    const cut = storeOf(TENANTS.toSpliced(2, 1), []);
    expect((await verifyAudit(cut, null)).faults).toEqual([]);
    const gone = 'it was sealed, and it is not there any more';
    expect((await verifyAudit(cut, SEALED)).faults).toEqual([
      { chain: 'tenant a', row: 'act 3', what: gone },
      { chain: 'run_01h4000000e00800000000000a', row: 'act 2', what: gone },
    ]);
    const anew = storeOf([...chained(null, 'a', ['1', '2', 'x']), ...TENANTS.slice(3)], RUNS);
    expect((await verifyAudit(anew, null)).faults).toEqual([]);
    expect((await verifyAudit(anew, SEALED)).faults).toEqual([
      { chain: 'tenant a', row: 'act 3', what: 'it is another than the one that was sealed' },
    ]);
    const grown = storeOf([...chained(null, 'a', ['1', '2', '3', '4']), ...TENANTS.slice(3)], RUNS);
    expect((await verifyAudit(grown, SEALED)).faults).toEqual([]);
  });

  it('S56 verify has the chains of tenants among its invariants', async () => {
    const forged = TENANTS.map(({ runId, record }) => ({ runId, record: { ...record, reason: 'none' } })).slice(0, 1);
    expect((await verifyStore(storeOf(forged, []))).faults).toMatchObject([
      { runId: null, check: 'audit', row: 'tenant a act 1', what: 'its content does not match its integrity' },
    ]);
  });

  it('a seal is read as it was written, and nothing else is one', () => {
    expect(readSeal(JSON.stringify(SEALED), 'seal.json')).toEqual(SEALED);
    for (const text of ['{}', '[]', '{"at":"","chains":[{"chain":"x","acts":0,"head":""}]}'])
      expect(() => readSeal(text, 'seal.json')).toThrow('seal.json is no seal');
    expect(() => readSeal('{', 'seal.json')).toThrow('seal.json');
  });
});
