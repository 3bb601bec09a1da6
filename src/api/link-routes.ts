import type { App } from '../app/create-app.ts';
import type { Verbs } from '../app/verbs.ts';
import { compileSchema, tellMisfits } from '../definition/schema-validator.ts';
import { hashJson } from '../model/hash.ts';
import { LINK_SOURCE, type LinkTarget } from '../model/link.ts';
import { assertMay } from './admit.ts';
import { ApiError, malformed } from './api-error.ts';
import { runFor } from './find-run.ts';
import { inBody } from './in-body.ts';
import type { Answer, Call, Route } from './route.ts';
import { DELIVERED } from './schemas.ts';
import { answerDelivered } from './tell-delivered.ts';
import { VOTE, voteOf } from './vote.ts';

type Followed = Awaited<ReturnType<Verbs['followLink']>>;

/** Where addresses begin. */
const PREFIX = '/v1/links/';

/** A path as an answer may repeat it: an address is a secret, and all that are not one are told in the same words. */
export function toldPath(path: string): string {
  return path.startsWith(PREFIX) ? `${PREFIX}{token}` : path;
}

/** @throws PAWL_API_UNAUTHENTICATED, for every address that does not count, in the same words. */
function targetOf({ engine }: App, { token = '' }: Call['params']): LinkTarget {
  const target = engine.links?.read(token) ?? null;
  if (target !== null) return target;
  const headers = { 'www-authenticate': 'Bearer' };
  throw new ApiError('PAWL_API_UNAUTHENTICATED', 'the address does not count', { headers });
}

/** Whoever was told the address of a wait says what it waits for; the same again is the same. */
async function sendEvent({ app, body, idempotencyKey }: Call, { run, name }: Followed, event: string): Promise<Answer> {
  const ask = {
    name: event,
    data: body,
    source: `${LINK_SOURCE}:${name}`,
    eventId: idempotencyKey ?? hashJson(body),
    by: LINK_SOURCE,
    link: name,
    waitMs: 0,
  };
  return answerDelivered(await inBody('', app.signal(run.runId, ask)), 'event');
}

/** An address is nobody: who votes is who shows a key, with all that is asked of them elsewhere (A02, A03, S27). */
async function vote(call: Call, { run, name: link }: Followed): Promise<Answer> {
  const caller = await call.identify();
  assertMay(caller, 'approval:decide');
  await runFor({ ...call, caller, params: { run: run.runId } }, 'approval:decide');
  const misfits = compileSchema(VOTE)(call.body);
  if (misfits.length > 0) throw malformed(`the body does not fit: ${tellMisfits(misfits)}`, misfits);
  return answerDelivered(await call.app.vote(run.runId, voteOf(caller, call.body, { approval: null, link })), 'order');
}

async function follow(call: Call): Promise<Answer> {
  const followed = await call.app.followLink(targetOf(call.app, call.params));
  return followed.event === null ? vote(call, followed) : sendEvent(call, followed, followed.event);
}

/** What a signed address opens: one wait of one run. */
export const LINK_ROUTES: readonly Route[] = [
  {
    id: 'followLink',
    method: 'POST',
    path: `${PREFIX}{token}`,
    summary:
      'Answer the wait that a signed address was made for: the body is the data of its event, without a key; of an approval it is a vote, with a key',
    right: null,
    admit: (app, params) => void targetOf(app, params),
    body: { kind: 'json', schema: {}, example: { amount: 740 } },
    idempotency: 'optional',
    answers: {
      200: { description: 'It had come before', schema: DELIVERED },
      201: { description: 'It was decided; `outcome` says whether it moved the run', schema: DELIVERED },
      202: { description: 'Stored; whoever holds the run decides it', schema: DELIVERED },
    },
    handle: follow,
  },
];
