import type { Client } from '../client/index.ts';
import type { Backend } from './backend.ts';
import { askServer } from './served-error.ts';
import { pages } from './served-lists.ts';

type Batches = Pick<Backend, 'planBatch' | 'startBatch' | 'batch' | 'batches' | 'batchItems' | 'orderBatch'>;
type Ask = Parameters<Batches['planBatch']>[0];
type Body = Parameters<Client['startBatch']>[0]['body'];
type View = Awaited<ReturnType<Batches['batch']>>;

function bodyOf({ action, params, runs, filter }: Ask): Pick<Body, 'action' | 'params' | 'runs' | 'filter'> {
  if (filter === null) return { action, params, runs: [...(runs ?? [])] };
  const { workflow, statuses, needsHuman, effectStates } = filter;
  return {
    action,
    params,
    filter: {
      ...(workflow === null ? {} : { workflow }),
      ...(statuses === null ? {} : { status: [...statuses] }),
      ...(needsHuman ? { needs: 'human' as const } : {}),
      ...(effectStates === undefined ? {} : { effect: [...effectStates] }),
    },
  };
}

/** Batches as a server tells them and carries them out. */
export function servedBatches(client: Client): Batches {
  return {
    planBatch: async (ask) => {
      const body = { ...bodyOf(ask), reason: 'preview' };
      const { data } = await askServer(client.startBatch({ query: { dryRun: 'true' }, body }));
      return data as Awaited<ReturnType<Batches['planBatch']>>;
    },
    startBatch: async (order) => {
      const { reason, maxFailures, ratePerSecond, confirmCount, planHash, name: idempotencyKey } = order;
      const body = {
        ...bodyOf(order),
        reason,
        ...(maxFailures === null ? {} : { maxFailures }),
        ...(ratePerSecond === null ? {} : { ratePerSecond }),
        ...(confirmCount === null ? {} : { confirmCount }),
        ...(planHash === null ? {} : { planHash }),
      };
      const { status, data } = await askServer(client.startBatch({ body, idempotencyKey }));
      return { batch: data as View, created: status === 202 };
    },
    batch: async (batch) => (await askServer(client.showBatch({ params: { batch } }))).data as View,
    batches: ({ limit }) =>
      pages(limit, (asked) => client.listBatches({ query: asked })) as ReturnType<Batches['batches']>,
    batchItems: (batch, { outcome, limit }) =>
      pages(limit, (asked) =>
        client.listBatchItems({ params: { batch }, query: { ...asked, ...(outcome === null ? {} : { outcome }) } }),
      ),
    orderBatch: async (batch, { act, reason }) => {
      const params = { batch };
      const why = reason === null ? {} : { reason };
      const asked =
        act === 'pause'
          ? client.pauseBatch({ params, body: { reason: reason ?? '' } })
          : client.resumeBatch({ params, query: why });
      return (await askServer(asked)).data as View;
    },
  };
}
