import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { isDone, isRequest, startupBytes, wholeMessages } from './wire.ts';

/** What becomes of one request on its way to the database and back. */
export type RequestFate =
  | { readonly kind: 'pass' }
  /** It takes its time. */
  | { readonly kind: 'delayed'; readonly ms: number }
  /** The connection breaks and the request never gets there. */
  | { readonly kind: 'dropped before' }
  /** The connection breaks after the server has done it and said so. */
  | { readonly kind: 'dropped after' }
  /** The connection breaks, and the request gets there later. */
  | { readonly kind: 'late'; readonly ms: number };

/** Draws the fate of a request. */
export type FateChooser = (isCommit: boolean) => RequestFate;

/** A wire to a database that can be troubled. */
export interface TcpProxy {
  readonly port: number;
  /** From now on, for that long, nothing comes through in either direction and nobody is told; then every connection breaks. */
  blackHole(ms: number): void;
  close(): Promise<void>;
}

/** The name of the prepared statement that commits. */
const COMMIT = 'pawl_commit';

/**
 * Breaks a connection as a crash does: its peer is told by a reset. One that is ending already is only closed, for Node
 * resets by ending first, and never lets go of a socket that is to be reset while it is ending.
 */
function resetSocket(socket: Socket): void {
  if (socket.writableEnded || socket.connecting) socket.destroy();
  else socket.resetAndDestroy();
}

/** One connection through the proxy. */
class Wire {
  private readonly client: Socket;
  private readonly server: Socket;
  private readonly choose: FateChooser;
  private asking = Buffer.alloc(0);
  private answering = Buffer.alloc(0);
  private hasBegun = false;
  private isHole = false;
  /** The answer that comes next is kept back, and the connection broken. */
  private dropsAnswer = false;
  /** The client is gone, and what it asked for is still on its way. */
  private isLate = false;
  private isBroken = false;

  constructor(client: Socket, socketPath: string, choose: FateChooser) {
    this.client = client;
    this.choose = choose;
    this.server = createConnection(socketPath);
    client.on('data', (chunk) => this.fromClient(chunk));
    this.server.on('data', (chunk) => this.fromServer(chunk));
    for (const socket of [client, this.server]) {
      socket.on('error', () => undefined);
      socket.once('close', () => this.closed(socket));
    }
  }

  break(): void {
    this.hangUp();
    this.server.destroy();
  }

  hole(): void {
    this.isHole = true;
  }

  private closed(socket: Socket): void {
    if (socket === this.server) this.hangUp();
    else if (!this.isLate) this.server.destroy();
  }

  /** The client's connection is reset, once: whatever touches a socket between its reset and its close may keep it for ever. */
  private hangUp(): void {
    if (this.isBroken) return;
    this.isBroken = true;
    resetSocket(this.client);
  }

  private fromClient(chunk: Buffer): void {
    if (this.isHole) return;
    this.asking = Buffer.concat([this.asking, chunk]);
    if (!this.hasBegun) {
      const bytes = startupBytes(this.asking);
      if (bytes === null || this.asking.length < bytes) return;
      this.hasBegun = true;
      this.forward(bytes);
    }
    const whole = wholeMessages(this.asking);
    if (!isRequest(whole)) return;
    this.carry(this.forwardable(whole.bytes));
  }

  private forwardable(bytes: number): Buffer {
    const request = this.asking.subarray(0, bytes);
    this.asking = this.asking.subarray(bytes);
    return request;
  }

  private forward(bytes: number): void {
    this.server.write(this.forwardable(bytes));
  }

  private carry(request: Buffer): void {
    const fate = this.choose(request.includes(COMMIT));
    switch (fate.kind) {
      case 'pass':
        this.server.write(request);
        return;
      case 'delayed':
        setTimeout(() => this.server.write(request), fate.ms);
        return;
      case 'dropped before':
        this.break();
        return;
      case 'dropped after':
        this.dropsAnswer = true;
        this.server.write(request);
        return;
      case 'late':
        this.isLate = true;
        this.hangUp();
        setTimeout(() => this.server.end(request), fate.ms);
    }
  }

  private fromServer(chunk: Buffer): void {
    if (this.isHole || this.isBroken) return;
    if (!this.dropsAnswer) {
      this.client.write(chunk);
      return;
    }
    this.answering = Buffer.concat([this.answering, chunk]);
    if (isDone(wholeMessages(this.answering))) this.break();
  }
}

/**
 * Opens a proxy on loopback before a database's socket.
 * @param choose draws the fate of each request.
 */
export async function openTcpProxy(socketPath: string, choose: FateChooser): Promise<TcpProxy> {
  const wires = new Set<Wire>();
  let holeUntilMs = 0;
  const inHole = (): boolean => performance.now() < holeUntilMs;
  const server = createServer((client) => {
    const wire = new Wire(client, socketPath, choose);
    if (inHole()) wire.hole();
    wires.add(wire);
    client.once('close', () => wires.delete(wire));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = (): void => {
    for (const wire of wires) wire.break();
  };
  return {
    port: (server.address() as AddressInfo).port,
    blackHole: (ms) => {
      holeUntilMs = Math.max(holeUntilMs, performance.now() + ms);
      for (const wire of wires) wire.hole();
      setTimeout(() => {
        if (!inHole()) breakAll();
      }, ms + 1);
    },
    close: async () => {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
