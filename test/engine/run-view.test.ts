import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { begin, type House, openHouse, type Process, untilRun, untilStatus } from './support/house.ts';
import { httpAction, sagaOf } from './support/workflows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => {
  house.provider.setScript({ charge: 'ok', ship: 'ok', uncharge: 'ok', unreserve: 'ok' });
  return house.rest();
});
afterAll(() => house.close());

async function worker(): Promise<Process> {
  const process = await house.process();
  await process.app.runWorker();
  return process;
}

/** A reserve that can be undone, then a charge that nobody can be asked about and a person is told of. */
function doubtful(step = ''): string {
  const { url } = house.provider;
  return [
    'pawl: 1',
    'workflow: saga',
    'version: 1',
    'timeout: 1h',
    'actions:',
    httpAction(url, 'reserve', ['compensate: { call: shop.unreserve, with: { id: =effect.output.id } }']),
    httpAction(url, 'unreserve', ['compensate: none']),
    '  shop.charge:',
    `    http: { method: POST, url: '${url}/charge' }`,
    '    idempotency: none',
    '    timeout: 1s',
    '    compensate: none',
    'steps:',
    '  - { id: reserve, call: shop.reserve }',
    `  - { id: charge, call: shop.charge, review: { from: ['role:auditor'], options: [confirmed, rejected] }${step} }`,
    '',
  ].join('\n');
}

const act = { by: 'ana', reason: 'not wanted' };

describe('what a run shows', () => {
  it('R18 a cancel accepted on a held run is shown: who, when, what it waits for, and who can move that', async () => {
    // R18: "Cancel is an event; it is accepted or refused by the commit that consumes it."
    const process = await worker();
    house.provider.setScript({ charge: 'lost-done' });
    const run = await begin(process, doubtful());
    expect((await untilStatus(process, run, 'HELD')).order).toBeNull();
    await expect(process.app.cancel(run, act)).resolves.toMatchObject({ outcome: 'applied' });
    const view = await process.app.show(run);
    expect([view.status, view.phase]).toEqual(['HELD', 'settling']);
    expect(view.order).toEqual({
      act: 'cancel',
      state: 'accepted',
      by: 'ana',
      reason: 'not wanted',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      waitsFor: ['charge'],
    });
    expect(view.waitingFor).toMatchObject([
      {
        kind: 'person',
        step: 'charge',
        by: ['role:auditor'],
        command: `pawl resolve ${view.id} charge --as confirmed|rejected --evidence TEXT`,
      },
    ]);
  });

  it('R18 a cancel while the pivot is in doubt is shown as recorded, and previewed so', async () => {
    // R18: "While the pivot is REQUESTED or UNKNOWN: recorded; applies if the pivot fails, lapses if it is confirmed."
    const process = await worker();
    house.provider.setScript({ charge: 'lost-done' });
    const run = await begin(process, doubtful(', pivot: true'));
    await untilStatus(process, run, 'HELD');
    const before = await process.app.previewCancel(run);
    expect(before).toMatchObject({ verdict: 'waits', code: null, open: [{ step: 'charge', state: 'UNKNOWN' }] });
    expect(before.undo.map(({ action }) => action)).toEqual(['shop.unreserve']);
    await process.app.cancel(run, act);
    expect((await process.app.show(run)).order).toMatchObject({
      act: 'cancel',
      state: 'recorded',
      waitsFor: ['charge'],
    });
    expect(await process.app.previewCancel(run)).toMatchObject({ verdict: 'refused', code: 'cancel-waits' });
  });

  it('R18 the preview of a cancel says what the act says: refused behind the pivot, while undoing and after the end', async () => {
    // R18: "After the pivot: 409."
    const process = await worker();
    const pivot = sagaOf(house.provider.url, ['reserve', 'charge'])
      .replace('call: shop.reserve,', 'call: shop.reserve, pivot: true,')
      .replace('output:', "  - { id: decision, approve: 'Go on?', from: ['role:approver'], expires: 1h }\noutput:");
    const behind = await begin(process, pivot);
    await untilRun(process, behind, ({ approvals }) => approvals.length > 0);
    expect(await process.app.previewCancel(behind)).toMatchObject({ verdict: 'refused', code: 'pivot' });
    await expect(process.app.cancel(behind, act)).resolves.toMatchObject({ outcome: 'refused', code: 'pivot' });

    house.provider.setScript({ charge: 'declined', unreserve: 'declined' });
    const undoing = await begin(process, sagaOf(house.provider.url, ['reserve', 'charge']));
    await untilStatus(process, undoing, 'HELD');
    expect(await process.app.previewCancel(undoing)).toMatchObject({ verdict: 'refused', code: 'compensating' });
    await expect(process.app.cancel(undoing, act)).resolves.toMatchObject({ outcome: 'refused', code: 'compensating' });

    house.provider.setScript({ charge: 'ok', unreserve: 'ok' });
    const ended = await begin(process, sagaOf(house.provider.url, ['reserve']));
    await untilStatus(process, ended, 'COMPLETED');
    expect(await process.app.previewCancel(ended)).toMatchObject({ verdict: 'refused', code: 'ended' });
    await expect(process.app.cancel(ended, act)).resolves.toMatchObject({ code: 'ended' });
  });

  it('R01 undos stand in the order in which they ran, and what a person has told is marked', async () => {
    // R01: "`reverse`: A, B, C confirmed in this completion order, D rejected: C's compensation is requested first, B's only after C's is confirmed, A's only …"
    const process = await worker();
    house.provider.setScript({ ship: 'declined', uncharge: 'declined' });
    const run = await begin(process, sagaOf(house.provider.url, ['reserve', 'charge', 'ship']));
    const held = await untilStatus(process, run, 'HELD');
    expect(held.waitingFor[0]?.command).toBe(`pawl resolve ${held.id} charge --as retry|undone|waived --evidence TEXT`);
    await process.app.resolve(run, {
      effect: 'charge',
      as: 'undone',
      evidence: 'paid back by hand',
      output: undefined,
      by: 'ana',
      roles: ['operator'],
    });
    const view = await untilStatus(process, run, 'COMPENSATED');
    const undos = view.effects.filter(({ compensates }) => compensates !== null);
    expect(undos.map(({ action, state, observedBy }) => [action, state, observedBy])).toEqual([
      ['shop.uncharge', 'FAILED', 'response'],
      ['shop.uncharge', 'CONFIRMED', 'person'],
      ['shop.unreserve', 'CONFIRMED', 'response'],
    ]);
  });

  it('a run that goes on while it is read is shown as of one moment: no settled effect without its receipt', async () => {
    const process = await worker();
    house.provider.setScript({ ship: 'declined', uncharge: 'declined' });
    const run = await begin(process, sagaOf(house.provider.url, ['reserve', 'charge', 'ship']));
    await untilStatus(process, run, 'HELD');
    const undone = { effect: 'charge', as: 'undone', evidence: 'paid back by hand', output: undefined } as const;
    const reader = await house.process({
      store: {
        ...house.store,
        load: async (part, runs) => {
          await process.app.resolve(run, { ...undone, by: 'ana', roles: ['operator'] });
          await untilStatus(process, run, 'COMPENSATED');
          return house.store.load(part, runs);
        },
      },
    });
    const { status, effects } = await reader.app.show(run);
    expect(status).toBe('COMPENSATED');
    expect(effects.filter(({ state, observedBy }) => state === 'CONFIRMED' && observedBy === null)).toEqual([]);
  });

  it('a payment that was withdrawn stands where it began, before what ran after it', async () => {
    const process = await worker();
    house.provider.setScript({ charge: '503' });
    const text = sagaOf(house.provider.url, ['reserve', 'charge', 'ship'])
      .replace('actions:', 'events: { stop: {} }\nactions:')
      .replace(
        'with: { step: charge }',
        'with: { step: charge }, retry: { attempts: 9, delay: 1h }, on: [{ event: stop, next: ship }]',
      );
    const run = await begin(process, text);
    await untilRun(process, run, ({ waitingFor }) => waitingFor.some(({ kind }) => kind === 'retry'));
    await process.app.signal(run, { name: 'stop', source: 'cli', eventId: 'stop-1', by: 'ana', data: {}, waitMs: 0 });
    const view = await untilStatus(process, run, 'COMPLETED');
    expect(view.effects.map(({ step, state }) => [step, state])).toEqual([
      ['reserve', 'CONFIRMED'],
      ['charge', 'CANCELLED'],
      ['ship', 'CONFIRMED'],
    ]);
  });

  it('undos that have not begun stand in the order of their plan', async () => {
    const process = await worker();
    house.provider.setScript({ ship: 'declined', uncharge: 'declined' });
    const run = await begin(process, sagaOf(house.provider.url, ['first', 'second', 'reserve', 'charge', 'ship']));
    const view = await untilStatus(process, run, 'HELD');
    expect(view.effects.filter(({ compensates }) => compensates !== null).map(({ step }) => step)).toEqual([
      'charge',
      'reserve',
      'second',
      'first',
    ]);
  });

  it('a step that says fail is failed with its code, also where its failure was caught', async () => {
    const process = await house.process();
    const text = [
      'pawl: 1',
      'workflow: saga',
      'version: 1',
      'timeout: 1h',
      'steps:',
      '  - id: fork',
      '    choose:',
      '      - else: [{ id: stop, fail: { code: no-stock } }]',
      '    catch: [{ on: [no-stock], then: continue }]',
      '  - { id: last, fail: { code: broken } }',
      '',
    ].join('\n');
    const run = await begin(process, text);
    const view = await process.app.show(run);
    expect(view.status).toBe('FAILED');
    const fails = view.steps.filter(({ verb }) => verb === 'fail');
    expect(fails.map(({ id, status, code }) => [id, status, code])).toEqual([
      ['stop', 'failed', 'no-stock'],
      ['last', 'failed', 'broken'],
    ]);
  });
});
