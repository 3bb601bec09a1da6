import { Socket } from 'node:net';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import pg from 'pg';

/** Whom to dial, and under which name. */
export interface DialOptions {
  readonly url: string;
  /** TLS of the connection, for example `{ ca, rejectUnauthorized: true }`; what the URL says is not relied on. */
  readonly tls?: TlsOptions;
  /** Name shown in `pg_stat_activity`. */
  readonly applicationName: string;
}

/** A connection that is dialled, and how to be rid of it. */
export interface Dialled {
  readonly client: pg.Client;
  /** @throws also when it is hung up meanwhile: the driver alone would never say so. */
  connect(): Promise<void>;
  /** Says good-bye and waits for no answer: a wire that swallows everything gives none. */
  hangUp(): Promise<void>;
}

/** How long a connection may take, and the questions that are asked before it is used; milliseconds. */
const CONNECT_TIMEOUT_MS = 3_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * How any connection of this process is made. Nothing on it waits for ever: packets may vanish without a reset, and then
 * only a clock of ours ends the waiting.
 */
export function dialOptions({ url, applicationName, tls }: DialOptions): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: applicationName,
    ...(tls === undefined ? {} : { ssl: tls }),
  };
}

/**
 * Prepares a connection of its own, outside of every pool.
 * @param deadlineMs how long one statement may go unanswered, milliseconds; a connecting's time unless given.
 */
export function dial(options: DialOptions, deadlineMs: number = CONNECT_TIMEOUT_MS): Dialled {
  const sockets = createSockets();
  const client = new pg.Client({ ...dialOptions(options), query_timeout: deadlineMs, stream: sockets.open });
  client.on('error', () => undefined);
  const ended = new Promise<never>((_, reject) => {
    client.once('end', () => reject(new Error('the connection was closed while it was made')));
  });
  // Whoever connects hears it; later nobody needs to.
  ended.catch(() => undefined);
  return {
    client,
    connect: () => Promise.race([client.connect().then(() => undefined), ended]),
    hangUp: async () => {
      const ended = client.end();
      sockets.hangUp();
      await ended.catch(() => undefined);
    },
  };
}

/** A pooled connection. A pool gives its own limit to each, which is for how long to wait for a free one. */
export class PooledClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}

/** The sockets under some connections. */
export interface Sockets {
  /** Makes the next one. */
  open(): Socket;
  /** Closes those that are open once what was written has left, whether or not the other side answers. */
  hangUp(): void;
}

/** Nothing is open yet. */
export function createSockets(): Sockets {
  const sockets = new Set<Socket>();
  return {
    open: () => {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    hangUp: () => {
      for (const socket of sockets) socket.destroySoon();
    },
  };
}
