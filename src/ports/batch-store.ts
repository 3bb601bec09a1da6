import type { Batch, BatchItem, BatchRun, BatchState, ItemOutcome, ItemResult, NewBatch } from '../model/batch.ts';

/** A batch of which some runs are this caller's to act on, until the time that it was taken for is over. */
export interface TakenBatch {
  readonly batch: Batch;
  readonly items: readonly BatchItem[];
}

/** Which batches are asked for, the newest first. */
export interface BatchFilter {
  readonly tenant: string;
  /** Only this one. */
  readonly batchId?: string;
  /** Only those behind this one. */
  readonly after?: { readonly createdAtMs: number; readonly batchId: string };
  readonly limit: number;
}

/** What a person, or the house, does with a batch. */
export interface BatchOrder {
  readonly act: 'pause' | 'resume' | 'stop';
  readonly by: string;
  readonly reason: string | null;
}

/** What a store does with batches. */
export interface BatchStore {
  /** Writes a batch with all its runs, in one transaction, and the act into the audit. @returns false where its id is taken. */
  createBatch(batch: NewBatch, runs: readonly BatchRun[]): Promise<boolean>;
  batches(filter: BatchFilter): Promise<readonly Batch[]>;
  /** Runs of a batch by number, behind `afterNo`. @param outcome null = any. */
  batchItems(
    of: Pick<Batch, 'tenant' | 'batchId'>,
    ask: { readonly outcome: ItemOutcome | null; readonly afterNo: number; readonly limit: number },
  ): Promise<readonly BatchItem[]>;
  /**
   * Takes the batch of a tenant that is due longest for `forMs`, with pending runs of it, those tried least first: one where it has
   * a rate, else `limit` at most. @returns null where none is due; `nextAtMs`: when one is (null = none).
   */
  takeBatch(
    tenant: string,
    ask: { readonly forMs: number; readonly limit: number },
  ): Promise<{ readonly taken: TakenBatch | null; readonly nextAtMs: number | null; readonly nowMs: number }>;
  /**
   * Writes down what became of a run that is pending; the batch is due again in `dueInMs`. It is done with its last run, and
   * stopped by its failures. @returns how the batch stands then.
   */
  settleBatchItem(
    of: Pick<Batch, 'tenant' | 'batchId'> & Pick<BatchItem, 'no'>,
    result: ItemResult,
    dueInMs: number,
  ): Promise<BatchState>;
  /** Pauses a running batch, resumes a paused one, stops either; recorded. @returns false where it is not so. */
  orderBatch(of: Pick<Batch, 'tenant' | 'batchId'>, order: BatchOrder): Promise<boolean>;
}
