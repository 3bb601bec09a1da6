import type { JsonObject } from '../model/json.ts';
import { ApiError } from './api-error.ts';
import type { Answer, Call, Route } from './route.ts';
import { objectOf } from './schemas.ts';

/** Prometheus' text format. */
const METRICS_MEDIA = 'text/plain; version=0.0.4; charset=utf-8';

const STATE = objectOf({ status: { enum: ['ok'] } });

async function ready({ app }: Call): Promise<Answer> {
  await app.engine.store.nowMs();
  return { status: 200, body: { status: 'ok' } };
}

/** Counts are of all workflows: a key that is narrowed to some has no business with them. */
async function metrics({ app, caller }: Call): Promise<Answer> {
  if (caller.scopes.length > 0)
    throw new ApiError('PAWL_API_FORBIDDEN', 'metrics are of all workflows; this key is narrowed to some');
  return { status: 200, text: { media: METRICS_MEDIA, text: await app.metrics() } };
}

/** Routes about the server itself; but for the metrics anybody is answered, and learns nothing of what it holds. @param document how the API is described. */
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
      id: 'showMetrics',
      method: 'GET',
      path: '/metrics',
      summary: 'What this process has done since it began and what is stored now, for Prometheus',
      right: 'run:read',
      answers: { 200: { description: 'The exposition', media: ['text/plain'] } },
      handle: metrics,
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
