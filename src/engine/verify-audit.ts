import { AUDIT } from '../decision/invariants/audit.ts';
import type { InvariantFault } from '../decision/invariants/check.ts';
import { linkFaults } from '../model/audit-chain.ts';
import { displayRunId } from '../model/run-id.ts';
import type { ChainedAct, ChainPlace } from '../ports/audit-store.ts';
import type { Store } from '../ports/store.ts';
import type { AuditSeal, SealedChain } from './audit-seal.ts';

/** Acts that are in memory at once. */
const PAGE_ACTS = 1_000;

/** What is wrong with a chain of acts, and where. */
export interface AuditFault {
  /** `run_…`, or `tenant NAME` for acts about no run. */
  readonly chain: string;
  /** `act N`. */
  readonly row: string;
  readonly what: string;
}

/** What all chains were found to be; no fault means that each is whole. */
export interface VerifiedAudit {
  readonly chains: number;
  readonly acts: number;
  readonly faults: readonly AuditFault[];
}

/** An act, and the one before it in its chain; undefined = it is the first that is there. */
interface Link extends ChainedAct {
  readonly before: ChainedAct['record'] | undefined;
}

type Chains = Pick<Store, 'chains' | 'parts'>;

function placeOf({ runId, record: { tenant, auditNo } }: ChainedAct): ChainPlace {
  return { runId, tenant, auditNo };
}

function nameOf({ runId, record }: ChainedAct): string {
  return runId === null ? `tenant ${record.tenant}` : displayRunId(runId);
}

/** The acts of the runs of a part, or (null) those about no run, chain by chain. */
async function* linksOf(store: Chains, part: number | null): AsyncGenerator<Link> {
  let last: ChainedAct | undefined;
  for (;;) {
    const page = await store.chains(part, last === undefined ? null : placeOf(last), PAGE_ACTS);
    for (const act of page) {
      const isSame = last !== undefined && nameOf(last) === nameOf(act);
      yield { ...act, before: isSame ? last?.record : undefined };
      last = act;
    }
    if (page.length < PAGE_ACTS) return;
  }
}

/** Every act of a database. */
async function* allLinks(store: Chains): AsyncGenerator<Link> {
  yield* linksOf(store, null);
  for (let part = 0; part < store.parts; part += 1) yield* linksOf(store, part);
}

function faultsOf(link: Link): readonly AuditFault[] {
  const { runId, record, before } = link;
  return linkFaults(runId, record, before).map((what) => ({ chain: nameOf(link), row: `act ${record.auditNo}`, what }));
}

/** What a seal has counted, and was not found yet. */
class Sealed {
  readonly #open: Map<string, SealedChain>;

  constructor({ chains }: AuditSeal) {
    this.#open = new Map(chains.map((chain) => [chain.chain, chain]));
  }

  /** Looks at an act: the last one that was sealed must be the one that was sealed. */
  look(link: Link): readonly AuditFault[] {
    const chain = nameOf(link);
    const sealed = this.#open.get(chain);
    const { auditNo, integrity } = link.record;
    if (sealed?.acts !== auditNo) return [];
    this.#open.delete(chain);
    if (sealed.head === integrity) return [];
    return [{ chain, row: `act ${auditNo}`, what: 'it is another than the one that was sealed' }];
  }

  missing(): readonly AuditFault[] {
    return [...this.#open.values()].map(({ chain, acts }) => ({
      chain,
      row: `act ${acts}`,
      what: 'it was sealed, and it is not there any more',
    }));
  }
}

/**
 * Recomputes every chain of acts, read-only. Transaction: none.
 * @param seal what was written down of them before: a chain alone does not show that its end was cut off; null = there is none.
 */
export async function verifyAudit(store: Chains, seal: AuditSeal | null): Promise<VerifiedAudit> {
  const sealed = new Sealed(seal ?? { at: '', chains: [] });
  const faults: AuditFault[] = [];
  let [chains, acts] = [0, 0];
  for await (const link of allLinks(store)) {
    faults.push(...faultsOf(link), ...sealed.look(link));
    chains += link.before === undefined ? 1 : 0;
    acts += 1;
  }
  return { chains, acts, faults: [...faults, ...sealed.missing()] };
}

/** The heads of all chains with their counts, as they stand now. Transaction: none. */
export async function sealAudit(store: Chains & Pick<Store, 'nowMs'>): Promise<AuditSeal> {
  const at = new Date(await store.nowMs()).toISOString();
  const heads = new Map<string, SealedChain>();
  for await (const link of allLinks(store)) {
    const chain = nameOf(link);
    heads.set(chain, { chain, acts: link.record.auditNo, head: link.record.integrity });
  }
  return { at, chains: [...heads.values()] };
}

/** Chains of acts about no run, as the invariant `audit` has them. Transaction: none. */
export async function verifyTenantActs(store: Chains): Promise<readonly InvariantFault[]> {
  const { name, rule, mend } = AUDIT;
  const found: InvariantFault[] = [];
  for await (const link of linksOf(store, null))
    for (const { chain, row, what } of faultsOf(link))
      found.push({ runId: null, check: name, rule, row: `${chain} ${row}`, what, mend });
  return found;
}
