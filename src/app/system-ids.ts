import { parse, stringify, v7 } from 'uuid';
import type { RunId, WorkerId } from '../model/ids.ts';
import { VIRTUAL_SHARDS } from '../model/virtual-shard.ts';
import type { Ids } from '../ports/ids.ts';

/** A UUIDv7 whose 12 `rand_a` bits are the given virtual shard. */
function placedUuid(virtualShard: number): string {
  const bytes = parse(v7());
  bytes[6] = 0x70 | (virtualShard >> 8);
  bytes[7] = virtualShard & 0xff;
  return stringify(bytes);
}

/** New identities from the system's clock and randomness: UUIDv7 everywhere. */
export function createSystemIds(): Ids {
  return {
    newRunId: (virtualShard) => {
      const shard = virtualShard ?? Math.floor(Math.random() * VIRTUAL_SHARDS);
      return placedUuid(shard % VIRTUAL_SHARDS) as RunId;
    },
    newWorkerId: () => v7() as WorkerId,
    newEventId: () => v7(),
  };
}
