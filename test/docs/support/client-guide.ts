import { type Client, ClientError, createClient } from '../../../src/client/index.ts';

/** A client of a server; nothing is sent yet. */
export function connect(url: string, key: string): Client {
  return createClient({ url, key, timeoutMs: 10_000 });
}

/** Starts a payout, once for each id, and gives its run when that rests. */
export async function payOut(pawl: Client, id: string, amount: number): Promise<string> {
  const { data } = await pawl.startRun({
    query: { wait: '10s' },
    body: { workflow: 'payout', input: { id, amount } },
  });
  return data.id;
}

/** Stops a payout as it was looked at; says no when it has moved meanwhile. */
export async function stop(pawl: Client, run: string, reason: string): Promise<boolean> {
  const { etag } = await pawl.showRun({ params: { run } });
  try {
    await pawl.terminateRun({ params: { run }, body: { reason }, ifMatch: etag ?? '' });
    return true;
  } catch (error) {
    if (error instanceof ClientError && error.code === 'PAWL_RUN_MOVED') return false;
    throw error;
  }
}
