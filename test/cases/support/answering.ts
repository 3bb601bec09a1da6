import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP provider that answers as its test says, and keeps what it was asked. */
export interface Answering {
  readonly url: string;
  /** Idempotency keys of the POSTs, by path, in order. */
  readonly posts: ReadonlyMap<string, readonly string[]>;
  close(): Promise<void>;
}

/** @param answer writes the whole answer to a request whose body has been read. */
export async function startAnswering(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Answering> {
  const posts = new Map<string, string[]>();
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const path = request.url ?? '';
      const key = String(request.headers['idempotency-key'] ?? request.headers['pawl-effect'] ?? '');
      if (request.method === 'POST') posts.set(path, [...(posts.get(path) ?? []), key]);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
