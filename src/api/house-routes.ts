import type { JsonObject } from '../model/json.ts';
import type { Answer, Call, Route } from './route.ts';
import { objectOf } from './schemas.ts';

const STATE = objectOf({ status: { enum: ['ok'] } });

async function ready({ app }: Call): Promise<Answer> {
  await app.engine.store.nowMs();
  return { status: 200, body: { status: 'ok' } };
}

/** Routes about the server itself; anybody is answered, and learns nothing of what it holds. @param document how the API is described. */
export function houseRoutes(document: () => JsonObject): readonly Route[] {
  return [
    {
      id: 'isAlive',
      method: 'GET',
      path: '/healthz',
      summary: 'Whether the process answers',
      right: null,
      answers: { 200: { description: 'It does', schema: STATE } },
      handle: async () => ({ status: 200, body: { status: 'ok' } }),
    },
    {
      id: 'isReady',
      method: 'GET',
      path: '/readyz',
      summary: 'Whether calls may be sent here: the database answers, and the server is not stopping',
      right: null,
      answers: { 200: { description: 'They may', schema: STATE } },
      handle: ready,
    },
    {
      id: 'showRelease',
      method: 'GET',
      path: '/version',
      summary: 'The release of the server',
      right: null,
      answers: {
        200: {
          description: 'The release',
          schema: objectOf({ name: { enum: ['pawl'] }, version: { type: 'string' } }),
        },
      },
      handle: async ({ release }) => ({ status: 200, body: { name: 'pawl', version: release } }),
    },
    {
      id: 'describeApi',
      method: 'GET',
      path: '/openapi.json',
      summary: 'This description, OpenAPI 3.1',
      right: null,
      answers: { 200: { description: 'The description', schema: { type: 'object' } } },
      handle: async () => ({ status: 200, body: document() }),
    },
  ];
}
