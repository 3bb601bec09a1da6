import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { begin, type House, openHouse, type Process, untilRun, untilStatus } from './support/house.ts';
import { httpAction, sagaOf } from './support/workflows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => house.rest());
afterAll(() => house.close());

function approved(after: readonly string[] = []): string {
  const { url } = house.provider;
  return [
    'pawl: 1',
    'workflow: saga',
    'version: 1',
    'timeout: 1h',
    'input: { type: object, properties: { amount: { type: integer } } }',
    'events: { note: { schema: { type: object, required: [text], properties: { text: { type: string } } } } }',
    'actions:',
    httpAction(url, 'ship', ['compensate: none']),
    'steps:',
    "  - { id: decision, approve: 'Ship it?', subject: { amount: =input.amount }, from: ['role:approver'], expires: 1h }",
    ...after,
    'output: { decision: =steps.decision.output.decision }',
    '',
  ].join('\n');
}

const vote = (process: Process, run: string, principal: string, decision: 'approve' | 'deny' = 'approve') =>
  process.app.vote(run, { approval: null, decision, subjectHash: null, principal, roles: ['approver'], comment: null });

/** Wake-ups that wait for a worker to claim the run. */
async function wakeUps(run: string): Promise<number> {
  const client = new pg.Client({ connectionString: house.url });
  await client.connect();
  const { rows } = await client.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM pawl.ready WHERE run_id = $1',
    [run],
  );
  await client.end();
  return rows[0]?.count ?? -1;
}

describe('people', () => {
  it('P17 free: an approval needs no worker at all; the voter decides, commits and releases', async () => {
    // P17: "the same statement claims that run if it is free, and then the storer decides, commits and releases (it sends nothing)."
    const process = await house.process();
    const run = await begin(process, approved(), { amount: 5 });
    const asked = await process.app.show(run);
    expect(asked.status).toBe('WAITING');
    expect(asked.waitingFor).toMatchObject([{ kind: 'approval', step: 'decision', by: ['role:approver'] }]);
    await expect(vote(process, run, 'ana')).resolves.toMatchObject({ outcome: 'applied', again: false });
    const view = await process.app.show(run);
    expect(view.status).toBe('COMPLETED');
    expect(view.output).toEqual({ decision: 'approved' });
  });

  it('P17 a voter without a worker sends nothing: the effect waits, authorized, for one', async () => {
    // P17: "… "Sends nothing" holds for storers without a worker …"
    const process = await house.process();
    const run = await begin(process, approved(['  - { id: ship, call: shop.ship }']), { amount: 5 });
    await vote(process, run, 'ana');
    const view = await process.app.show(run);
    expect(view.effects).toMatchObject([{ step: 'ship', state: 'AUTHORIZED', attempt: 0 }]);
    expect(view.waitingFor).toMatchObject([{ kind: 'worker', step: 'ship' }]);
    expect(house.happened()).toEqual([]);
    const other = await house.process();
    await other.app.runWorker();
    await untilStatus(other, run, 'COMPLETED');
    expect(house.happened()).toEqual(['ship']);
  });

  it('A03 the starter may not decide, A05 the same vote again is told the first, another after the decision is told it', async () => {
    // A03: "One principal may own several keys and identities."
    const process = await house.process();
    const run = await begin(process, approved(['  - { id: later, wait: 1h }']), { amount: 5 });
    await expect(vote(process, run, 'starter')).resolves.toMatchObject({ outcome: 'refused' });
    await expect(vote(process, run, 'ana')).resolves.toMatchObject({ outcome: 'applied' });
    await expect(vote(process, run, 'ana')).resolves.toMatchObject({ outcome: 'applied', again: true });
    await expect(vote(process, run, 'kai', 'deny')).resolves.toMatchObject({ outcome: 'already-decided' });
  });

  it('R18 a cancel before any effect needs no worker: CANCELLED', async () => {
    // R18: "Before any effect: CANCELLED."
    const process = await house.process();
    const run = await begin(process, approved(), { amount: 5 });
    await expect(process.app.cancel(run, { by: 'ana', reason: 'not wanted' })).resolves.toMatchObject({
      outcome: 'applied',
    });
    expect((await process.app.show(run)).status).toBe('CANCELLED');
    expect((await process.app.history(run)).audit).toMatchObject([
      { actor: 'ana', act: 'cancel', reason: 'not wanted' },
    ]);
  });

  it('R18 a cancel while an effect is in flight is given to its holder, settles and undoes it', async () => {
    // R18: "While compensating: 409."
    const process = await house.process();
    await process.app.runWorker();
    const text = sagaOf(house.provider.url, ['reserve']).replace(
      'output:',
      "  - { id: decision, approve: 'Go on?', from: ['role:approver'], expires: 1h }\noutput:",
    );
    const run = await begin(process, text);
    await untilRun(process, run, (view) => view.approvals.length > 0);
    const told = await process.app.cancel(run, { by: 'ana', reason: 'changed my mind' });
    expect(told.outcome).toBe('applied');
    const view = await untilStatus(process, run, 'CANCELLED');
    expect(house.happened()).toEqual(['reserve', 'unreserve']);
    expect(view.failure).toMatchObject({ code: 'cancelled' });
  });

  it('W05 a run that has ended consumes what comes in and tells its sender', async () => {
    // W05: "A claimed run that has ended consumes its inbox and parks."
    const process = await house.process();
    const run = await begin(process, approved(), { amount: 5 });
    await process.app.cancel(run, { by: 'ana', reason: 'no' });
    await expect(
      process.app.signal(run, {
        name: 'note',
        data: { text: 'late' },
        source: 'shop',
        eventId: 'n-1',
        by: 'ana',
        waitMs: 0,
      }),
    ).resolves.toMatchObject({ outcome: 'ended' });
    await expect(vote(process, run, 'ana')).resolves.toMatchObject({
      outcome: expect.stringMatching(/ended|already-decided/),
    });
    const { inbox } = await process.app.history(run);
    expect(inbox.every((event) => event.consumed)).toBe(true);
    expect(await wakeUps(run)).toBe(0);
  });

  it('V05 what is not declared or does not fit its schema is refused before anything is stored', async () => {
    // V05: "Only declared events are accepted from outside; engine events cannot be forged."
    const process = await house.process();
    const run = await begin(process, approved(), { amount: 5 });
    const send = (name: string, data: object) =>
      process.app.signal(run, { name, data: data as never, source: 'shop', eventId: null, by: 'ana', waitMs: 0 });
    await expect(send('forged', {})).rejects.toMatchObject({ code: 'PAWL_EVENT_UNDECLARED' });
    await expect(send('note', { text: 5 })).rejects.toMatchObject({ code: 'PAWL_INPUT_INVALID' });
    await expect(send('note', { text: 'a\u0000b' })).rejects.toMatchObject({ code: 'PAWL_VALUE_NOT_STORABLE' });
    expect((await process.app.history(run)).inbox).toEqual([]);
  });

  it('V02 the same event id with another payload is a conflict, with the same it is answered as before', async () => {
    // V02: "same id, other payload: conflict, recorded."
    const process = await house.process();
    const run = await begin(process, approved(), { amount: 5 });
    const send = (text: string) =>
      process.app.signal(run, { name: 'note', data: { text }, source: 'shop', eventId: 'n-7', by: 'ana', waitMs: 0 });
    await expect(send('one')).resolves.toMatchObject({ outcome: 'kept', again: false });
    await expect(send('one')).resolves.toMatchObject({ outcome: 'kept', again: true });
    await expect(send('two')).rejects.toMatchObject({ code: 'PAWL_EVENT_CONFLICT' });
    await expect(send('two')).rejects.toMatchObject({ code: 'PAWL_EVENT_CONFLICT' });
    const { inbox, observations } = await process.app.history(run);
    const [counts] = inbox;
    expect(observations).toMatchObject([
      {
        source: 'event-conflict',
        effectKey: '',
        detail: {
          source: 'signal:shop',
          eventId: 'n-7',
          counts: counts?.payloadHash,
          atMs: expect.any(Number) as number,
        },
      },
    ]);
    expect(JSON.stringify(observations)).not.toContain('two');
    expect(process.logger.lines.filter(({ event }) => event === 'event.conflict')).toHaveLength(2);
  });

  it('R24 a completed run is compensated by order: previewed, named by the plan, stale when it moved', async () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const process = await house.process();
    await process.app.runWorker();
    const run = await begin(process, sagaOf(house.provider.url, ['reserve', 'charge']));
    await untilStatus(process, run, 'COMPLETED');
    const plan = await process.app.previewCompensation(run);
    expect(plan.undo.map((undo) => [undo.step, undo.action])).toEqual([
      ['charge', 'shop.uncharge'],
      ['reserve', 'shop.unreserve'],
    ]);
    await expect(
      process.app.compensate(run, { by: 'ana', reason: 'customer cancelled' }, 'f'.repeat(64)),
    ).resolves.toMatchObject({ outcome: 'stale' });
    await expect(
      process.app.compensate(run, { by: 'ana', reason: 'customer cancelled' }, plan.planHash),
    ).resolves.toMatchObject({ outcome: 'applied' });
    await untilStatus(process, run, 'COMPENSATED');
    expect(house.happened()).toEqual(['reserve', 'charge', 'uncharge', 'unreserve']);
  });
});
