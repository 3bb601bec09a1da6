import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../src/app/explain/explain-workflow.ts';
import { callCli } from './support/command-line.ts';
import { FAILING, workflow } from './support/workflows.ts';

const WORKFLOWS = fileURLToPath(new URL('../../workflows', import.meta.url));

describe('pawl validate --explain', () => {
  it.each(['order-fulfilment', 'agent-refund', 'parcel-return'])('says in words what %s may do', async (name) => {
    const { code, out } = await callCli(['validate', '--explain', `${name}.pawl.yaml`], WORKFLOWS);
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot(`golden/explain-${name}.txt`);
  });

  it('gives the same facts as data', async () => {
    const { json } = await callCli(['validate', '--explain', 'order-fulfilment.pawl.yaml', '-o', 'json'], WORKFLOWS);
    const [{ explanation }] = json<readonly [{ readonly explanation: Explanation }]>();
    expect(explanation).toMatchObject({
      workflow: 'order-fulfilment',
      pivots: [{ step: 'ship' }],
      timeoutMs: 172_800_000,
    });
    expect(explanation.parts.map(({ step }) => step)).toEqual(['reserve', 'review', 'authorize', 'ship', 'capture']);
  });

  it('says what is held, what nothing undoes behind the pivot, and who is asked at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-explain-'));
    const pay = (extra: string): string =>
      `{ http: { method: POST, url: 'http://x/' }, settlesWithin: 1s, timeout: 1s, idempotency: none${extra} }`;
    const text = workflow('held', [
      'onFailure: hold',
      'actions:',
      `  a.pay: ${pay('')}`,
      `  a.back: ${pay(', compensate: none')}`,
      'steps:',
      '  - { id: one, call: a.back, compensate: { call: a.back, onFailure: continue, retry: { attempts: forever } }, retry: { attempts: 2, within: 1h, on: [absent], when: size(run.key) > 1 } }',
      "  - { id: ask, approve: t, from: ['role:x'] }",
      '  - { id: two, when: size(run.key) > 1, call: a.back, pivot: true, compensate: { call: a.back } }',
      '  - { id: pick, choose: [{ when: size(run.key) > 2, steps: [{ id: piv, call: a.back }] }, { else: [] }] }',
    ]);
    writeFileSync(join(folder, 'held.yaml'), text);
    writeFileSync(join(folder, 'broken.yaml'), FAILING.replace('steps', 'stebs'));
    const { out } = await callCli(['validate', '--explain', 'held.yaml', 'broken.yaml'], folder);
    await expect(out.slice(out.indexOf('held.yaml  ok'), out.indexOf('error PAWL-101'))).toMatchFileSnapshot(
      'golden/explain-held.txt',
    );
    rmSync(folder, { recursive: true });
  });
});
