import { createKey } from '../../app/api-keys.ts';
import { type Client, createClient } from '../../client/index.ts';
import type { ApiRole } from '../../model/api-key.ts';
import type { DemoHouse } from './demo-house.ts';

/** The API as the people of the demo call it, each with a key of their own. */
export interface DemoApi {
  readonly url: string;
  /** Publishes, starts, looks and tells of events. */
  readonly demo: Client;
  /** Decides about refunds. */
  readonly ana: Client;
}

/** Starts a server of the house, and makes the keys. */
export async function openDemoApi({ app, startServer }: DemoHouse): Promise<DemoApi> {
  const keyOf = async (principal: string, roles: readonly ApiRole[]): Promise<string> =>
    (await createKey(app, { principal, roles, scopes: [], forMs: null, by: 'demo' })).key;
  const [demo, ana] = [await keyOf('demo', ['author', 'operator']), await keyOf('ana', ['approver'])];
  const url = await startServer();
  return { url, demo: createClient({ url, key: demo }), ana: createClient({ url, key: ana }) };
}
