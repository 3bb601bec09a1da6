import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../src/engine/run-view.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { ActionAdapter, SendOrder } from '../../src/ports/action-adapter.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { type ApiHouse, openApiHouse } from '../api/support/api-house.ts';
import { curlsOf, followCurl } from './support/curl-guide.ts';

const read = (path: string): string => readFileSync(new URL(`../../docs/guides/${path}`, import.meta.url), 'utf8');
const COMMANDS = curlsOf(read('links.md'));

/** The bodies that were sent, by action and order or text. */
const sent: { readonly action: string; readonly body: JsonObject }[] = [];
const actions: ActionAdapter = {
  missing: () => [],
  token: () => Promise.resolve({ kind: 'none', reason: 'there are none' }),
  forgetToken: () => undefined,
  send: ({ request }: SendOrder) => {
    sent.push({ action: request.action, body: request.body as JsonObject });
    return Promise.resolve(answered(200, { id: 'x-1' }));
  },
  query: () => Promise.resolve(answered(404, null)),
  read: () => Promise.resolve(answered(404, null)),
};

let house: ApiHouse;
beforeAll(async () => {
  const links = { url: '', secret: 'linkKey' };
  house = await openApiHouse({
    worker: true,
    links,
    env: { PAWL_SECRET_LINK_KEY: 'a secret of the deployment' },
    actions,
  });
});
afterAll(() => house.close());

/** Starts a run and waits until it has told where to answer. */
async function callbackOf(orderId: string): Promise<string> {
  await house.post('/v1/runs', { workflow: 'links', input: { orderId, buyer: 'zoe' } });
  const find = () => sent.find(({ action, body }) => action === 'sign.ask' && body['order'] === orderId);
  await expect.poll(find, { timeout: 20_000 }).toBeDefined();
  return String(find()?.body['callback']);
}

describe('docs/guides/links.md', () => {
  it('every command is answered as the page says, one after the other', async () => {
    const text = read('files/links.pawl.yaml');
    await house.call('POST', '/v1/workflows', { text, headers: { 'content-type': 'application/yaml' } });
    const values: Record<string, string> = { SIGNATURE: await callbackOf('O-1') };
    const another = await callbackOf('O-2');
    values['SIGNATURE_OF_ANOTHER'] = another.slice(0, -43) + (values['SIGNATURE'] ?? '').slice(-43);
    values['KAI'] = await house.key(['approver'], { principal: 'kai' });
    expect(COMMANDS).toHaveLength(7);
    for (const line of COMMANDS) {
      if (line.includes('$RELEASE') && values['RELEASE'] === undefined) {
        const told = () => sent.find(({ action }) => action === 'mail.send')?.body['text'];
        await expect.poll(told, { timeout: 20_000 }).toBeDefined();
        values['RELEASE'] = /Decide here: (.*)$/.exec(String(told()))?.[1] ?? '';
        const shown = async () => (await house.get('/v1/runs/O-1')).json<RunView>().approvals[0]?.subjectHash;
        await expect.poll(shown, { timeout: 20_000 }).toBeDefined();
        values['HASH'] = (await shown()) ?? '';
      }
      await followCurl({ house, values, files: {}, address: '', readers: [] }, line);
    }
    expect(sent.filter(({ action }) => action === 'mail.send')).toHaveLength(1);
  });
});
