import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../src/engine/run-view.ts';
import { type ApiHouse, newAct, openApiHouse, type Told } from './support/api-house.ts';
import { atLength } from './support/length.ts';
import { ASK, DOUBT, LISTEN, ORDER, publishAll, SLEEP, startRun } from './support/workflows.ts';

/** Nobody works in the first: whoever asks decides, at once. */
let house: ApiHouse;
let working: ApiHouse;
beforeAll(async () => {
  house = await openApiHouse();
  await publishAll(house, [SLEEP, LISTEN, ASK]);
  working = await openApiHouse({ worker: true });
  await publishAll(working, [ORDER, DOUBT]);
});
afterAll(async () => {
  await house.close();
  await working.close();
});

const RACES = atLength(1_000, 50);
const REASON = { reason: 'it was asked for' };
const outcomeOf = (told: Told): unknown => told.json<{ outcome: string }>().outcome;
const codeOf = (told: Told): unknown => told.json<{ code: string }>().code;

/** A run as it is told once it rests, and its tag; where somebody works it may wait for a second sending meanwhile. */
async function rested(id: string, at = house): Promise<{ readonly run: RunView; readonly etag: string }> {
  const moving = at === working ? ['RUNNING', 'COMPENSATING', 'WAITING'] : ['RUNNING', 'COMPENSATING'];
  const look = async (): Promise<{ readonly run: RunView; readonly etag: string }> => {
    const told = await at.get(`/v1/runs/${id}?wait=20s`);
    return { run: told.json<RunView>(), etag: String(told.headers['etag']) };
  };
  let seen = await look();
  await expect
    .poll(
      async () => {
        seen = await look();
        return seen.run.status;
      },
      { timeout: 60_000 },
    )
    .not.toBeOneOf(moving);
  return seen;
}

describe('pauses', () => {
  it('of two operators who pause at once one does, and the other is told who; a resume takes what has come in', async () => {
    const id = await startRun(house, 'listen', 'pause-race');
    const path = `/v1/runs/${id}/pauses`;
    const told = await Promise.all([1, 2].map(() => house.post(path, REASON, { as: 'operator' })));
    expect(told.map(({ status }) => status).sort()).toEqual([201, 409]);
    const refused = told.find(({ status }) => status === 409);
    expect(refused?.json()).toMatchObject({
      detail: 'it is paused already',
      details: { answer: 'paused', detail: { reason: REASON.reason } },
    });
    const { run } = await rested(id);
    expect(run).toMatchObject({ status: 'WAITING', paused: { reason: REASON.reason } });
    await house.post(`/v1/runs/${id}/events`, { type: 'paid', data: { amount: 7 } });
    expect((await rested(id)).run.status).toBe('WAITING');
    const resume = (as: 'operator' | 'viewer'): Promise<Told> =>
      house.call('DELETE', `${path}/current`, { as, headers: newAct() });
    expect((await resume('viewer')).status).toBe(403);
    expect((await resume('operator')).status).toBe(200);
    const after = await rested(id);
    expect([after.run.status, after.run.paused]).toEqual(['COMPLETED', undefined]);
    expect((await resume('operator')).status).toBe(409);
    const { data, faults } = await house.app.runActs(id);
    expect([data.map(({ act }) => act), faults]).toEqual([['pause', 'resume'], []]);
  });
});

describe('events', () => {
  it('V02 50 copies of one event at once are one transition', async () => {
    // V02: "`(source, event id)` is unique as long as receipts are kept, before matching to a run and again in the run's inbox"
    const id = await startRun(house, 'listen', 'copies');
    const headers = newAct();
    const event = { type: 'paid', data: { amount: 7 } };
    const told = await Promise.all(
      Array.from({ length: 50 }, () => house.post(`/v1/runs/${id}/events`, event, { headers })),
    );
    expect(told.filter(({ status }) => status >= 400)).toEqual([]);
    const { run } = await rested(id);
    expect(run.status).toBe('COMPLETED');
    const { journal } = await house.app.history(id);
    expect(journal.filter(({ event: of }) => of.type === 'await.settled' || of.id.includes('signal:'))).toHaveLength(1);
    const again = await house.post(`/v1/runs/${id}/events`, event, { headers });
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
  });

  it('of 50 different events at once, of which one is waited for, one moves the run, and each of the others is told so', async () => {
    const id = await startRun(house, 'listen', 'crowd');
    const told = await Promise.all(
      Array.from({ length: 50 }, (_, amount) =>
        house.post(`/v1/runs/${id}/events`, { type: 'paid', data: { amount } }),
      ),
    );
    expect(told.map(({ status }) => status)).toEqual(told.map(() => 201));
    expect(told.map(outcomeOf).sort()).toEqual(['applied', ...Array<string>(49).fill('ended')]);
    const winner = told.findIndex((one) => outcomeOf(one) === 'applied');
    const { run } = await rested(id);
    expect(run.status).toBe('COMPLETED');
    const { journal, inbox } = await house.app.history(id);
    expect(journal.filter(({ event: of }) => of.id.includes('signal:'))).toHaveLength(1);
    expect(inbox.filter(({ outcome }) => outcome === 'applied')).toMatchObject([
      { payload: { type: 'signal', data: { amount: winner } } },
    ]);
  });

  it('V02 the same name of an act with other data is 409', async () => {
    // V02: "same id, other payload: conflict, recorded."
    const id = await startRun(house, 'listen', 'other-data');
    const headers = newAct();
    await house.post(`/v1/runs/${id}/events`, { type: 'paid', data: { amount: 7 } }, { headers });
    const told = await house.post(`/v1/runs/${id}/events`, { type: 'paid', data: { amount: 8 } }, { headers });
    expect([told.status, codeOf(told)]).toEqual([409, 'PAWL_EVENT_CONFLICT']);
  });

  it('V05 only a declared one is taken, and data that do not fit are 422 with their place', async () => {
    // V05: "Only declared events are accepted from outside; engine events cannot be forged."
    const id = await startRun(house, 'listen', 'undeclared');
    const told = await house.post(`/v1/runs/${id}/events`, { type: 'effect.settled', data: {} });
    expect([told.status, codeOf(told)]).toEqual([409, 'PAWL_EVENT_UNDECLARED']);
    const misfit = await house.post(`/v1/runs/${id}/events`, { type: 'paid', data: { amount: 'x' } });
    expect(misfit.json()).toMatchObject({ status: 422, errors: [{ pointer: '/data/amount' }] });
  });

  it('V04 one for a run that has ended is received all the same', async () => {
    // V04: "An event for a run that ended is consumed as `ended`, answered 2xx."
    const id = await startRun(house, 'listen', 'over');
    await house.post(`/v1/runs/${id}/cancellations`, REASON);
    expect((await rested(id)).run.status).toBe('CANCELLED');
    const told = await house.post(`/v1/runs/${id}/events`, { type: 'paid', data: { amount: 1 } });
    expect([told.status, outcomeOf(told)]).toEqual([201, 'ended']);
  });
});

describe('votes', () => {
  const ask = async (key: string, as: string): Promise<{ path: string; subjectHash: string }> => {
    const started = await house.post('/v1/runs', { workflow: 'ask', input: { id: key } }, { as });
    const { id, approvals } = started.json<RunView>();
    return { path: `/v1/runs/${id}/approvals/${approvals[0]?.id}/votes`, subjectHash: approvals[0]?.subjectHash ?? '' };
  };

  it('A03 whoever started the run cannot vote, under any of their keys: 403 naming the rule', async () => {
    // A03: "Whoever is in `except` (default: who started the run) cannot vote: 403 naming the rule. One principal may own several keys and identities."
    const starts = await house.key(['operator'], { principal: 'ana' });
    const decides = await house.key(['approver'], { principal: 'ana' });
    const { path, subjectHash } = await ask('own', starts);
    const told = await house.post(path, { decision: 'approve', subjectHash }, { as: decides });
    expect(told.json()).toMatchObject({
      status: 403,
      code: 'PAWL_API_FORBIDDEN',
      details: { answer: 'except', detail: { rule: 'A03' } },
    });
  });

  it('A02 two keys of one person are one vote, and the roles are those that are held now', async () => {
    // A02: "A vote is an append-only row, one per person, with the roles held when it arrived."
    const starts = await house.key(['operator'], { principal: 'kai' });
    const { path, subjectHash } = await ask('two-keys', starts);
    const [one, two] = [
      await house.key(['approver'], { principal: 'ana' }),
      await house.key(['admin'], { principal: 'ana' }),
    ];
    const vote = { decision: 'approve', subjectHash } as const;
    expect((await house.post(path, vote, { as: one })).status).toBe(201);
    const denied = await house.post(path, { ...vote, decision: 'deny' }, { as: two });
    expect([denied.status, codeOf(denied)]).toEqual([409, 'PAWL_EVENT_REFUSED']);
    const run = path.split('/')[3] ?? '';
    const { approvals } = (await house.get(`/v1/runs/${run}`)).json<RunView>();
    expect(approvals[0]?.votes).toMatchObject([{ principal: 'ana', decision: 'approve' }]);
    const { inbox } = await house.app.history(run);
    const cast = inbox.flatMap(({ payload }) => (payload?.type === 'vote' ? [payload.roles] : []));
    expect(cast[0]).toEqual(['approver', 'finance']);
  });

  it('A05 the same vote again is 200 with the first; after the decision another one is 409', async () => {
    // A05: "The same vote again: 200 with the first; another vote of the same person, or a vote after the decision: 409 with it."
    const { path, subjectHash } = await ask('decided', await house.key(['operator'], { principal: 'kai' }));
    const keys = await Promise.all(['ana', 'lou', 'max'].map((principal) => house.key(['approver'], { principal })));
    const vote = (as: string | undefined): Promise<Told> =>
      house.post(path, { decision: 'approve', subjectHash }, { as: as ?? null });
    expect([(await vote(keys[0])).status, (await vote(keys[0])).status]).toEqual([201, 200]);
    expect((await vote(keys[1])).status).toBe(201);
    expect((await vote(keys[2])).json()).toMatchObject({ status: 409, details: { answer: 'decided' } });
  });

  it('A04 a vote on something else than what stands there is 409 with what does', async () => {
    // A04: "A vote carries the hash it saw; another hash: 409 stale."
    const { path, subjectHash } = await ask('stale', await house.key(['operator'], { principal: 'kai' }));
    const told = await house.post(path, { decision: 'approve', subjectHash: '0'.repeat(64) }, { as: 'approver' });
    expect(told.json()).toMatchObject({ status: 409, details: { answer: 'subject', detail: { subjectHash } } });
  });

  it('S19 a role that may not decide is 403, and nobody votes without saying what they saw', async () => {
    const { path, subjectHash } = await ask('who', await house.key(['operator'], { principal: 'kai' }));
    const author = await house.key(['admin'], { principal: 'lia' });
    expect((await house.post(path, { decision: 'approve', subjectHash }, { as: author })).json()).toMatchObject({
      status: 403,
      details: { answer: 'not-eligible' },
    });
    expect((await house.post(path, { decision: 'approve' }, { as: 'approver' })).status).toBe(400);
    const nowhere = path.replace(/approvals\/[^/]+/, 'approvals/none');
    expect(codeOf(await house.post(nowhere, { decision: 'approve', subjectHash }, { as: 'approver' }))).toBe(
      'PAWL_APPROVAL_NOT_FOUND',
    );
  });
});

describe('cancelling and terminating', () => {
  it('R18 a cancel is shown before it is ordered, and a second one is 409', async () => {
    // R18: "Cancel is an event; it is accepted or refused by the commit that consumes it."
    const id = await startRun(house, 'sleep', 'cancelled');
    const dry = await house.call('POST', `/v1/runs/${id}/cancellations?dryRun=true`, { body: REASON });
    expect([dry.status, dry.json()]).toEqual([200, expect.objectContaining({ verdict: 'applies', undo: [] })]);
    expect((await rested(id)).run.status).toBe('WAITING');
    const headers = newAct();
    expect((await house.post(`/v1/runs/${id}/cancellations`, REASON, { headers })).status).toBe(201);
    expect((await house.post(`/v1/runs/${id}/cancellations`, REASON, { headers })).status).toBe(200);
    const second = await house.post(`/v1/runs/${id}/cancellations`, REASON);
    expect([second.status, codeOf(second)]).toEqual([409, 'PAWL_EVENT_REFUSED']);
    const { run } = await rested(id);
    expect([run.status, run.failure]).toEqual(['CANCELLED', expect.anything()]);
  });

  it(`of two who terminate at one revision one does, and the other is told why not: ${RACES} times`, async () => {
    const one = await house.key(['operator'], { principal: 'ana' });
    const two = await house.key(['operator'], { principal: 'kai' });
    for (let round = 0; round < RACES; round += 1) {
      const id = await startRun(house, 'sleep', `race-${round}`);
      const { etag } = await rested(id);
      const told = await Promise.all(
        [one, two].map((as) =>
          house.post(`/v1/runs/${id}/terminations`, REASON, { as, headers: { 'if-match': etag } }),
        ),
      );
      const statuses = told.map(({ status }) => status).sort();
      expect(statuses[0], `round ${round}`).toBe(201);
      expect([409, 412], `round ${round}`).toContain(statuses[1]);
      const { data } = (await house.get(`/v1/runs/${id}/audit`)).json<{ data: readonly { act: string }[] }>();
      expect(
        data.map(({ act }) => act),
        `round ${round}`,
      ).toEqual(['terminate']);
    }
  }, 300_000);

  it('is 412 for a revision that the run has left', async () => {
    const id = await startRun(house, 'sleep', 'moved');
    const told = await house.post(`/v1/runs/${id}/terminations`, REASON, { headers: { 'if-match': '"99"' } });
    expect(told.json()).toMatchObject({
      status: 412,
      code: 'PAWL_RUN_MOVED',
      details: { answer: 'moved', detail: { revision: expect.any(Number) } },
    });
    expect((await rested(id)).run.status).toBe('WAITING');
  });
});

describe('compensating, retrying, and effects in doubt', () => {
  it('R24 a completed run is compensated by the plan that was shown, and by no other', async () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const id = await startRun(working, 'order', 'regretted');
    expect((await rested(id, working)).run.status).toBe('COMPLETED');
    const path = `/v1/runs/${id}/compensations`;
    const plan = (await working.call('POST', `${path}?dryRun=true`, { body: REASON })).json<{ planHash: string }>();
    expect(plan).toMatchObject({ undo: [{ step: 'reserve', action: 'shop.unreserve' }] });
    expect((await working.post(path, REASON)).json()).toMatchObject({
      status: 400,
      errors: [{ pointer: '/planHash' }],
    });
    const stale = await working.post(path, { ...REASON, planHash: '0'.repeat(64) });
    expect(stale.json()).toMatchObject({ status: 409, details: { answer: 'plan' } });
    const order = { ...REASON, planHash: plan.planHash };
    expect((await working.post(path, order)).status).toBe(201);
    expect((await rested(id, working)).run.status).toBe('COMPENSATED');
    expect((await working.post(path, order)).status).toBe(409);
  });

  it('a held step is tried again, once for one look at the run', async () => {
    const id = await startRun(working, 'order', 'undone-1');
    const { run, etag } = await rested(id, working);
    expect([run.status, run.incidents[0]?.kind]).toEqual(['HELD', 'failure']);
    const retry = { step: 'ship', reason: 'there is more now' };
    const headers = { 'if-match': etag };
    const told = await Promise.all([1, 2].map(() => working.post(`/v1/runs/${id}/retries`, retry, { headers })));
    const statuses = told.map(({ status }) => status).sort();
    expect([statuses[0], [409, 412].includes(statuses[1] ?? 0)]).toEqual([201, true]);
    const unknown = await working.post(
      `/v1/runs/${id}/retries`,
      { ...retry, step: 'none' },
      { headers: { 'if-match': (await rested(id, working)).etag } },
    );
    expect([unknown.status, codeOf(unknown)]).toEqual([409, 'PAWL_EVENT_REFUSED']);
  });

  it('an effect in doubt is not asked about where that cannot be, and is settled by a person with evidence', async () => {
    const id = await startRun(working, 'doubt', 'lost');
    const { run, etag } = await rested(id, working);
    expect([run.status, run.effects[0]?.state]).toEqual(['HELD', 'UNKNOWN']);
    const path = `/v1/runs/${id}/effects/wire`;
    const asked = await working.call('POST', `${path}/reconciliations`, { headers: newAct() });
    expect(asked.json()).toMatchObject({ status: 409, details: { answer: 'no-reconcile' } });
    const review = { as: 'confirmed', evidence: 'statement, line 7', output: { id: 'T-1' } } as const;
    const headers = { 'if-match': etag };
    const misfit = await working.post(`${path}/reviews`, { ...review, output: { id: 7 } }, { headers });
    expect(misfit.json()).toMatchObject({ status: 422, errors: [{ pointer: '/output/id' }] });
    const none = await working.post(`/v1/runs/${id}/effects/none/reviews`, review, { headers });
    expect([none.status, codeOf(none)]).toEqual([404, 'PAWL_EFFECT_NOT_FOUND']);
    const other = await working.post(`${path}/reviews`, review, { headers });
    expect(other.json()).toMatchObject({ status: 403, details: { answer: 'not-eligible' } });
    // It is answerable as soon as what has left cannot arrive any more.
    const answer = async (): Promise<number> =>
      (await working.post(`${path}/reviews`, review, { headers, as: 'operator' })).status;
    await expect.poll(answer, { timeout: 60_000, interval: 200 }).toBe(201);
    const { run: after } = await rested(id, working);
    expect([after.status, after.effects[0]?.observedBy]).toEqual(['COMPLETED', 'person']);
  });
});
