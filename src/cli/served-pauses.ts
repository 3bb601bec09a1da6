import type { Client } from '../client/index.ts';
import type { Backend } from './backend.ts';
import { askServer } from './served-error.ts';

/** Pauses of workflows, actions and hosts as a server tells them and carries them out. */
export function servedPauses(client: Client): Pick<Backend, 'beginPause' | 'endPause' | 'pauses'> {
  return {
    beginPause: async ({ kind, name, reason }) =>
      (await askServer(client.beginPause({ body: { [kind]: name, reason } }))).data,
    endPause: async (pause, { reason }) =>
      (await askServer(client.endPause({ params: { pause }, ...(reason === null ? {} : { query: { reason } }) }))).data,
    pauses: async () => (await askServer(client.listPauses({}))).data.data,
  };
}
