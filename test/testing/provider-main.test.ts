import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileSources } from './compile-sources.ts';
import type { CompiledSources } from './compile-sources.ts';

let compiled: CompiledSources;
let folder = '';
const children = new Set<ChildProcessWithoutNullStreams>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-provider-process-'));
  compiled = compileSources(['model', 'testing']);
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  compiled.remove();
  rmSync(folder, { recursive: true });
});

function run(...args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [compiled.path('testing/provider-main.ts'), ...args]);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Starts it and reads where it listens. */
async function start(book: string, ...args: readonly string[]) {
  const child = run('--book', join(folder, book), ...args);
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, url: (JSON.parse(line) as { url: string }).url };
  }
  throw new Error('the provider ended before it listened');
}

async function charge(url: string, key: string): Promise<unknown> {
  const headers = { 'idempotency-key': key, connection: 'close' };
  const response = await fetch(`${url}/charge`, { method: 'POST', body: '{"amount":5}', headers });
  return response.json();
}

async function bookOf(url: string): Promise<readonly { operation: string }[]> {
  const response = await fetch(`${url}/_provider/book`, { headers: { connection: 'close' } });
  return ((await response.json()) as { effects: { operation: string }[] }).effects;
}

describe('the provider as a process', () => {
  it('keeps its book when it is killed: the next process gives the first answer and does not act again', async () => {
    const first = await start('killed.jsonl');
    const answer = await charge(first.url, 'k1');
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = await start('killed.jsonl');
    expect(await charge(second.url, 'k1')).toEqual(answer);
    expect(await bookOf(second.url)).toMatchObject([{ operation: 'charge', id: 'charge-1', key: 'k1' }]);
    second.child.kill('SIGTERM');
    expect(await once(second.child, 'exit')).toEqual([0, null]);
  });

  it('takes other scripts and forgets its keys when it is told to', async () => {
    const { url, child } = await start('told.jsonl', '--options', '{"keys":"honoured"}', '--until-stdin-ends');
    await charge(url, 'k1');
    const headers = { connection: 'close' };
    await fetch(`${url}/_provider/script`, { method: 'PUT', body: '{"charge":"declined then ok"}', headers });
    expect(await charge(url, 'k2')).toEqual({ error: 'declined' });
    await fetch(`${url}/_provider/forget-keys`, { method: 'POST', headers });
    expect(await charge(url, 'k1')).toMatchObject({ id: 'charge-2' });
    expect((await fetch(`${url}/_provider/nothing`, { headers })).status).toBe(404);
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it.each([
    [[], '--book FILE is required'],
    [['--book', 'b', '--options', '[]'], '--options is no JSON object'],
    [['--book', 'b', '--options', '{"script":{"charge":"maybe"}}'], '"maybe" is no word of a provider script'],
  ])('ends with 2 and says why for %j', async (args, message) => {
    const child = run(...args);
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(text).toContain(message);
  });
});
