import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { begin, type House, openHouse, type Process, untilStatus } from './support/house.ts';
import { httpAction, sagaOf } from './support/workflows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => house.rest());
afterAll(() => house.close());

async function worker(): Promise<Process> {
  const process = await house.process();
  await process.app.runWorker();
  return process;
}

const ORDER = `pawl: 1
workflow: ordered
version: 1
timeout: 1h
key: input.id
input:
  type: object
  required: [id, currency, amount]
  properties:
    id: { type: string }
    amount: { type: number }
    note: { type: string }
    currency: { type: string, default: CHF }
    address: { type: object, properties: { country: { type: string, default: CH } } }
steps:
  - { id: done, end: { as: told, output: { currency: =input.currency, country: '\${ or(input.address.country, "none") }' } } }
`;

describe('the input of a run', () => {
  const start = (process: Process, input: Parameters<typeof begin>[2]) =>
    process.app.start({ workflow: 'ordered', version: 1, input: input ?? null, by: 'starter' });

  it('has the defaults of its schema written in, visibly; the same input with them spelled out is the same start', async () => {
    const process = await house.process();
    await process.app.publish({ text: ORDER, file: 'x', by: 'starter' });
    const { run } = await start(process, { id: 'A1', amount: 5, address: {} });
    const view = await process.app.show(run.runId);
    expect(view.input).toEqual({ id: 'A1', amount: 5, currency: 'CHF', address: { country: 'CH' } });
    expect(view.output).toEqual({ currency: 'CHF', country: 'CH' });
    const spelled = { id: 'A1', amount: 5, currency: 'CHF', address: { country: 'CH' } };
    expect(await start(process, spelled)).toMatchObject({ created: false, run: { runId: run.runId } });
    await expect(start(process, { ...spelled, currency: 'EUR' })).rejects.toMatchObject({
      code: 'PAWL_RUN_KEY_CONFLICT',
    });
  });

  it('P14 is asked for again where the run under its key is gone before it is read, with the database that it was in', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode"
    const process = await house.process();
    await process.app.publish({ text: ORDER.replace('ordered', 'lost'), file: 'x', by: 'starter' });
    const again = () =>
      process.app.start({ workflow: 'lost', version: 1, input: { id: 'A1', amount: 5 }, by: 'starter' });
    const { run } = await again();
    process.watched.hooks = { around: async (verb, _args, go) => (verb === 'load' ? { runs: [] } : go()) };
    await expect(again()).rejects.toMatchObject({ code: 'PAWL_STORE_UNAVAILABLE', retry: 'later' });
    process.watched.hooks = {};
    expect(await again()).toMatchObject({ created: false, run: { runId: run.runId } });
  });

  it('starts nothing new under its key when a newer version writes other defaults in: the run that is there is given', async () => {
    const process = await house.process();
    const publish = (version: number, text: string) =>
      process.app.publish({ text: text.replace('version: 1', `version: ${version}`), file: 'x', by: 'starter' });
    const latest = (input: Parameters<typeof begin>[2]) =>
      process.app.start({ workflow: 'growing', version: null, input: input ?? null, by: 'starter' });
    const growing = ORDER.replace('workflow: ordered', 'workflow: growing');
    await publish(1, growing);
    const { run } = await latest({ id: 'G1', amount: 5 });
    await publish(2, growing.replace('default: CHF', 'default: EUR').replace('note: {', 'note: { default: none,'));
    await expect(latest({ id: 'G1', amount: 5 })).resolves.toMatchObject({ created: false, run: { runId: run.runId } });
    const spelled = { id: 'G1', amount: 5, currency: 'CHF' };
    await expect(latest(spelled)).resolves.toMatchObject({ created: false, run: { runId: run.runId } });
    await expect(latest({ ...spelled, currency: 'EUR' })).rejects.toMatchObject({ code: 'PAWL_RUN_KEY_CONFLICT' });
    await expect(latest({ id: 'G2', amount: 5 })).resolves.toMatchObject({ created: true, run: { version: 2 } });
  });

  it.each([
    [null, 'null'],
    ['', 'string'],
    [' ', 'string'],
    [false, 'boolean'],
    ['5', 'string'],
  ])('is refused, never coerced: amount %j', async (amount, kind) => {
    const process = await house.process();
    await process.app.publish({ text: ORDER, file: 'x', by: 'starter' });
    const refusal = start(process, { id: `B-${kind}-${String(amount)}`, amount });
    await expect(refusal).rejects.toMatchObject({
      code: 'PAWL_INPUT_INVALID',
      details: { problems: [{ pointer: '/amount', message: `/amount must be number (found ${kind})` }] },
    });
  });

  it.each([
    ['9007199254740993', '/amount'],
    ['100000000000000001', '/amount'],
  ])('P11 a number that cannot be kept exactly is refused with its place: %s', async (amount, pointer) => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    const process = await house.process();
    await process.app.publish({ text: ORDER, file: 'x', by: 'starter' });
    const input = JSON.parse(`{"id":"D1","amount":${amount}}`) as Parameters<typeof begin>[2];
    await expect(start(process, input)).rejects.toMatchObject({
      code: 'PAWL_VALUE_NOT_STORABLE',
      details: { pointer },
    });
  });

  it('is kept byte for byte as it was sent where nothing is missing', async () => {
    const process = await house.process();
    await process.app.publish({ text: ORDER, file: 'x', by: 'starter' });
    const input = { note: '', id: 'C1', currency: '', amount: 0.1, address: { country: '' } };
    const { run } = await start(process, input);
    expect((await process.app.show(run.runId)).input).toEqual(input);
  });
});

describe('an answer that cannot be read', () => {
  it('E12 an HTML page after the act is UNKNOWN unreadable, its bytes filed with the commit and shown in the history', async () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const process = await worker();
    house.provider.setScript({ charge: 'unreadable-done' });
    const text = [
      'pawl: 1',
      'workflow: saga',
      'version: 1',
      'timeout: 1h',
      'actions:',
      httpAction(house.provider.url, 'charge', ['output: { type: object }', 'compensate: none']),
      'steps:',
      '  - { id: charge, call: shop.charge, onUnknown: review }',
      '',
    ].join('\n');
    const run = await begin(process, text);
    const view = await untilStatus(process, run, 'HELD');
    house.provider.setScript({ charge: 'ok' });
    expect(house.happened()).toEqual(['charge']);
    expect(view.effects).toMatchObject([{ state: 'UNKNOWN', code: 'unreadable' }]);
    const { observations } = await process.app.history(run);
    expect(observations).toMatchObject([{ effectKey: view.effects[0]?.key, source: 'unreadable' }]);
    const { message, resultBase64 } = (observations[0]?.detail ?? {}) as Readonly<Record<string, string>>;
    expect(message).toContain('cannot be read');
    expect(Buffer.from(resultBase64 ?? '', 'base64').toString()).toContain('<!doctype html>');
  });
});

describe('the preview of a compensation', () => {
  it('R24 is refused with the step named when the undo of that step cannot be computed: here its address', async () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const process = await worker();
    const { url } = house.provider;
    const text = [
      'pawl: 1',
      'workflow: saga',
      'version: 1',
      'timeout: 1h',
      'actions:',
      httpAction(url, 'charge', ['compensate: { call: shop.back, with: { base: =effect.output.id } }']),
      httpAction('${ with.base }', 'back', ['compensate: none']),
      'steps:',
      '  - { id: charge, call: shop.charge }',
      '',
    ].join('\n');
    const run = await begin(process, text);
    await untilStatus(process, run, 'COMPLETED');
    await expect(process.app.previewCompensation(run)).rejects.toMatchObject({
      code: 'PAWL_EVENT_REFUSED',
      message: expect.stringContaining('the url is not an http(s) address'),
      details: { step: 'charge' },
    });
    await expect(process.app.compensate(run, { by: 'ana', reason: 'x' }, null)).resolves.toMatchObject({
      outcome: 'refused',
      detail: { step: 'charge' },
    });
    expect(house.happened()).toEqual(['charge']);
  });
});

/** Says in the database that workers which held nothing else have crashed over this run. */
async function crash(run: string, times: number): Promise<void> {
  const client = new pg.Client({ connectionString: house.url });
  await client.connect();
  await client.query('UPDATE pawl.run_head SET crashes = $2 WHERE run_id = $1', [run, times]);
  await client.end();
}

describe('a run that was set aside', () => {
  it('P06 is let go by a person without any worker: answered at once, its crashes counted anew, then it goes on', async () => {
    // P06: "only crashes while it is held alone count towards the three that park it (`poison`)."
    const cli = await house.process();
    const run = await begin(cli, sagaOf(house.provider.url, ['reserve', 'charge']));
    await crash(run, 3);
    const first = await worker();
    await untilStatus(first, run, 'HELD');
    await first.app.close(500);
    expect((await cli.app.show(run)).incidents).toMatchObject([{ kind: 'poison', acts: ['retry', 'terminate'] }]);
    const before = (await cli.app.history(run)).journal.length;
    const act = { by: 'ana', reason: 'the provider was replaced' };
    await expect(cli.app.retry(run, 'poison', act)).resolves.toMatchObject({ outcome: 'applied' });
    const view = await cli.app.show(run);
    expect([view.status, view.incidents]).toEqual(['RUNNING', []]);
    expect((await cli.app.history(run)).journal).toHaveLength(before + 1);
    await untilStatus(await worker(), run, 'COMPLETED');
    expect(house.happened()).toEqual(['reserve', 'charge']);
  });
});
