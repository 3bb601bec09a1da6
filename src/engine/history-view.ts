import type { Receipt } from '../model/effect.ts';
import type { AuditEntry, Observation, Transition } from '../model/run-commit.ts';
import type { RunIdentity } from '../model/run.ts';
import type { StoredEvent } from '../ports/store.ts';
import type { Engine } from './engine.ts';

/** Everything that was recorded of a run, in its own order; what `show --history` and the API give. */
export interface HistoryView {
  readonly journal: readonly (Transition & { readonly fence: number; readonly workerId: string })[];
  readonly inbox: readonly StoredEvent[];
  readonly observations: readonly Observation[];
  readonly audit: readonly AuditEntry[];
  readonly receipts: readonly Receipt[];
}

/** Reads the records of a run. Transaction: none. */
export async function historyView(engine: Engine, run: RunIdentity): Promise<HistoryView> {
  const { store } = engine;
  const { part, runId } = run;
  const [journal, inbox, observations, audit, receipts] = await Promise.all([
    store.journal(part, runId),
    store.inbox(part, runId),
    store.observations(part, runId),
    store.audit(part, runId),
    store.receipts(part, runId),
  ]);
  return { journal, inbox, observations, audit, receipts };
}
