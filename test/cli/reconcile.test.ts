import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunView } from '../../src/engine/run-view.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';
import { askable } from './support/workflows.ts';

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine({ script: { pay: 'lost-done', 'GET pay': '503 then ok' } });
  await shell.ok(['publish', shell.file('transfer.yaml', askable(shell.provider.url))]);
});
afterAll(() => shell.close());

const show = async (): Promise<RunView> => (await shell.call(['show', 'k1', '-o', 'json'])).json<RunView>();

it('pawl reconcile asks the provider now instead of at the next hour, and what happened once is confirmed', async () => {
  await shell.withWorker(async () => {
    await shell.ok(['start', 'transfer', '--input', '{"id":"k1"}']);
    // The first question meets a provider that cannot answer; the next one is an hour away.
    await expect.poll(async () => (await show()).effects[0]?.queries, { timeout: 15_000 }).toBe(1);
    const waiting = await show();
    expect([waiting.status, waiting.effects[0]?.state]).toEqual(['WAITING', 'UNKNOWN']);
    expect(Date.parse(waiting.waitingFor[0]?.until ?? '') - Date.now()).toBeGreaterThan(3_000_000);
    const asked = await shell.call(['reconcile', 'k1', 'pay']);
    expect([asked.code, asked.out, asked.err]).toEqual([0, '', '✔ asked for: a worker asks the provider next\n']);
    await expect.poll(async () => (await show()).status, { timeout: 15_000 }).toBe('COMPLETED');
  });
  const run = await show();
  expect(run.effects).toMatchObject([{ state: 'CONFIRMED', queries: 2, externalId: 'pay-1' }]);
  expect([run.output, shell.provider.effects()]).toEqual([{ paid: 'pay-1' }, ['pay']]);
  expect((await shell.call(['receipt', 'verify', 'k1'])).out).toContain('1 receipt verified ✔');
  const late = await shell.call(['reconcile', 'k1', 'pay']);
  expect([late.code, late.err]).toEqual([
    5,
    expect.stringMatching(
      /^✘ not asked for \(refused\): step pay is CONFIRMED since .*: nothing about it is in doubt any more\n$/,
    ),
  ]);
  const nothing = await shell.call(['reconcile', 'k1', 'nothing']);
  expect([nothing.code, nothing.err]).toEqual([4, expect.stringContaining('PAWL_EFFECT_NOT_FOUND')]);
}, 60_000);
