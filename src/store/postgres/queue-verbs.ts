import type { EffectKey, RunId } from '../../model/ids.ts';
import type { Offer } from '../../model/offer.ts';
import type { Store } from '../../ports/store.ts';
import type { Connections } from './connections.ts';
import { QUEUE_ROWS, TAKE_OFFERS } from './sql/queue.ts';

/** An offer as it travels with its commit. */
export function offerToRow({ effectKey, queue, dueAtMs }: Offer): unknown {
  return { effect_key: effectKey, queue, due_at: dueAtMs };
}

/** The verbs of queues that remote workers pull from. */
export function queueVerbs({ run }: Connections): Pick<Store, 'takeOffers' | 'queues'> {
  return {
    takeOffers: async (part, { tenant, queue, limit, forMs }) => {
      const rows = await run(TAKE_OFFERS, [part, tenant, queue, limit, forMs]);
      return rows.map((row) => ({ runId: row['run_id'] as RunId, effectKey: row['effect_key'] as EffectKey }));
    },
    queues: async (part, tenant) => {
      const rows = await run(QUEUE_ROWS, [part, tenant]);
      return rows.map((row) => ({
        part,
        queue: row['queue'] as string,
        offered: row['offered'] as number,
        sinceMs: row['since_ms'] as number | null,
        askedAtMs: row['asked_ms'] as number | null,
      }));
    },
  };
}
