import type { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import type { ApiServer } from '../../../src/api/server.ts';

/** Statuses whose answers have no body. */
const EMPTY: readonly number[] = [204, 304];

/** A body that can be left in the middle: what comes afterwards goes nowhere. */
function bodyOf(stream: Readable): ReadableStream<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void stream.destroy(),
  });
}

/** A `fetch` that asks a server without a socket. @param onCall told of each call: its method, and its path as it was sent. */
export function injectFetch(
  server: ApiServer,
  onCall: (method: string, path: string) => void = () => {},
): typeof fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input));
    const { method = 'GET', headers, body } = init;
    onCall(method, pathname);
    const reply = await server.inject({
      method: method as 'GET',
      url: `${pathname}${search}`,
      headers: headers as Record<string, string>,
      ...(typeof body === 'string' ? { payload: body } : {}),
      payloadAsStream: true,
    });
    const status = reply.statusCode;
    const told = Object.entries(reply.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(EMPTY.includes(status) ? null : bodyOf(reply.stream()), { status, headers: told });
  };
}
