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

/** Changes acts as superuser, their trigger asleep. */
const forge = (sql: string): Promise<unknown> => runSql(shell.url, `SET session_replication_role = replica; ${sql}`);

interface Act {
  readonly act: string;
  readonly actor: string;
  readonly reason: string | null;
}

it('A05: pawl audit ls tells who has done what, also about no run', async () => {
  // A05: "Everything is audited": who, what, why, before and after.
  await shell.ok(['key', 'create', 'kai', '--role', 'viewer', '--by', 'root']);
  await shell.ok(['cancel', 'o1', '--terminate', '--yes', '--reason', 'wrong', '--by', 'ana']);
  const told = await shell.call(['audit', 'ls', '-o', 'json']);
  const acts = told.json<readonly Act[]>().map(({ act, actor, reason }) => [act, actor, reason]);
  expect(acts.slice(0, 2)).toEqual([
    ['terminate', 'ana', 'wrong'],
    ['key.create', 'root', null],
  ]);
  expect(acts.slice(2).map(([act]) => act)).toEqual(['publish', 'publish']);
  expect(await shell.ok(['audit', 'ls', '--run', 'o1', '--actor', 'ana'])).toMatch(
    /ana +terminate +run_\w{26} .*wrong/,
  );
  const cut = await shell.call([
    'audit',
    'ls',
    '--limit',
    '1',
    '--since',
    '2020-01-01T00:00:00Z',
    '--workflow',
    'order',
  ]);
  expect([cut.code, cut.err]).toEqual([0, expect.stringContaining('! only the newest 1 act, there are more')]);
  const none = await shell.call(['audit', 'ls', '--until', '2020-01-01T00:00:00Z', '--act', 'publish']);
  expect([none.code, none.out, none.err]).toEqual([0, '', 'no such act\n']);
  expect((await shell.call(['audit', 'ls', '--since', 'yesterday'])).code).toBe(2);
});

it('S56 pawl audit verify names an act that was changed, and with a seal one that was cut off', async () => {
  const whole = await shell.call(['audit', 'verify']);
  expect([whole.code, whole.out]).toEqual([0, '✔ nobody has changed what is written: 4 acts in 2 chains checked\n']);
  const seal = shell.file('seal.json', await shell.ok(['audit', 'seal']));
  expect((await shell.call(['audit', 'verify', '--seal', seal])).code).toBe(0);
  await forge('DELETE FROM pawl.tenant_act WHERE audit_no = 3');
  expect((await shell.call(['audit', 'verify'])).code).toBe(0);
  const cut = await shell.call(['audit', 'verify', '--seal', seal]);
  expect([cut.code, cut.out.split('\n')[0]]).toEqual([
    1,
    '✘ tenant default  act 3: it was sealed, and it is not there any more',
  ]);
  await forge("UPDATE pawl.tenant_act SET actor = 'mallory' WHERE audit_no = 2");
  const { code, out } = await shell.call(['audit', 'verify', '-o', 'json']);
  expect([code, JSON.parse(out)]).toEqual([
    1,
    {
      chains: 2,
      acts: 3,
      faults: [{ chain: 'tenant default', row: 'act 2', what: 'its content does not match its integrity' }],
    },
  ]);
  const verified = await shell.call(['verify']);
  expect(verified.out).toContain('✘ tenant default act 2: its content does not match its integrity  [audit: A05, P15]');
  expect((await shell.call(['audit', 'verify', '--seal', shell.file('none.json', '{}')])).code).toBe(5);
});
