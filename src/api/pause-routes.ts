import type { App } from '../app/create-app.ts';
import { type ApiRight, reaches } from '../model/api-key.ts';
import { NotFoundError } from '../model/errors.ts';
import { PAUSE_KINDS, type PauseKind, type PauseSubject } from '../model/pause.ts';
import { malformed } from './api-error.ts';
import { assertReaches, assertUnbound } from './find-run.ts';
import type { Answer, Call, Route } from './route.ts';
import { listOf, objectOf, REASON } from './schemas.ts';

type View = Awaited<ReturnType<App['pauses']>>[number];
type Body = { readonly [Kind in PauseKind]?: string } & { readonly reason: string };

/** @throws PAWL_API_MALFORMED unless a body names one thing. */
function subjectOf(body: Body): PauseSubject {
  const named = PAUSE_KINDS.flatMap((kind) => {
    const { [kind]: name } = body;
    return name === undefined ? [] : [{ kind, name }];
  });
  const [subject] = named;
  if (subject !== undefined && named.length === 1) return subject;
  throw malformed('a pause is of one workflow, one action or one host', [
    { pointer: '', message: 'either /workflow, /action or /host' },
  ]);
}

/** Actions and hosts are everybody's: a key that is bound to some workflows stops those alone. A pattern that fits a scope as a name does is within it. */
function assertOver(call: Call, right: ApiRight, { kind, name }: PauseSubject): void {
  if (kind === 'workflow') assertReaches(call.caller, right, name);
  else assertUnbound(call);
}

async function begin(call: Call): Promise<Answer> {
  const body = call.body as unknown as Body;
  const subject = subjectOf(body);
  assertOver(call, 'run:pause', subject);
  const pause = await call.app.beginPause({ ...subject, by: call.caller.name, reason: body.reason });
  return { status: 201, body: pause, headers: { location: `/v1/pauses/${pause.id}` } };
}

/** Whether a caller is told of a pause: whatever keeps their runs from being sent, and no workflow that they may not read. */
function sees({ caller }: Call, { kind, name }: View): boolean {
  return kind !== 'workflow' || caller.scopes.length === 0 || reaches(caller, 'run:read', name);
}

async function list(call: Call): Promise<Answer> {
  return { status: 200, body: { data: (await call.app.pauses()).filter((pause) => sees(call, pause)) } };
}

async function end(call: Call): Promise<Answer> {
  const id = call.params['pause'] ?? '';
  const pause = (await call.app.pauses()).find((known) => known.id === id && sees(call, known));
  if (pause === undefined) throw new NotFoundError('PAWL_PAUSE_NOT_FOUND', `there is no pause ${id}`, { pause: id });
  assertOver(call, 'run:pause', pause);
  const { reason = null } = call.query;
  return { status: 200, body: await call.app.endPause(id, { by: call.caller.name, reason }) };
}

const TEXT = { type: 'string' } as const;
const NAME = { type: 'string', minLength: 1, maxLength: 255 } as const;

const PAUSE = objectOf({
  id: TEXT,
  kind: { enum: [...PAUSE_KINDS] },
  name: TEXT,
  by: TEXT,
  reason: TEXT,
  since: { type: 'string', format: 'date-time' },
});

/** Pauses of a workflow, an action or a host. */
export const PAUSE_ROUTES: readonly Route[] = [
  {
    id: 'beginPause',
    method: 'POST',
    path: '/v1/pauses',
    summary:
      'Have nothing of a workflow, of an action or to a host be sent until it is resumed; `*` stands for any characters',
    right: 'run:pause',
    body: {
      kind: 'json',
      schema: objectOf({ 'workflow?': NAME, 'action?': NAME, 'host?': NAME, reason: REASON }),
      example: { host: 'api.bank.example', reason: 'the bank is down' },
    },
    answers: { 201: { description: 'Nothing of it is sent', schema: PAUSE } },
    handle: begin,
  },
  {
    id: 'listPauses',
    method: 'GET',
    path: '/v1/pauses',
    summary: 'What is paused, the oldest first',
    right: 'run:read',
    answers: { 200: { description: 'The pauses', schema: objectOf({ data: listOf(PAUSE) }) } },
    handle: list,
  },
  {
    id: 'endPause',
    method: 'DELETE',
    path: '/v1/pauses/{pause}',
    summary: 'End a pause: what waited goes on at once',
    right: 'run:pause',
    query: { reason: { description: 'why, kept with the act', schema: REASON } },
    answers: { 200: { description: 'The pause that has ended', schema: PAUSE } },
    handle: end,
  },
];
