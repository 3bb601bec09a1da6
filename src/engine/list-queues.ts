import type { QueueRecord } from '../model/offer.ts';
import type { Engine } from './engine.ts';

/** A queue of remote workers; times RFC 3339 UTC. */
export interface QueueView {
  readonly queue: string;
  /** Attempts that may be pulled now. */
  readonly offered: number;
  /** Since when the longest of them waits; null = none does. */
  readonly since: string | null;
  /** When a worker last asked; null = none ever has. */
  readonly askedAt: string | null;
}

function text(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

function joined(queue: string, records: readonly QueueRecord[]): QueueView {
  const since = records.flatMap(({ sinceMs }) => sinceMs ?? []);
  const asked = records.flatMap(({ askedAtMs }) => askedAtMs ?? []);
  return {
    queue,
    offered: records.reduce((sum, { offered }) => sum + offered, 0),
    since: text(since.length === 0 ? null : Math.min(...since)),
    askedAt: text(asked.length === 0 ? null : Math.max(...asked)),
  };
}

/** Queues with what waits there, by name. Transaction: none. */
export async function listQueues({ store, tenant }: Engine): Promise<readonly QueueView[]> {
  const records: QueueRecord[] = [];
  for (let part = 0; part < store.parts; part += 1) records.push(...(await store.queues(part, tenant)));
  const names = [...new Set(records.map(({ queue }) => queue))].sort();
  return names.map((queue) =>
    joined(
      queue,
      records.filter((record) => record.queue === queue),
    ),
  );
}
