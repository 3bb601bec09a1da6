import { sha256 } from './hash.ts';
import type { RunId } from './ids.ts';

/** How many virtual shards there are: the 12 `rand_a` bits of a run's UUIDv7. Parts are made of them and can be changed. */
export const VIRTUAL_SHARDS = 4096;

/** The virtual shard of a run, 0..4095: the 12 bits behind the version digit of its UUIDv7. */
export function virtualShardOf(runId: RunId): number {
  return Number.parseInt(runId.slice(15, 18), 16);
}

/** The part that holds everything of a run. @param parts how many parts the database was set up with. */
export function partOf(runId: RunId, parts: number): number {
  return virtualShardOf(runId) % parts;
}

/** The virtual shard of a business key, 0..4095: all runs of a key live in one part, so that the key is local to it. */
export function keyShard(tenant: string, workflow: string, key: string): number {
  return Number.parseInt(sha256(JSON.stringify([tenant, workflow, key])).slice(0, 3), 16);
}
