import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTcpProxy, type RequestFate, type TcpProxy } from '../../../src/testing/chaos/tcp-proxy.ts';
import { queryMessage, startupMessage, wholeMessages } from '../../../src/testing/chaos/wire.ts';

const STARTUP = startupMessage('pawl', 'pawl');
/** CommandComplete and ReadyForQuery, as a server answers whatever it was asked. */
const DONE = Buffer.concat([Buffer.from('C\0\0\0\x04', 'latin1'), Buffer.from('Z\0\0\0\x05I', 'latin1')]);

let folder = '';
let server: Server;
let proxy: TcpProxy;
let fate: RequestFate;
/** Queries that got to the server, in order; waits for the next. */
let heard: string[];
let onHeard: () => void;
let commits: boolean[];

/** A server that says yes to every query. */
function answer(socket: Socket): void {
  let bytes = Buffer.alloc(0);
  let hasBegun = false;
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    if (!hasBegun && bytes.length >= STARTUP.length) {
      hasBegun = true;
      bytes = bytes.subarray(STARTUP.length);
    }
    const whole = wholeMessages(bytes);
    if (!hasBegun || whole.letters === '') return;
    heard.push(bytes.subarray(5, whole.bytes).toString().replace('\0', ''));
    bytes = bytes.subarray(whole.bytes);
    socket.write(DONE);
    onHeard();
  });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-proxy-'));
  heard = [];
  commits = [];
  onHeard = () => undefined;
  fate = { kind: 'pass' };
  const path = join(folder, 'socket');
  server = createServer(answer).listen(path);
  await once(server, 'listening');
  proxy = await openTcpProxy(path, (isCommit) => {
    commits.push(isCommit);
    return fate;
  });
});
afterEach(async () => {
  await proxy.close();
  server.close();
  rmSync(folder, { recursive: true });
});

/** A client that has begun its session. */
async function dial(): Promise<Socket> {
  const client = connect(proxy.port, '127.0.0.1');
  client.on('error', () => undefined);
  await once(client, 'connect');
  client.write(STARTUP);
  return client;
}

const untilHeard = (): Promise<void> =>
  new Promise((resolve) => {
    onHeard = resolve;
  });
/** How a connection ended, by the code of its error; null = it was closed in order. */
const ending = (client: Socket): Promise<string | null> =>
  new Promise((resolve) => {
    let code: string | null = null;
    client.once('error', (error: NodeJS.ErrnoException) => {
      code = error.code ?? 'no code';
    });
    client.resume().once('close', () => resolve(code));
  });

async function askAll(client: Socket, sql: string): Promise<string> {
  client.write(queryMessage(sql));
  const [chunk] = (await once(client, 'data')) as [Buffer];
  return wholeMessages(chunk).letters;
}

describe('a wire to a database', () => {
  it('carries a request and its answer, also one that comes byte by byte', async () => {
    const client = await dial();
    expect(await askAll(client, 'SELECT 1')).toBe('CZ');
    for (const byte of queryMessage('SELECT 2')) client.write(Buffer.of(byte));
    await once(client, 'data');
    expect(heard).toEqual(['SELECT 1', 'SELECT 2']);
    client.destroy();
  });

  it('knows a commit, so that its fate can be another', async () => {
    const client = await dial();
    await askAll(client, 'SELECT 1');
    await askAll(client, 'pawl_commit');
    expect(commits).toEqual([false, true]);
    client.destroy();
  });

  it('delayed: the request takes its time', async () => {
    fate = { kind: 'delayed', ms: 5 };
    const client = await dial();
    expect(await askAll(client, 'SELECT 1')).toBe('CZ');
    client.destroy();
  });

  it('dropped before: the connection is reset, and the request never gets there', async () => {
    fate = { kind: 'dropped before' };
    const client = await dial();
    const ended = ending(client);
    client.write(queryMessage('INSERT'));
    expect(await ended).toBe('ECONNRESET');
    fate = { kind: 'pass' };
    const next = await dial();
    await askAll(next, 'SELECT 1');
    expect(heard).toEqual(['SELECT 1']);
    next.destroy();
  });

  it('dropped after: the server has done it, and its client gets a reset instead of the answer', async () => {
    fate = { kind: 'dropped after' };
    const client = await dial();
    let told = 0;
    client.on('data', () => {
      told += 1;
    });
    const ended = ending(client);
    client.write(queryMessage('INSERT'));
    expect(await ended).toBe('ECONNRESET');
    expect([heard, told]).toEqual([['INSERT'], 0]);
  });

  it('late: the client gets a reset, and the request gets there all the same', async () => {
    fate = { kind: 'late', ms: 5 };
    const client = await dial();
    const arrived = untilHeard();
    const ended = ending(client);
    client.write(queryMessage('INSERT'));
    expect(await ended).toBe('ECONNRESET');
    await arrived;
    expect(heard).toEqual(['INSERT']);
  });

  it('a black hole takes what is said and tells nobody; after it every connection breaks, and new ones are served', async () => {
    const client = await dial();
    await askAll(client, 'SELECT 1');
    proxy.blackHole(20);
    const ended = ending(client);
    client.write(queryMessage('SELECT 2'));
    expect(await ended).toBe('ECONNRESET');
    const next = await dial();
    await askAll(next, 'SELECT 3');
    expect(heard).toEqual(['SELECT 1', 'SELECT 3']);
    next.destroy();
  });

  it('a client that has an answer on its way, and one that is hanging up itself, are let go of when the proxy closes', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, dial));
    const endings = clients.map(ending);
    const served = clients.map((client) => once(client, 'data'));
    for (const client of clients) client.write(queryMessage('SELECT 1'));
    await Promise.race(served);
    for (const [no, client] of clients.entries()) if (no % 2 === 0) client.end();
    await proxy.close();
    await Promise.all(endings);
    proxy = await openTcpProxy(join(folder, 'socket'), () => fate);
  });
});
