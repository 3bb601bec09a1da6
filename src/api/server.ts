import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../app/caller.ts';
import type { App } from '../app/create-app.ts';
import { admit, assertMay } from './admit.ts';
import { ApiError } from './api-error.ts';
import { type Authentication, checkBind } from './bind.ts';
import { Calls } from './calls.ts';
import { openLibrary, ownError } from './library.ts';
import { Limits, type RateLimits } from './limits.ts';
import { toldPath } from './link-routes.ts';
import { checkMedia } from './media.ts';
import { problemAnswer } from './problem-json.ts';
import { Pulse } from './pulse.ts';
import { readRequest } from './read-request.ts';
import { type Answer, type Call, isPathOf, type Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { Streams } from './streams.ts';

/** What a server is made of. */
export interface ServerOptions {
  readonly app: App;
  readonly authentication: Authentication;
  /** The release, as `/version` tells it. */
  readonly release: string;
  /** How often a principal may call; absent = as often as it likes. */
  readonly rates?: RateLimits;
}

/** A server that answers by the table. */
export interface ApiServer {
  /** Answers without a socket. */
  readonly inject: FastifyInstance['inject'];
  /** @returns its address. @throws PAWL_CONFIG_INVALID for one that strangers reach while there are no keys (S07). */
  listen(host: string, port: number): Promise<string>;
  /**
   * Takes no more calls, ends those that only wait, and lets the others finish.
   * @param graceMs after which connections are cut, milliseconds.
   */
  close(graceMs: number): Promise<void>;
}

/** Headers of every answer: nothing is kept by others, guessed at, or run in a browser (S50). */
const GUARDS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
} as const;

/** Whoever asks what anybody may ask. */
const NOBODY: Caller = { name: '', keyId: null, roles: [], scopes: [], held: [] };

/** A stream whose reader takes nothing, not even a beat, is cut off after so long, milliseconds. */
const STALLED_MS = 60_000;

function send(reply: FastifyReply, { status, body, text, headers = {}, stream }: Answer): FastifyReply {
  void reply.code(status).headers({ ...GUARDS, 'x-request-id': reply.request.id, ...headers });
  if (stream !== undefined) {
    reply.raw.setTimeout(STALLED_MS, () => reply.raw.destroy());
    return reply
      .header('content-type', 'text/event-stream')
      .header('x-accel-buffering', 'no')
      .send(Readable.from(stream));
  }
  if (text !== undefined) return reply.header('content-type', text.media).send(text.text);
  if (body === undefined) return reply.send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body));
}

function splitUrl({ url }: FastifyRequest): { readonly path: string; readonly search: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, search: '' } : { path: url.slice(0, at), search: url.slice(at + 1) };
}

/** Why there is no such route: the path is none, or none for this method. */
function noRoute(request: FastifyRequest): ApiError {
  const { path } = splitUrl(request);
  const methods = ROUTES.filter((route) => isPathOf(route, path)).map(({ method }) => method);
  if (methods.length === 0) return new ApiError('PAWL_API_NO_ROUTE', 'there is no such path');
  const allow = methods.join(', ');
  return new ApiError('PAWL_API_METHOD', `this path takes ${allow}, not ${request.method}`, { headers: { allow } });
}

function routeOf({ routeOptions }: FastifyRequest): Route | null {
  return (routeOptions.config as { readonly route?: Route } | undefined)?.route ?? null;
}

function logFault(app: App, error: unknown, requestId: string): void {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  app.engine.logger.error({ requestId, message }, 'api.fault');
}

/** A stream that ends where it cannot go on: whoever reads comes again with the last id, and is told why if need be. */
async function* endingQuietly(
  app: App,
  requestId: string,
  stream: AsyncIterable<string>,
): AsyncGenerator<string, void> {
  try {
    yield* stream;
  } catch (error) {
    if (!(error instanceof ApiError)) logFault(app, error, requestId);
  }
}

/** Tells an error; one of our own is also logged, under the id that the caller is told. */
function refuseWith(app: App, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const own = ownError(error);
  const answer = problemAnswer(own, { requestId: request.id, path: toldPath(splitUrl(request).path) });
  if (answer.status >= 500 && !(own instanceof ApiError)) logFault(app, own, request.id);
  return send(reply, answer);
}

/** Who asks; null where nobody needs to say so. @throws PAWL_API_UNAUTHENTICATED. */
async function letIn(
  { app, authentication }: Pick<ServerOptions, 'app' | 'authentication'>,
  route: Route | null,
  { headers, params }: FastifyRequest,
): Promise<Caller | null> {
  if (route?.right !== null) return admit(app, authentication, headers);
  route.admit?.(app, params as Call['params']);
  return null;
}

/** What does not count is counted, by the address that it came from. @throws PAWL_API_UNAUTHENTICATED, PAWL_API_RATE. */
async function countingRefusals<T>(
  limits: Limits | null,
  { socket }: FastifyRequest,
  admitted: () => Promise<T>,
): Promise<T> {
  try {
    return await admitted();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'PAWL_API_UNAUTHENTICATED')
      limits?.refused(socket.remoteAddress ?? '');
    throw error;
  }
}

/** Opens a server; it listens when it is told to. */
export function openServer({ app, authentication, release, rates }: ServerOptions): ApiServer {
  const calls = new Calls();
  const callers = new WeakMap<FastifyRequest, Caller>();
  const { store, tenant, clock } = app.engine;
  const pulse = new Pulse({ store, tenant, clock });
  const streams = new Streams();
  const limits = rates === undefined ? null : new Limits(rates, clock);
  const server = openLibrary((error, request, reply) => refuseWith(app, error, request, reply));

  // Before a byte of a body is read: who asks, whether they may, and whether the body is of a kind that is read here.
  server.addHook('onRequest', async (request, reply) => {
    const route = routeOf(request);
    if (route?.id === 'isAlive') return;
    calls.take(reply);
    const caller = await countingRefusals(limits, request, () => letIn({ app, authentication }, route, request));
    if (caller !== null) {
      limits?.take(caller.name, request.method === 'GET' ? 'GET' : 'POST');
      callers.set(request, caller);
      if (route !== null && route.right !== null) assertMay(caller, route.right);
    }
    if (route !== null) checkMedia(route, request.headers);
  });
  server.setNotFoundHandler((request) => {
    throw noRoute(request);
  });

  const handle = async (route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = (request.body as Buffer | null | undefined) ?? null;
    const { search } = splitUrl(request);
    const answer = await route.handle({
      app,
      caller: callers.get(request) ?? NOBODY,
      identify: () => admit(app, authentication, request.headers),
      params: request.params as Call['params'],
      ...readRequest(route, { headers: request.headers, search, body }),
      leaving: calls.leavingOf(reply),
      release,
      watching: { pulse, streams, admit: () => admit(app, authentication, request.headers) },
    });
    const { stream } = answer;
    return send(reply, stream === undefined ? answer : { ...answer, stream: endingQuietly(app, request.id, stream) });
  };
  for (const route of ROUTES) {
    const url = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const handler = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      handle(route, request, reply);
    server.route({ method: route.method, url, config: { route } as object, handler });
  }

  return {
    inject: server.inject.bind(server),
    listen: async (host, port) => {
      checkBind(host, authentication);
      return server.listen({ host, port });
    },
    close: async (graceMs) => {
      calls.leave();
      const cut = setTimeout(() => server.server.closeAllConnections(), graceMs);
      await server.close().finally(() => clearTimeout(cut));
    },
  };
}
