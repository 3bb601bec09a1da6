import type { RunId, WorkerId } from '../../model/ids.ts';
import { VIRTUAL_SHARDS } from '../../model/virtual-shard.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Random } from '../random.ts';

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0').slice(-digits);

/**
 * Identities from the seed: UUIDv7 in form, each one once.
 * @param birth number of the process that makes them.
 */
export function createSimulatedIds(random: Random, birth: number): Ids {
  let made = 0;
  const uuid = (virtualShard: number): string => {
    made += 1;
    const noise = hex(random.below(2 ** 31), 12);
    return `${hex(birth, 4)}${hex(made, 4)}-${hex(random.below(65_536), 4)}-7${hex(virtualShard, 3)}-8000-${noise}`;
  };
  const anywhere = (): string => uuid(random.below(VIRTUAL_SHARDS));
  return {
    newRunId: (virtualShard) => (virtualShard === undefined ? anywhere() : uuid(virtualShard)) as RunId,
    newWorkerId: () => anywhere() as WorkerId,
    newEventId: anywhere,
  };
}
