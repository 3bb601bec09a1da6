import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../app/caller.ts';
import type { App } from '../app/create-app.ts';
import { admit, assertMay } from './admit.ts';
import { ApiError } from './api-error.ts';
import { type Authentication, checkBind } from './bind.ts';
import { Calls } from './calls.ts';
import { openLibrary, ownError } from './library.ts';
import { checkMedia } from './media.ts';
import { problemAnswer } from './problem-json.ts';
import { readRequest } from './read-request.ts';
import { type Answer, isPathOf, type Route } from './route.ts';
import { ROUTES } from './routes.ts';

/** What a server is made of. */
export interface ServerOptions {
  readonly app: App;
  readonly authentication: Authentication;
  /** The release, as `/version` tells it. */
  readonly release: string;
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
const NOBODY: Caller = { name: '', roles: [], scopes: [], held: [] };

function send(reply: FastifyReply, { status, body, text, headers = {} }: Answer): FastifyReply {
  void reply.code(status).headers({ ...GUARDS, 'x-request-id': reply.request.id, ...headers });
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

/** Tells an error; one of our own is also logged, under the id that the caller is told. */
function refuseWith(app: App, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const own = ownError(error);
  const answer = problemAnswer(own, { requestId: request.id, path: splitUrl(request).path });
  if (answer.status >= 500 && !(own instanceof ApiError)) {
    const message = own instanceof Error ? (own.stack ?? own.message) : String(own);
    app.engine.logger.error({ requestId: request.id, message }, 'api.fault');
  }
  return send(reply, answer);
}

/** Opens a server; it listens when it is told to. */
export function openServer({ app, authentication, release }: ServerOptions): ApiServer {
  const calls = new Calls();
  const callers = new WeakMap<FastifyRequest, Caller>();
  const server = openLibrary((error, request, reply) => refuseWith(app, error, request, reply));

  // Before a byte of a body is read: who asks, whether they may, and whether the body is of a kind that is read here.
  server.addHook('onRequest', async (request, reply) => {
    const route = routeOf(request);
    if (route?.id === 'isAlive') return;
    calls.take(reply);
    if (route?.right === null) return;
    const caller = await admit(app, authentication, request.headers);
    callers.set(request, caller);
    if (route === null) return;
    assertMay(caller, route.right);
    checkMedia(route, request.headers);
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
      params: request.params as Readonly<Record<string, string>>,
      ...readRequest(route, { headers: request.headers, search, body }),
      leaving: calls.leavingOf(reply),
      release,
    });
    return send(reply, answer);
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
