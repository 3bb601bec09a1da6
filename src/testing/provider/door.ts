import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A port on loopback that can be shut and opened again: while it is shut, connections are refused. */
export interface Door {
  readonly port: number;
  open(): Promise<void>;
  /** From its return on no new connection is accepted; calls in progress go on. */
  shut(): void;
  /** Shuts for good and ends the calls in progress. */
  close(): Promise<void>;
}

/**
 * Opens a server on loopback.
 * @param port 0 takes a free one; it stays the same when the door is shut and opened again.
 */
export async function openDoor(server: Server, port: number): Promise<Door> {
  const listen = async (on: number): Promise<void> => {
    server.listen(on, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(port);
  const taken = (server.address() as AddressInfo).port;
  return {
    port: taken,
    open: async () => {
      if (!server.listening) await listen(taken);
    },
    shut: () => {
      if (server.listening) server.close();
    },
    close: async () => {
      if (!server.listening) await listen(taken);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
