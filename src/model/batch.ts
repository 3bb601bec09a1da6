import type { ApiRight } from './api-key.ts';
import type { RunId } from './ids.ts';
import type { Json } from './json.ts';

/** What a batch does with each of its runs. */
export const BATCH_ACTIONS = ['cancel', 'terminate', 'compensate', 'retry', 'signal'] as const;

/** One of them. */
export type BatchAction = (typeof BATCH_ACTIONS)[number];

/** The right that each needs. */
export const BATCH_RIGHTS: Readonly<Record<BatchAction, ApiRight>> = {
  cancel: 'run:cancel',
  terminate: 'run:terminate',
  compensate: 'run:compensate',
  retry: 'run:retry',
  signal: 'run:signal',
};

/** Where a batch stands: `stopped` at its failures or because its key counts no more, for ever. */
export const BATCH_STATES = ['running', 'paused', 'stopped', 'done'] as const;

/** One of them. */
export type BatchState = (typeof BATCH_STATES)[number];

/** What became of the act on one run: `refused` by its decider or for want of a right, `failed` where it could not be asked. */
export const ITEM_OUTCOMES = ['pending', 'applied', 'refused', 'failed'] as const;

/** One of them. */
export type ItemOutcome = (typeof ITEM_OUTCOMES)[number];

/** One act on many runs, as it is ordered. */
export interface NewBatch {
  /** A UUID, made of who orders it and their name for it. */
  readonly batchId: string;
  readonly tenant: string;
  readonly action: BatchAction;
  /** What the act needs beside a reason: `{step}` of a retry, `{type, data}` of a signal. */
  readonly params: Json;
  /** Hash of all that was ordered: another one under the same id is a conflict. */
  readonly requestHash: string;
  readonly by: string;
  /** The key whose rights count at each act; null = whoever reaches the database itself. */
  readonly keyId: string | null;
  readonly reason: string;
  /** So many refused and failed acts stop it; null = none do. */
  readonly maxFailures: number | null;
  /** Acts in a second at most; null = as they come. */
  readonly ratePerSecond: number | null;
}

/** A batch as it stands. */
export interface Batch extends NewBatch {
  readonly total: number;
  readonly applied: number;
  readonly refused: number;
  readonly failed: number;
  readonly state: BatchState;
  readonly createdAtMs: number;
}

/** A run that a batch is about. */
export interface BatchRun {
  readonly runId: RunId;
  readonly part: number;
  readonly workflow: string;
}

/** What became of one. */
export interface ItemResult {
  readonly outcome: ItemOutcome;
  readonly code: string | null;
  readonly message: string | null;
}

/** A run of a batch and what became of it; `no` from 1. */
export interface BatchItem extends BatchRun, ItemResult {
  readonly no: number;
  /** When it was settled; null = it is pending. */
  readonly atMs: number | null;
}

/** The id of the event in each run's inbox: by it the act is done once, whoever does it. */
export function batchEventId(batchId: string): string {
  return `batch:${batchId}`;
}
