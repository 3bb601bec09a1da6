import type { CheckFacts, InvariantFault } from '../decision/invariants/check.ts';
import { findFaults, RUN_CHECKS } from '../decision/invariants/find-faults.ts';
import type { RunId } from '../model/ids.ts';
import type { RunRecords, StrayRow, UnreadableRun } from '../model/run-records.ts';
import type { Store } from '../ports/store.ts';
import { verifyTenantActs } from './verify-audit.ts';
import { SHARE, verifyShares, verifyUses } from './verify-shares.ts';
import { createVersionCache } from './version-cache.ts';

/** Runs that are in memory at once. */
const PAGE_RUNS = 100;
/** Rows without a run that are told of each table of a part. */
const STRAYS_MAX = 100;

/** What was looked at. */
export interface CheckedCounts {
  readonly runs: number;
  readonly effects: number;
  readonly receipts: number;
  readonly transitions: number;
  readonly timers: number;
  readonly events: number;
}

/** What a whole store was found to be; no fault means that every invariant holds. */
export interface VerifiedStore {
  readonly faults: readonly InvariantFault[];
  readonly checked: CheckedCounts;
}

const UNREADABLE: CheckFacts = {
  name: 'unreadable',
  rule: 'P11, P15',
  promise: "Every row of a run can be read: its texts are JSON, its snapshot's bytes are packed as they say.",
  mend: null,
};
const STRAY: CheckFacts = {
  name: 'stray',
  rule: 'P01, P02',
  promise: 'Every lease, wake-up, timer, key and record belongs to a run that is there, with its head.',
  mend: null,
};

/** Every check of a store, with what it promises; `docs/reference/invariants.md` lists the same. */
export const STORE_CHECKS: readonly CheckFacts[] = [...RUN_CHECKS, SHARE, STRAY, UNREADABLE];

const NOTHING: CheckedCounts = { runs: 0, effects: 0, receipts: 0, transitions: 0, timers: 0, events: 0 };

function counted(counts: CheckedCounts, run: RunRecords): CheckedCounts {
  return {
    runs: counts.runs + 1,
    effects: counts.effects + run.effects.length,
    receipts: counts.receipts + run.receipts.length,
    transitions: counts.transitions + run.journal.length,
    timers: counts.timers + run.timers.length,
    events: counts.events + run.inbox.length,
  };
}

function unreadable({ runId, message }: UnreadableRun): InvariantFault {
  const { name, rule, mend } = UNREADABLE;
  return { runId, check: name, rule, row: 'run', what: message, mend };
}

function strayFault({ table, runId, row }: StrayRow): InvariantFault {
  const { name, rule, mend } = STRAY;
  return { runId, check: name, rule, row: `${table} ${row}`, what: 'its run is not there', mend };
}

type Page = Awaited<ReturnType<Store['records']>>;

/** The runs of a part, page by page. */
async function* pagesOf(store: Store, part: number): AsyncGenerator<Page> {
  let after: RunId | null = null;
  do {
    const page: Page = await store.records(part, after, PAGE_RUNS);
    yield page;
    after = page.next;
  } while (after !== null);
}

/**
 * Looks for everything that breaks an invariant, in every run of a store: read-only, beside any number of workers, page by
 * page, each run's rows of one instant. Transaction: none.
 * @param onProgress told after each page what was looked at so far.
 */
export async function verifyStore(
  store: Store,
  onProgress: (checked: CheckedCounts) => void = () => undefined,
): Promise<VerifiedStore> {
  const versions = createVersionCache(store);
  const faults: InvariantFault[] = [];
  let checked = NOTHING;
  const check = async (records: RunRecords | UnreadableRun, nowMs: number): Promise<void> => {
    if ('message' in records) {
      faults.push(unreadable(records));
      return;
    }
    faults.push(
      ...findFaults({ ...records, program: (await versions.readable(records.run.digest))?.compiled ?? null }, nowMs),
    );
    faults.push(...(await verifyUses(store, records)));
    checked = counted(checked, records);
  };
  faults.push(...(await verifyTenantActs(store)));
  for (let part = 0; part < store.parts; part += 1) {
    faults.push(...(await store.strays(part, STRAYS_MAX)).map(strayFault));
    faults.push(...(await verifyShares(store, part)));
    for await (const page of pagesOf(store, part)) {
      for (const records of page.runs) await check(records, page.nowMs);
      onProgress(checked);
    }
  }
  return { faults, checked };
}
