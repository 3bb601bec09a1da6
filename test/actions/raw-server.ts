import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP server that does what a test says, byte by byte. */
export interface RawServer {
  readonly url: string;
  readonly port: number;
  /** Whole requests as text, in the order in which they came. */
  readonly requests: readonly string[];
  /** Connections accepted so far. */
  connections(): number;
  close(): Promise<void>;
}

/** What a server does once a whole request has come. */
export type OnRequest = (socket: Socket, request: string) => void;
/** What it does with a connection; default: read a request. */
export type OnConnection = (socket: Socket) => void;

/** Whether the text is a whole request. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
  return Buffer.byteLength(text.slice(end + 4)) >= length;
}

/** Starts a server on loopback. */
export async function startRawServer(onRequest: OnRequest, onConnection?: OnConnection): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (onConnection !== undefined) return onConnection(socket);
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (!isWhole(text)) return;
      requests.push(text);
      const request = text;
      text = '';
      onRequest(socket, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A whole answer as text. */
export function answer(status: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`;
}

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
