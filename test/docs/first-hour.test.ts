import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Provider, startProvider } from '../../src/testing/fake-provider.ts';
import { type ApiHouse, openApiHouse } from '../api/support/api-house.ts';
import { blocksOf, type CurlGuide, curlsOf, followCurl } from './support/curl-guide.ts';

const page = readFileSync(new URL('../../docs/guides/first-hour.md', import.meta.url), 'utf8');

let house: ApiHouse;
let provider: Provider;
const folder = mkdtempSync(join(tmpdir(), 'pawl-hour-'));
beforeAll(async () => {
  provider = await startProvider({ bookFile: join(folder, 'book.jsonl') });
  house = await openApiHouse({ worker: true });
});
afterAll(async () => {
  await house.close();
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly status: string;
  readonly effects: readonly { readonly step: string; readonly state: string; readonly receiptNo: number | null }[];
}

interface Audit {
  readonly verified: boolean;
  readonly faults: readonly unknown[];
  readonly data: readonly object[];
}

it('every command of docs/guides/first-hour.md does what the page says, and the stream tells the life of the run', async () => {
  const [yaml = ''] = blocksOf(page, 'yaml');
  const values: Record<string, string> = { URL: '' };
  for (const [name, roles] of [
    ['ANA', ['author', 'operator']],
    ['KAI', ['approver']],
    ['ZOE', ['approver']],
  ] as const)
    values[name] = await house.key(roles, { principal: name.toLowerCase() });
  const guide: CurlGuide = {
    house,
    values,
    files: { 'refund.pawl.yaml': yaml.replaceAll('http://127.0.0.1:4171', provider.url) },
    address: await house.server.listen('127.0.0.1', 0),
    readers: [],
  };
  const lines = curlsOf(page);
  expect(lines.length).toBeGreaterThan(12);
  const waited: Run[] = [];
  const verified: Audit[] = [];
  for (const line of lines) {
    const told = await followCurl(guide, line);
    if (line.includes('?wait=')) waited.push(told?.json<Run>() as Run);
    if (line.includes('/audit"')) verified.push(told?.json<Audit>() as Audit);
  }
  expect(waited.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPENSATED']);
  expect(waited.at(-1)?.effects.map(({ step, state, receiptNo }) => [step, state, receiptNo !== null])).toHaveLength(3);
  for (const { state, receiptNo } of waited.at(-1)?.effects ?? []) {
    expect(state).toBe('CONFIRMED');
    expect(receiptNo).not.toBeNull();
  }
  expect([...provider.effects()].sort()).toEqual(['ledger/postings', 'ledger/reversals', 'psp/refunds']);
  const acts = ['kai approve', 'zoe approve', 'ana compensate'].map((line) => {
    const [actor, act] = line.split(' ');
    return expect.objectContaining({ actor, act }) as object;
  });
  expect(verified).toEqual([{ verified: true, faults: [], data: acts }]);
  const [reader] = guide.readers;
  const statuses: string[] = [];
  while (statuses.at(-1) !== 'COMPENSATED') {
    const block = await reader?.nextOf('run', 'resync');
    expect(block?.event).toBe('run');
    statuses.push((JSON.parse(block?.data ?? '') as Run).status);
  }
  reader?.cut();
  expect([...new Set(statuses)]).toEqual(['WAITING', 'RUNNING', 'COMPLETED', 'COMPENSATING', 'COMPENSATED']);
}, 120_000);
