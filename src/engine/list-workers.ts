import type { Engine } from './engine.ts';

/** A process's seat in a part as people and programs see it; times RFC 3339 UTC. */
export interface WorkerView {
  readonly worker: string;
  readonly part: number;
  readonly leaseUntil: string;
  /** Its seat lives, by the database's clock. */
  readonly alive: boolean;
  /** How many runs it holds. */
  readonly runs: number;
}

/** Seats by part and worker; those of dead processes until a worker sweeps them. Transaction: none. */
export async function listWorkers({ store }: Engine): Promise<readonly WorkerView[]> {
  const nowMs = await store.nowMs();
  return (await store.workers()).map(({ workerId: worker, part, leaseUntilMs, held: runs }) => ({
    ...{ worker, part, runs },
    leaseUntil: new Date(leaseUntilMs).toISOString(),
    alive: leaseUntilMs > nowMs,
  }));
}
