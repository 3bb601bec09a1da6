import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ApiError, malformed } from './api-error.ts';
import { PROBLEM_MEDIA, problemAnswer } from './problem-json.ts';

/** What a body may have, bytes: a value of 256 KiB, or a workflow, and what is around it. */
export const BODY_BYTES_MAX = 1024 * 1024;
/** All headers of a request together, bytes; Node's own limit. */
const HEADER_BYTES_MAX = 16 * 1024;
/** How long the headers, and a whole request, may take to arrive, milliseconds (slowloris). */
const HEADERS_MS_MAX = 10_000;
const REQUEST_MS_MAX = 30_000;
/** How long a connection on which nothing is asked stays open, milliseconds. */
const IDLE_MS_MAX = 30_000;
/** Open connections of a process. */
const CONNECTIONS_MAX = 1_000;
/** A name in a path, UTF-16 units: a run key of 512 characters, each of them written as `%xx%xx%xx`. */
const PARAM_UNITS_MAX = 4_608;
const REQUEST_ID = /^[\w.-]{1,64}$/;

/** What the library refuses by itself, in our words. */
const LIBRARY_CODES: Readonly<Record<string, () => ApiError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new ApiError('PAWL_API_TOO_LARGE', `the body has more than ${BODY_BYTES_MAX} bytes`),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    malformed('the body is not as long as it says', [{ pointer: '', message: 'another length than Content-Length' }]),
  FST_ERR_BAD_URL: () => malformed('the path cannot be read', [{ pointer: '/path', message: 'it is no text' }]),
  FST_ERR_MAX_PARAM_LENGTH: () =>
    malformed('a name in the path is too long', [{ pointer: '/path', message: 'it is too long' }]),
};

/** An error as ours, where the library has refused by itself. */
export function ownError(error: unknown): unknown {
  const code = error instanceof Error ? String(Reflect.get(error, 'code')) : '';
  return Object.hasOwn(LIBRARY_CODES, code) ? LIBRARY_CODES[code]?.() : error;
}

/** Bytes that are no request: no route and no id, but the same kind of answer. */
function refuseBytes({ message }: Error, socket: Duplex): void {
  if (!socket.writable || socket.destroyed) return;
  const error = malformed('the bytes are no request that can be read', [{ pointer: '', message }]);
  const { text } = problemAnswer(error, { requestId: randomUUID(), path: '' });
  const body = text?.text ?? '';
  const head = ['HTTP/1.1 400 Bad Request', `content-type: ${PROBLEM_MEDIA}`, 'connection: close'];
  socket.end(`${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/**
 * The library with its bounds, and with everything taken out of it that would read or change a value: bodies stay bytes, and
 * what a route takes is read by its row alone.
 */
export function openLibrary(
  refuse: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): FastifyInstance {
  const server = fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    keepAliveTimeout: IDLE_MS_MAX,
    requestTimeout: REQUEST_MS_MAX,
    http: { maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: HEADERS_MS_MAX },
    routerOptions: { maxParamLength: PARAM_UNITS_MAX },
    clientErrorHandler: refuseBytes,
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
  });
  server.server.maxConnections = CONNECTIONS_MAX;
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.setErrorHandler(refuse);
  return server;
}
