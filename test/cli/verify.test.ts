import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSql } from '../support/postgres.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';
import { approvedOrder, PLAIN } from './support/workflows.ts';

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
  await shell.ok([
    'publish',
    shell.file('plain.yaml', PLAIN),
    shell.file('order.yaml', approvedOrder(shell.provider.url)),
  ]);
  await shell.ok(['start', 'plain', '--input', '{"id":"p1"}']);
  await shell.ok(['start', 'order', '--input', '{"id":"o1"}']);
});
afterAll(() => shell.close());

interface Answer {
  readonly faults: readonly Readonly<Record<string, unknown>>[];
  readonly checked: Readonly<Record<string, number>>;
}

it('pawl verify says what it looked at and ends with 0 when every invariant holds; no worker is needed', async () => {
  const { code, out, err } = await shell.call(['verify']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(
    /^✔ every invariant holds: 2 runs, 1 effect, 0 receipts, \d+ transitions, 1 timer, 0 events checked\n$/,
  );
  const json = (await shell.call(['verify', '-o', 'json'])).json<Answer>();
  expect(json).toMatchObject({ faults: [], checked: { runs: 2, effects: 1, timers: 1 } });
});

it('pawl verify names the run, the row, the rule and the mend of each fault, and ends with 1', async () => {
  await runSql(shell.url, 'DELETE FROM pawl.ready');
  const { code, out } = await shell.call(['verify']);
  expect(code).toBe(1);
  const [fault, total] = out.trimEnd().split('\n');
  expect(fault).toMatch(
    /^✘ run_\w{26} {2}effect reserve [0-9a-f]{64}: .*no wake-up {2}\[wake-up: W01, W03, P17\] {2}mend: any event/,
  );
  expect(total).toBe('1 fault: 2 runs, 1 effect, 0 receipts, 2 transitions, 1 timer, 0 events checked');
  const { faults } = (await shell.call(['verify', '-o', 'json'])).json<Answer>();
  expect(faults).toMatchObject([
    { check: 'wake-up', rule: 'W01, W03, P17', row: expect.stringMatching(/^effect reserve /) as string },
  ]);
});

it('pawl verify changes nothing: the fault is there afterwards as it was', async () => {
  const before = await runSql(shell.url, 'SELECT xmin, * FROM pawl.run_head ORDER BY run_id');
  expect((await shell.call(['verify'])).code).toBe(1);
  expect(await runSql(shell.url, 'SELECT xmin, * FROM pawl.run_head ORDER BY run_id')).toEqual(before);
});
