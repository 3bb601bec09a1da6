import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { begin, type House, openHouse, type Process, untilRun, untilStatus } from './support/house.ts';
import { httpAction, sagaOf } from './support/workflows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => house.rest());
afterAll(() => house.close());

async function worker(env: Readonly<Record<string, string>> = {}): Promise<Process> {
  const process = await house.process({ env });
  await process.app.runWorker();
  return process;
}

/** A saga whose second step is asked about instead of sent again. */
function queried(extra: readonly string[]): string {
  return sagaOf(house.provider.url, ['reserve', 'charge'], {
    charge: [
      'reconcile:',
      `  http: { method: GET, url: '${house.provider.url}/charge?key=\${ effect.key }' }`,
      '  found: size(response.body.items) > 0',
      "  output: '${ response.body.items[0] }'",
      '  absent: final',
      '  every: 1s',
      ...extra,
    ],
  }).replace('call: shop.charge,', 'call: shop.charge, onUnknown: reconcile,');
}

describe('an outcome that nobody knows', () => {
  it('E06 resend: a lost answer is settled by the same bytes under the same key; it happened once', async () => {
    // E06: "UNKNOWN: resend with the same bytes while the key is remembered (`onUnknown: resend`, the default for a remembered key); else reconcile; else review."
    const process = await worker();
    house.provider.setScript({ charge: 'lost-done, ok' });
    const run = await begin(process, sagaOf(house.provider.url, ['reserve', 'charge']));
    const view = await untilStatus(process, run, 'COMPLETED');
    house.provider.setScript({ charge: 'ok' });
    expect(house.happened()).toEqual(['reserve', 'charge']);
    expect(view.effects[1]).toMatchObject({ step: 'charge', state: 'CONFIRMED', attempt: 2, resends: 1 });
    const calls = house.provider.calls().filter((call) => call.key === view.effects[1]?.key);
    expect(calls.map((call) => call.attempt)).toEqual([1, 2]);
  });

  it('E06 query: an action that says so is asked, and never sent again', async () => {
    // E06: "Never FAILED by assumption, never a fresh key."
    const process = await worker();
    house.provider.setScript({ charge: 'lost-done, ok' });
    const run = await begin(process, queried([]));
    const view = await untilStatus(process, run, 'COMPLETED');
    house.provider.setScript({ charge: 'ok' });
    expect(house.happened()).toEqual(['reserve', 'charge']);
    expect(view.effects[1]).toMatchObject({ state: 'CONFIRMED', attempt: 1, queries: 1 });
    const [, receipt] = (await process.app.verify(run)).receipts;
    expect(receipt?.observedBy).toBe('query');
  });

  it('E09 attempts and queries stay in the ledger: the journal has one row per settled effect', async () => {
    // E09: "Attempts, queries and reviews stay inside the ledger."
    const process = await worker();
    house.provider.setScript({ charge: 'lost-done, ok' });
    const run = await begin(process, sagaOf(house.provider.url, ['reserve', 'charge']));
    const view = await untilStatus(process, run, 'COMPLETED');
    house.provider.setScript({ charge: 'ok' });
    const { journal } = await process.app.history(run);
    expect(journal.map((row) => row.event.id)).toEqual([run, ...view.effects.map((effect) => `${effect.key}:settled`)]);
    expect(view.revision).toBe(3);
  });

  it('E05 secret: without its secret nothing is sent, the attempt does not count, and its name is told', async () => {
    // E05: "else the attempt is settled unavailable (not sent), which does not count against `attempts`: back to AUTHORIZED, not before 1 s."
    const process = await worker();
    const action = httpAction(house.provider.url, 'reserve', [
      'auth: { bearer: =secrets.shopAPIKey }',
      'compensate: none',
    ]);
    const text = `pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\nsecrets: [shopAPIKey]\nactions:\n${action}\nsteps:\n  - { id: reserve, call: shop.reserve }\n`;
    const run = await begin(process, text);
    const view = await untilRun(process, run, (seen) => (seen.effects[0]?.lastError ?? null) !== null);
    expect(view.effects[0]).toMatchObject({ state: 'AUTHORIZED', code: 'secret-missing' });
    expect(view.effects[0]?.lastError).toContain(
      'the secret shopAPIKey is missing here: it is read from PAWL_SECRET_SHOP_API_KEY',
    );
    expect(house.happened()).toEqual([]);
  });

  it('P12 a secret goes out in its header and is in no row, receipt or log line', async () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const process = await worker({ PAWL_SECRET_SHOP_TOKEN: 'canary-7f3a' });
    const action = httpAction(house.provider.url, 'reserve', [
      'auth: { bearer: =secrets.shopToken }',
      'compensate: none',
    ]);
    const text = `pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\nsecrets: [shopToken]\nactions:\n${action}\nsteps:\n  - { id: reserve, call: shop.reserve }\n`;
    const run = await begin(process, text);
    const view = await untilStatus(process, run, 'COMPLETED');
    const everything = JSON.stringify([
      view,
      await process.app.history(run),
      await process.app.verify(run),
      process.logger.lines,
      process.watched.calls.map((call) => call.args),
    ]);
    expect(everything).not.toContain('canary-7f3a');
    expect(house.happened()).toEqual(['reserve']);
  });

  it('E07 without key and query a lost answer is never sent again: a person is asked', async () => {
    // E07: "`idempotency: none` without reconcile is never sent again after a sending whose outcome is not definite."
    const process = await worker();
    house.provider.setScript({ reserve: 'lost-done, ok' });
    const action = [
      '  shop.reserve:',
      `    http: { method: POST, url: '${house.provider.url}/reserve' }`,
      '    idempotency: none',
      '    timeout: 1s',
      '    settlesWithin: 1s',
      '    compensate: none',
    ].join('\n');
    const text = `pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\nactions:\n${action}\nsteps:\n  - { id: reserve, call: shop.reserve }\n`;
    const run = await begin(process, text);
    const view = await untilStatus(process, run, 'HELD');
    house.provider.setScript({ reserve: 'ok' });
    expect(view.incidents).toMatchObject([{ kind: 'unknown', step: 'reserve' }]);
    expect(view.waitingFor[0]?.command).toContain('pawl resolve run_');
    expect(house.happened()).toEqual(['reserve']);
    const early = await process.app.resolve(run, {
      effect: 'reserve',
      as: 'confirmed',
      evidence: 'seen in the shop',
      output: { id: 'reserve-9' },
      by: 'ana',
      roles: ['operator'],
    });
    expect(early).toMatchObject({ outcome: 'refused', code: 'quarantine' });
  });
});
