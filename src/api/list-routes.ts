import { reaches } from '../model/api-key.ts';
import { assertUnbound } from './find-run.ts';
import type { Answer, Call, Route } from './route.ts';
import { listOf, LOCK, MESSAGE, objectOf, QUEUE, SCHEDULE, WORKER } from './schemas.ts';

/** Schedules of one answer. */
const SCHEDULES_MAX = 1_000;

async function schedules({ app, caller }: Call): Promise<Answer> {
  const all = await app.schedules(SCHEDULES_MAX);
  return { status: 200, body: { data: all.filter(({ workflow }) => reaches(caller, 'run:read', workflow)) } };
}

/** What is not of one workflow is told only to keys that are bound to none. */
function ofHouse(list: (call: Call) => Promise<readonly unknown[]>): Route['handle'] {
  return async (call) => {
    assertUnbound(call);
    return { status: 200, body: { data: await list(call) } };
  };
}

const NAME = { type: 'string', minLength: 1, maxLength: 512 } as const;
const answers = (schema: Parameters<typeof listOf>[0]): Route['answers'] => ({
  200: { description: 'The list', schema: objectOf({ data: listOf(schema) }) },
});

/** What the house holds beside its runs: read only. */
export const LIST_ROUTES: readonly Route[] = [
  {
    id: 'listSchedules',
    method: 'GET',
    path: '/v1/schedules',
    summary: 'Workflows that start by themselves, with the instant that comes next; at most 1,000',
    right: 'run:read',
    answers: answers(SCHEDULE),
    handle: schedules,
  },
  {
    id: 'listLocks',
    method: 'GET',
    path: '/v1/locks',
    summary: 'Locks with who holds them and who waits; at most 1,000',
    right: 'run:read',
    query: { name: { description: 'only this lock', schema: NAME } },
    answers: answers(LOCK),
    handle: ofHouse(({ app, query }) => app.locks(query['name'] ?? null)),
  },
  {
    id: 'listMessages',
    method: 'GET',
    path: '/v1/outbox',
    summary: 'Messages that have not arrived, the oldest first; at most 1,000',
    right: 'run:read',
    query: { state: { description: 'only those that were given up', schema: { enum: ['dead'] } } },
    answers: answers(MESSAGE),
    handle: ofHouse(({ app, query }) => app.messages(query['state'] === 'dead')),
  },
  {
    id: 'listQueues',
    method: 'GET',
    path: '/v1/queues',
    summary: 'Queues of remote workers, with what waits there',
    right: 'run:read',
    answers: answers(QUEUE),
    handle: ofHouse(({ app }) => app.queues()),
  },
  {
    id: 'listWorkers',
    method: 'GET',
    path: '/v1/workers',
    summary: 'Processes that work, by part, and how many runs each holds',
    right: 'run:read',
    answers: answers(WORKER),
    handle: ofHouse(({ app }) => app.workers()),
  },
];
