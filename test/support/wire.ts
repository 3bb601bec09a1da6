import { once } from 'node:events';
import net, { type Socket } from 'node:net';

/** A TCP wire to a database's socket that can swallow what travels on it. */
export interface Wire {
  readonly url: string;
  /** From now on the connections that are open carry nothing any more and nobody is told; new ones do. */
  swallow(): void;
  /** As `swallow`, once: with the next request that names this statement, or with the answer to it. */
  swallowAt(statement: string, what: 'request' | 'answer'): void;
  /** Connections that have not been closed from both ends. */
  connections(): number;
  close(): Promise<void>;
}

/** Opens a wire on loopback before the server that this URL names. */
export async function openWire(databaseUrl: string): Promise<Wire> {
  const to = new URL(databaseUrl);
  const socket = `${to.searchParams.get('host')}/.s.PGSQL.${to.searchParams.get('port')}`;
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket; isAsked: boolean; isSwallowed: boolean }>();
  let trap: { readonly statement: string; readonly what: 'request' | 'answer' } | null = null;
  const swallow = (): void => {
    for (const pair of pairs) pair.isSwallowed = true;
  };
  // Half-open: when one end is closed, nothing of it comes through to the other.
  const server = net.createServer({ allowHalfOpen: true }, (near) => {
    const pair = { near, far: net.connect(socket), isAsked: false, isSwallowed: false };
    const { far } = pair;
    pairs.add(pair);
    near.on('data', (bytes) => {
      if (trap !== null && bytes.includes(trap.statement)) {
        if (trap.what === 'request') swallow();
        pair.isAsked = trap.what === 'answer';
        trap = null;
      }
      if (!pair.isSwallowed) far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (pair.isAsked) swallow();
      if (!pair.isSwallowed) near.write(bytes);
    });
    near.on('end', () => {
      if (!pair.isSwallowed) far.end();
    });
    far.on('end', () => {
      if (!pair.isSwallowed) near.end();
    });
    near.once('close', () => pairs.delete(pair));
    for (const end of [near, far]) end.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  return {
    url: `postgresql://pawl@127.0.0.1:${port}${to.pathname}`,
    swallow,
    swallowAt: (statement, what) => {
      trap = { statement, what };
    },
    connections: () => pairs.size,
    close: async () => {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
