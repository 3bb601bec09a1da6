import { type ReceiptFault, verifyReceipts } from '../decision/receipt.ts';
import type { Receipt } from '../model/effect.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { loadStored } from './find-run.ts';

/** A run's proof and what is wrong with it; no fault means verified. */
export interface VerifiedRun {
  readonly run: RunIdentity;
  readonly receipts: readonly Receipt[];
  readonly faults: readonly ReceiptFault[];
}

/** Recomputes a run's receipts from its rows (E10). Transaction: none. @throws PAWL_RUN_NOT_FOUND. */
export async function verifyRun(engine: Engine, run: RunIdentity): Promise<VerifiedRun> {
  const { stored } = await loadStored(engine, run);
  const receipts = await engine.store.receipts(run.part, run.runId);
  return { run, receipts, faults: verifyReceipts({ runId: run.runId, receipts, effects: stored.effects }) };
}
