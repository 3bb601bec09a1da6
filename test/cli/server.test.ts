import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyView } from '../../src/app/api-keys.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';
import { PLAIN } from './support/workflows.ts';

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
});
afterAll(() => shell.close());

const keys = async (): Promise<readonly KeyView[]> =>
  (await shell.call(['key', 'ls', '-o', 'json'])).json<readonly KeyView[]>();

/** Runs `pawl server` while something happens; then it is told to stop and must end with 0. */
async function withServer<T>(args: readonly string[], act: (address: string) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  let heard: (address: string) => void = () => undefined;
  const listening = new Promise<string>((resolve) => {
    heard = resolve;
  });
  const onWrite = (text: string): void => {
    const [, address] = /the API is at (\S+)\/v1/.exec(text) ?? [];
    if (address !== undefined) heard(address);
  };
  const serving = shell.call(['server', '--port', '0', ...args], { stopped: stopping.signal, onWrite });
  const ended = serving.then(({ err }) => Promise.reject(new Error(`the server has ended: ${err}`)));
  const done = await Promise.race([listening.then(act), ended]).finally(() => stopping.abort());
  ended.catch(() => undefined);
  const { code, err } = await serving;
  expect([code, err]).toEqual([0, expect.stringContaining('stopping: calls that are under way are finished')]);
  return done;
}

describe('pawl key', () => {
  it('says where there is none; makes one and shows it once', async () => {
    expect((await shell.call(['key', 'create', 'x', '--role', 'viewer', '--scope', 'nonsense'])).code).toBe(2);
    const { code, out, err } = await shell.call([
      'key',
      'create',
      'kai',
      '--role',
      'viewer',
      '--role',
      'operator',
      '--scope',
      'run:start@plain',
      '--scope',
      '*@pl*',
      '--expires',
      '90d',
    ]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^pawl_[0-9a-f]{8}_[0-9a-f]{70}\n$/)]);
    expect(err).toContain('is shown this once');
    expect(await keys()).toMatchObject([
      {
        id: out.slice(5, 13),
        principal: 'kai',
        roles: ['viewer', 'operator'],
        scopes: ['run:start@plain', '*@pl*'],
        createdBy: 'ana',
      },
    ]);
    const table = (await shell.call(['key', 'ls'], { columns: 200 })).out;
    expect(table).toContain('kai');
    expect(table).not.toContain(out.slice(14, 40));
  });

  it('takes one back, with a reason, and says which there is not', async () => {
    const { key } = (await shell.call(['key', 'create', 'zoe', '--role', 'admin', '-o', 'json'])).json<{
      key: string;
    }>();
    const id = key.slice(5, 13);
    expect((await shell.call(['key', 'revoke', id])).code).toBe(2);
    expect((await shell.call(['key', 'revoke', '00000000', '--reason', 'x'])).code).toBe(4);
    expect((await shell.call(['key', 'revoke', id, '--reason', 'lost'])).err).toContain('counts no more');
    expect((await keys()).find((one) => one.id === id)?.revoked).toMatchObject({ by: 'ana', reason: 'lost' });
  });

  it('is called with a role that there is, and a time that can be read', async () => {
    for (const args of [['--role', 'king'], [], ['--role', 'viewer', '--expires', 'soon']])
      expect((await shell.call(['key', 'create', 'x', ...args])).code, args.join(' ')).not.toBe(0);
  });
});

describe('pawl server', () => {
  it('S04 S05 answers whoever has a key, from a database that holds none, until it is taken back', async () => {
    const key = await shell.ok(['key', 'create', 'kai', '--role', 'admin']);
    const dump = await shell.call(['key', 'ls', '-o', 'json']);
    expect(dump.out).not.toContain(key.slice(14, 78));
    await withServer(['--worker'], async (address) => {
      const headers = { authorization: `Bearer ${key}` };
      const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
        fetch(`${address}${path}`, { ...init, headers: { ...headers, ...init.headers } });
      expect((await fetch(`${address}/v1/runs`)).status).toBe(401);
      expect(await (await fetch(`${address}/version`)).json()).toEqual({ name: 'pawl', version: '0.0.0-test' });
      const yaml = { 'content-type': 'application/yaml' };
      expect((await ask('/v1/workflows', { method: 'POST', body: PLAIN, headers: yaml })).status).toBe(201);
      const start = { 'content-type': 'application/json', 'idempotency-key': 'one' };
      const body = JSON.stringify({ workflow: 'plain', input: { id: 'over-http' } });
      const started = await ask('/v1/runs?wait=60s', { method: 'POST', body, headers: start });
      expect(started.status).toBe(201);
      const { id, status } = (await started.json()) as { id: string; status: string };
      expect(status).toBe('COMPLETED');
      const listed = (await (await ask('/v1/runs?limit=1')).json()) as { data: readonly { id: string }[] };
      expect(listed.data[0]?.id).toBe(id);
      expect((await shell.call(['show', id, '-o', 'json'])).json()).toEqual(await (await ask(`/v1/runs/${id}`)).json());
      await shell.ok(['key', 'revoke', key.slice(5, 13), '--reason', 'done']);
      expect((await ask('/v1/runs')).status).toBe(401);
    });
  });

  it('S07 without keys listens to nobody but this machine', async () => {
    const told = await shell.call(['server', '--no-auth', '--host', '0.0.0.0']);
    expect([told.code, told.err]).toEqual([2, expect.stringContaining('PAWL_CONFIG_INVALID')]);
    await withServer(['--no-auth'], async (address) => {
      expect((await fetch(`${address}/v1/runs`)).status).toBe(200);
    });
  });

  it('says of an address that it cannot have, and of a port that is none, what is wrong', async () => {
    expect((await shell.call(['server', '--port', '70000'])).code).toBe(2);
    await withServer(['--no-auth'], async (address) => {
      const { port } = new URL(address);
      const told = await shell.call(['server', '--port', port]);
      expect([told.code, told.err]).toEqual([2, expect.stringContaining('EADDRINUSE')]);
    });
  });
});
