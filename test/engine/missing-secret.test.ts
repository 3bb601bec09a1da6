import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { begin, type House, openHouse, type Process, untilRun, untilStatus } from './support/house.ts';
import { httpAction } from './support/workflows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => house.rest());
afterAll(() => house.close());

const REASON = 'the secret shopToken is missing here: it is read from PAWL_SECRET_SHOP_TOKEN';
const NEEDY = { workflow: null, statuses: null, needsHuman: true, q: null, limit: 50 };

/** One call whose action sends a secret. */
function withSecret(action: readonly string[]): string {
  return [
    'pawl: 1',
    'workflow: saga',
    'version: 1',
    'timeout: 1h',
    'secrets: [shopToken]',
    'actions:',
    httpAction(house.provider.url, 'reserve', ['auth: { bearer: =secrets.shopToken }', 'compensate: none', ...action]),
    'steps:',
    '  - { id: reserve, call: shop.reserve }',
    '',
  ].join('\n');
}

function readWithSecret(): string {
  return [
    'pawl: 1',
    'workflow: saga',
    'version: 1',
    'timeout: 1h',
    'secrets: [shopToken]',
    'actions:',
    '  shop.look:',
    `    http: { method: GET, url: '${house.provider.url}/look' }`,
    '    effect: read',
    '    auth: { bearer: =secrets.shopToken }',
    '    retry: { attempts: 1 }',
    'steps:',
    '  - { id: look, call: shop.look }',
    '',
  ].join('\n');
}

async function worker(env: Readonly<Record<string, string>> = {}): Promise<Process> {
  const process = await house.process({ env });
  await process.app.runWorker();
  return process;
}

describe('a secret that is missing', () => {
  it('E05 needs a person: the run is HELD, listed, names the variable, and no attempt counts as sent', async () => {
    // E05: "else the attempt is settled unavailable (not sent), which does not count against `attempts`: back to AUTHORIZED, not before 1 s."
    const process = await worker();
    const run = await begin(process, withSecret([]));
    const view = await untilStatus(process, run, 'HELD');
    expect(view.incidents).toMatchObject([
      {
        kind: 'authorization',
        step: 'reserve',
        message: expect.stringContaining(REASON),
        acts: ['retry', 'terminate'],
      },
    ]);
    expect(view.waitingFor[0]).toMatchObject({
      kind: 'person',
      by: ['role:operator'],
      command: `pawl retry ${view.id} reserve --reason TEXT`,
    });
    const needy = await process.app.list(NEEDY);
    expect(needy.find(({ id }) => id === view.id)?.needs).toEqual(['incident:authorization']);
    const [effect] = view.effects;
    expect(effect).toMatchObject({ state: 'AUTHORIZED', code: 'secret-missing', sent: 0, unsent: 1 });
    expect(house.provider.calls().filter((call) => call.key === effect?.key)).toEqual([]);
    const waitMs = Date.parse(effect?.notBefore ?? '') - Date.parse(effect?.requestedAt ?? '');
    expect(waitMs).toBeGreaterThanOrEqual(5 * 60_000);
  });

  it('E05 is looked for by the policy with its factor, and the run goes on by itself once it is there', async () => {
    // E05: "The first byte is written only if the worker's seat has `sendMarginMs` left and at most `sendWithinMs` have passed since the REQUESTED commit was …"
    const env: Record<string, string> = {};
    const process = await worker(env);
    const run = await begin(process, withSecret(['retry: { attempts: 4, delay: 1s, factor: 2 }']));
    const second = await untilRun(
      process,
      run,
      ({ effects }) => effects[0]?.state === 'AUTHORIZED' && effects[0].unsent === 2,
    );
    const [effect] = second.effects;
    const waitMs = Date.parse(effect?.notBefore ?? '') - Date.parse(effect?.requestedAt ?? '');
    expect(waitMs).toBeGreaterThanOrEqual(2_000);
    env['PAWL_SECRET_SHOP_TOKEN'] = 'token-4711';
    const view = await untilStatus(process, run, 'COMPLETED');
    expect(view.effects).toMatchObject([{ state: 'CONFIRMED', sent: 1, unsent: 2 }]);
    expect(view.incidents).toEqual([]);
    expect(house.happened()).toEqual(['reserve']);
  });

  it('E05 retry has it looked for at once, by whichever worker has it', async () => {
    // E05: "The first byte is written only if the worker's seat has `sendMarginMs` left and at most `sendWithinMs` have passed since the REQUESTED commit was …"
    const poor = await worker();
    const run = await begin(poor, withSecret([]));
    await untilStatus(poor, run, 'HELD');
    await poor.app.close(500);
    const rich = await worker({ PAWL_SECRET_SHOP_TOKEN: 'token-4711' });
    const act = { by: 'ana', reason: 'the variable is set now' };
    await expect(rich.app.retry(run, 'reserve', act)).resolves.toMatchObject({ outcome: 'applied' });
    await untilStatus(rich, run, 'COMPLETED');
    expect((await rich.app.history(run)).audit).toMatchObject([{ act: 'retry', actor: 'ana' }]);
    expect(house.happened()).toEqual(['reserve']);
  });

  it('E05 of a read is told in the same way, and retry asks again at once', async () => {
    // E05: "The first byte is written only if the worker's seat has `sendMarginMs` left and at most `sendWithinMs` have passed since the REQUESTED commit was …"
    const env: Record<string, string> = {};
    const process = await worker(env);
    const run = await begin(process, readWithSecret());
    const view = await untilStatus(process, run, 'HELD');
    expect(view.incidents).toMatchObject([
      { kind: 'authorization', step: 'look', message: expect.stringContaining(REASON) },
    ]);
    env['PAWL_SECRET_SHOP_TOKEN'] = 'token-4711';
    await process.app.retry(run, 'look', { by: 'ana', reason: 'set' });
    expect((await untilStatus(process, run, 'COMPLETED')).incidents).toEqual([]);
  });

  it('R18 a run that waits for its secret can be cancelled: nothing was sent, nothing is left to ask', async () => {
    // R18: "Before any effect: CANCELLED."
    const process = await worker();
    const run = await begin(process, withSecret([]));
    await untilStatus(process, run, 'HELD');
    await expect(process.app.cancel(run, { by: 'ana', reason: 'no token' })).resolves.toMatchObject({
      outcome: 'applied',
    });
    const view = await untilStatus(process, run, 'CANCELLED');
    expect([view.incidents, view.effects[0]?.state]).toEqual([[], 'CANCELLED']);
  });
});
