import { createConnection } from 'node:net';
import { InvariantError } from '../../model/errors.ts';
import { queryMessage, startupMessage, wholeMessages } from './wire.ts';

/**
 * Executes statements as somebody at a console would, over a session of its own: what holds locks in other people's
 * databases. Its rows are of no interest.
 * @param socketPath of the server.
 */
export function runAtConsole(socketPath: string, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(socketPath);
    let seen = Buffer.alloc(0);
    let asked = false;
    socket.once('connect', () => socket.write(startupMessage('pawl', 'pawl')));
    socket.once('error', reject);
    socket.once('close', () => reject(new InvariantError('the console lost its server')));
    socket.on('data', (chunk) => {
      seen = Buffer.concat([seen, chunk]);
      const { letters, bytes } = wholeMessages(seen);
      seen = seen.subarray(bytes);
      if (!letters.includes('Z')) return;
      if (asked) {
        resolve();
        socket.destroy();
      } else {
        asked = true;
        socket.write(queryMessage(sql));
      }
    });
  });
}
