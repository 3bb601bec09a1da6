import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createDial } from '../../src/actions/http-dial.ts';
import type { Dial } from '../../src/actions/http-dial.ts';
import { startRawServer } from './raw-server.ts';

function connect(dial: Dial, port: number): Promise<Socket | Error> {
  const target = { hostname: '127.0.0.1', protocol: 'http:', port: String(port) };
  return new Promise((resolve) => {
    dial.connect(target, (...[error, socket]) => resolve(error ?? socket));
  });
}

describe('createDial', () => {
  it('connects once: what would be a second connection of one attempt is refused', async () => {
    const server = await startRawServer(() => undefined);
    const dial = createDial({ gate: () => true, ca: null });
    expect(await connect(dial, server.port)).not.toBeInstanceOf(Error);
    expect(await connect(dial, server.port)).toEqual(new Error('one attempt connects once'));
    dial.destroy();
    await server.close();
  });

  it('counts the bytes that were handed over, and asks the gate once for all of them', async () => {
    const server = await startRawServer(() => undefined);
    let asked = 0;
    const gate = (): boolean => {
      asked += 1;
      return true;
    };
    const dial = createDial({ gate, ca: null });
    expect([dial.stage(), dial.bytesWritten()]).toEqual(['connecting', 0]);
    const wire = (await connect(dial, server.port)) as Socket;
    expect([dial.stage(), dial.bytesWritten(), asked]).toEqual(['connected', 0, 0]);
    wire.write('abc');
    wire.write('de');
    expect([dial.bytesWritten() >= 3, asked]).toEqual([true, 1]);
    dial.destroy();
    await server.close();
  });

  it('ends the connection with an error that nobody has to hear', async () => {
    const server = await startRawServer(() => undefined);
    const dial = createDial({ gate: () => false, ca: null });
    const wire = (await connect(dial, server.port)) as Socket;
    const failed = once(wire, 'error');
    wire.write('abc');
    expect(await failed).toEqual([new Error('the gate is closed')]);
    expect(dial.bytesWritten()).toBe(0);
    dial.destroy();
    await server.close();
  });
});
