import type { ApiRight } from '../model/api-key.ts';
import { invariant } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import { malformed } from './api-error.ts';
import { runFor } from './find-run.ts';
import { inBody } from './in-body.ts';
import type { Answer, BodyDoc, Call, Route } from './route.ts';
import { CANCEL_PREVIEW, COMPENSATION_PREVIEW, DELIVERED, DRY_RUN, objectOf, REASON, REVIEW_AS } from './schemas.ts';
import { answerDelivered } from './tell-delivered.ts';
import { VOTE, voteOf } from './vote.ts';

type Delivered = Parameters<typeof answerDelivered>[0];

/** Who acts, under which name of the act, for which revision. */
function actOf({ caller, idempotencyKey, ifMatch }: Call, reason: string): Parameters<Call['app']['cancel']>[1] {
  invariant(idempotencyKey !== null, 'an act has a key');
  return {
    by: caller.name,
    reason,
    eventId: idempotencyKey,
    ...(ifMatch === null ? {} : { ifRevision: ifMatch }),
  };
}

function reasonIn({ body }: Call): string {
  return (body as { readonly reason: string }).reason;
}

const isDry = ({ query }: Call): boolean => query['dryRun'] === 'true';

/** Gives an order to the run of the path. */
async function order(call: Call, right: ApiRight, act: (run: RunIdentity) => Promise<Delivered>): Promise<Answer> {
  const run = await runFor(call, right);
  return answerDelivered(await act(run), 'order');
}

async function sendEvent(call: Call): Promise<Answer> {
  const run = await runFor(call, 'run:signal');
  const { type, data = null } = call.body as { readonly type: string; readonly data?: Json };
  const { caller, idempotencyKey: eventId } = call;
  const ask = { name: type, data, source: caller.name, eventId, by: caller.name, waitMs: 0 };
  return answerDelivered(await inBody('/data', call.app.signal(run.runId, ask)), 'event');
}

async function vote(call: Call): Promise<Answer> {
  const run = await runFor(call, 'approval:decide');
  const ask = voteOf(call.caller, call.body, { approval: call.params['approval'] ?? null });
  return answerDelivered(await call.app.vote(run.runId, ask), 'order');
}

async function cancel(call: Call): Promise<Answer> {
  if (!isDry(call))
    return order(call, 'run:cancel', ({ runId }) => call.app.cancel(runId, actOf(call, reasonIn(call))));
  const run = await runFor(call, 'run:cancel');
  return { status: 200, body: await call.app.previewCancel(run.runId) };
}

function terminate(call: Call): Promise<Answer> {
  return order(call, 'run:terminate', ({ runId }) => call.app.terminate(runId, actOf(call, reasonIn(call))));
}

function pause(call: Call): Promise<Answer> {
  return order(call, 'run:pause', ({ runId }) => call.app.pause(runId, actOf(call, reasonIn(call))));
}

/** Nothing is made by it, so it is 200 where other acts are 201. */
async function resume(call: Call): Promise<Answer> {
  const { reason = null } = call.query;
  const told = await order(call, 'run:pause', ({ runId }) => call.app.resume(runId, { ...actOf(call, ''), reason }));
  return told.status === 201 ? { ...told, status: 200 } : told;
}

async function compensate(call: Call): Promise<Answer> {
  const { planHash } = call.body as { readonly planHash?: string };
  if (isDry(call)) {
    const run = await runFor(call, 'run:compensate');
    return { status: 200, body: await call.app.previewCompensation(run.runId) };
  }
  if (planHash === undefined)
    throw malformed('planHash is missing: look at the plan first (`?dryRun=true`) and send its hash', [
      { pointer: '/planHash', message: '/planHash is required (found nothing)' },
    ]);
  return order(call, 'run:compensate', ({ runId }) =>
    call.app.compensate(runId, actOf(call, reasonIn(call)), planHash),
  );
}

function retry(call: Call): Promise<Answer> {
  const { step } = call.body as { readonly step: string };
  return order(call, 'run:retry', ({ runId }) => call.app.retry(runId, step, actOf(call, reasonIn(call))));
}

function reconcile(call: Call): Promise<Answer> {
  const { by, eventId } = actOf(call, '');
  return order(call, 'effect:reconcile', ({ runId }) =>
    call.app.reconcile(runId, call.params['effect'] ?? '', by, eventId),
  );
}

function review(call: Call): Promise<Answer> {
  const { as, evidence, output } = call.body as {
    readonly as: Parameters<Call['app']['resolve']>[1]['as'];
    readonly evidence: string;
    readonly output?: Json;
  };
  const { by, eventId, ifRevision } = actOf(call, evidence);
  return order(call, 'effect:review', ({ runId }) =>
    inBody(
      '/output',
      call.app.resolve(runId, {
        effect: call.params['effect'] ?? '',
        as,
        evidence,
        output,
        by,
        roles: call.caller.held,
        ...(eventId === undefined ? {} : { eventId }),
        ...(ifRevision === undefined ? {} : { ifRevision }),
      }),
    ),
  );
}

const WITH_REASON: BodyDoc = {
  kind: 'json',
  schema: objectOf({ reason: REASON }),
  example: { reason: 'the customer has changed their mind' },
};

const TOLD: Route['answers'] = {
  200: { description: 'It had been done before', schema: DELIVERED },
  201: { description: 'Done', schema: DELIVERED },
  202: { description: 'Stored; whoever holds the run decides it', schema: DELIVERED },
};

const PLAN_HASH = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const STEP = { type: 'string', minLength: 1, maxLength: 512 } as const;

/** What people and programs ask of a run. */
export const ACT_ROUTES: readonly Route[] = [
  {
    id: 'sendEvent',
    method: 'POST',
    path: '/v1/runs/{run}/events',
    summary: 'Send a declared event; it is stored first and matched when the run waits for it',
    right: 'run:signal',
    body: {
      kind: 'json',
      schema: objectOf({ type: STEP, 'data?': true }),
      example: { type: 'paid', data: { amount: 740 } },
    },
    idempotency: 'required',
    answers: TOLD,
    handle: sendEvent,
  },
  {
    id: 'vote',
    method: 'POST',
    path: '/v1/runs/{run}/approvals/{approval}/votes',
    summary: 'Approve or deny what an approval has shown; one vote a person, and the same again is the same',
    right: 'approval:decide',
    body: {
      kind: 'json',
      schema: VOTE,
      example: { decision: 'approve', subjectHash: 'a'.repeat(64), comment: 'as agreed' },
    },
    answers: TOLD,
    handle: vote,
  },
  {
    id: 'cancelRun',
    method: 'POST',
    path: '/v1/runs/{run}/cancellations',
    summary: 'Cancel a run: what is open settles, then what was done is undone',
    right: 'run:cancel',
    query: { dryRun: DRY_RUN },
    body: WITH_REASON,
    idempotency: 'required',
    ifMatch: 'optional',
    answers: {
      ...TOLD,
      200: {
        description: 'What a cancel would come to, or that it was there before',
        schema: { anyOf: [CANCEL_PREVIEW, DELIVERED] },
      },
    },
    handle: cancel,
  },
  {
    id: 'terminateRun',
    method: 'POST',
    path: '/v1/runs/{run}/terminations',
    summary: 'Stop a run without undo; what stands is listed',
    right: 'run:terminate',
    body: WITH_REASON,
    idempotency: 'required',
    ifMatch: 'required',
    answers: TOLD,
    handle: terminate,
  },
  {
    id: 'pauseRun',
    method: 'POST',
    path: '/v1/runs/{run}/pauses',
    summary: 'Stop a run where it stands: it decides and sends nothing until it is resumed',
    right: 'run:pause',
    body: {
      kind: 'json',
      schema: objectOf({ reason: REASON }),
      example: { reason: 'the provider answers oddly' },
    },
    idempotency: 'required',
    ifMatch: 'optional',
    answers: TOLD,
    handle: pause,
  },
  {
    id: 'resumeRun',
    method: 'DELETE',
    path: '/v1/runs/{run}/pauses/current',
    summary: 'Let a paused run go on, with all that has come in meanwhile',
    right: 'run:pause',
    query: { reason: { description: 'why, kept with the act', schema: REASON } },
    idempotency: 'required',
    ifMatch: 'optional',
    answers: {
      200: { description: 'It goes on, or did before', schema: DELIVERED },
      202: { description: 'Stored; whoever holds the run decides it', schema: DELIVERED },
    },
    handle: resume,
  },
  {
    id: 'compensateRun',
    method: 'POST',
    path: '/v1/runs/{run}/compensations',
    summary: 'Make amends: the plan first, then the order that names its hash',
    right: 'run:compensate',
    query: { dryRun: DRY_RUN },
    body: {
      kind: 'json',
      schema: objectOf({ reason: REASON, 'planHash?': PLAN_HASH }),
      example: { reason: 'the customer has sent it back', planHash: 'a'.repeat(64) },
    },
    idempotency: 'required',
    ifMatch: 'optional',
    answers: {
      ...TOLD,
      200: {
        description: 'The plan, or that it was ordered before',
        schema: { anyOf: [COMPENSATION_PREVIEW, DELIVERED] },
      },
    },
    handle: compensate,
  },
  {
    id: 'retryStep',
    method: 'POST',
    path: '/v1/runs/{run}/retries',
    summary: 'Let what is held at a step try again',
    right: 'run:retry',
    body: {
      kind: 'json',
      schema: objectOf({ step: STEP, reason: REASON }),
      example: { step: 'charge', reason: 'the limit of the card was raised' },
    },
    idempotency: 'required',
    ifMatch: 'required',
    answers: TOLD,
    handle: retry,
  },
  {
    id: 'reconcileEffect',
    method: 'POST',
    path: '/v1/runs/{run}/effects/{effect}/reconciliations',
    summary: 'Ask the provider now what became of an effect in doubt',
    right: 'effect:reconcile',
    idempotency: 'required',
    answers: TOLD,
    handle: reconcile,
  },
  {
    id: 'reviewEffect',
    method: 'POST',
    path: '/v1/runs/{run}/effects/{effect}/reviews',
    summary: 'Say what became of an effect, with evidence',
    right: 'effect:review',
    body: {
      kind: 'json',
      schema: objectOf({ as: REVIEW_AS, evidence: REASON, 'output?': true }),
      example: { as: 'confirmed', evidence: 'statement of 3 May, line 7', output: { id: 'T-1' } },
    },
    idempotency: 'required',
    ifMatch: 'required',
    answers: TOLD,
    handle: review,
  },
];
