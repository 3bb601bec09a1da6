import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ScheduleView } from '../../src/engine/list-schedules.ts';
import { displayRunId } from '../../src/model/run-id.ts';
import type { RunId } from '../../src/model/ids.ts';
import { runSql } from '../support/postgres.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';

const yearly = (name: string, schedule: string): string =>
  ['pawl: 1', `workflow: ${name}`, 'version: 1', 'timeout: 1d', schedule, 'steps: [{ end: done }]', ''].join('\n');
const LAST_RUN = '019a0000-0000-7000-8000-000000000001' as RunId;

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
  await shell.ok(['publish', shell.file('plain.yaml', yearly('plain', ''))]);
});
afterAll(() => shell.close());

const row = (text: string): readonly string[] => text.trim().split(/\s{2,}/);
const listed = async (): Promise<readonly ScheduleView[]> =>
  (await shell.call(['schedule', 'ls', '-o', 'json'])).json<readonly ScheduleView[]>();

it('pawl schedule ls says where nothing has a schedule, and else what comes next and what came last', async () => {
  expect((await shell.call(['schedule', 'ls'])).err).toBe('no published workflow has a schedule\n');
  const text = yearly('new-year', "schedule: { cron: '0 0 1 1 *', timezone: Europe/Berlin }");
  await shell.ok(['publish', shell.file('new-year.yaml', text)]);
  const { out, err } = await shell.call(['schedule', 'ls'], { columns: 200 });
  const [heading = '', fresh = ''] = out.split('\n');
  expect(row(heading)).toEqual([
    'WORKFLOW',
    'TIMES',
    'NEXT (UTC)',
    'LAST STARTED (UTC)',
    'LAST SKIPPED (UTC)',
    'WHY NOT',
  ]);
  expect(row(fresh)).toEqual([
    'new-year@1',
    '0 0 1 1 * Europe/Berlin',
    expect.stringMatching(/^\d{4}-12-31 23:00:00 UTC$/),
  ]);
  expect(err).toBe('');
  await runSql(
    shell.url,
    `UPDATE pawl.schedule SET last_fired_at = '2024-12-31T23:00:00Z', last_run_id = '${LAST_RUN}',
       last_skipped_at = '2025-12-31T23:00:00Z', last_error = 'no account'`,
  );
  const [, shown = ''] = (await shell.call(['schedule', 'ls'], { columns: 200 })).out.split('\n');
  expect(row(shown).slice(3)).toEqual(['2024-12-31 23:00:00 UTC', '2025-12-31 23:00:00 UTC', 'no account']);
  expect(await listed()).toMatchObject([
    {
      workflow: 'new-year',
      version: 1,
      overlap: 'skip',
      catchUp: 'one',
      paused: false,
      lastFired: '2024-12-31T23:00:00.000Z',
      lastRun: displayRunId(LAST_RUN),
      lastSkipped: '2025-12-31T23:00:00.000Z',
      error: 'no account',
    },
  ]);
});

it('pawl schedule pause and resume need a reason, which is kept', async () => {
  for (const act of ['pause', 'resume'])
    expect(await shell.call(['schedule', act, 'new-year', '--reason', ' '])).toMatchObject({ code: 2 });
  const paused = await shell.call(['schedule', 'pause', 'new-year', '--reason', 'audit', '--by', 'ana']);
  expect([paused.code, paused.err]).toEqual([0, 'new-year is paused\n']);
  const { out, err } = await shell.call(['schedule', 'ls'], { columns: 200 });
  expect(row(out.split('\n')[1] ?? '')[2]).toBe('paused');
  expect(err).toMatch(/ana paused new-year: audit\n$/);
  const json = await shell.call(['schedule', 'resume', 'new-year', '--reason', 'done', '-o', 'json']);
  expect(json.json<ScheduleView>()).toMatchObject({ workflow: 'new-year', paused: false });
  expect((await listed())[0]?.acts.map(({ act, reason }) => [act, reason])).toEqual([
    ['resume', 'done'],
    ['pause', 'audit'],
  ]);
  const again = await shell.call(['schedule', 'resume', 'new-year', '--reason', 'sure']);
  expect(again.err).toMatch(/^new-year goes on at \d{4}-12-31 23:00:00 UTC\n$/);
  expect((await shell.call(['schedule', 'ls'])).err).toContain('resumed new-year: sure');
});

it('pawl schedule pause of a workflow without one says that it has none', async () => {
  const called = await shell.call(['schedule', 'pause', 'plain', '--reason', 'x']);
  expect([called.code, called.err]).toEqual([4, expect.stringContaining('plain has no schedule')]);
});

it('A worker starts what is due, in a database as in memory', async () => {
  await runSql(shell.url, "UPDATE pawl.schedule SET due_at = '2025-12-31T23:00:00Z'");
  await shell.withWorker(async () => {
    while ((await shell.ok(['ls', '-o', 'ids'])) === '') await Promise.resolve();
  });
  expect((await listed())[0]).toMatchObject({ lastFired: '2025-12-31T23:00:00.000Z', error: null });
  expect(await shell.ok(['show', '2025-12-31T23:00:00Z'])).toContain('new-year');
});

it('pawl schedule ls says where it is cut', async () => {
  const more = yearly('other-year', "schedule: { cron: '0 0 1 1 *', timezone: Europe/Berlin }");
  await shell.ok(['publish', shell.file('other-year.yaml', more)]);
  const cut = await shell.call(['schedule', 'ls', '--limit', '1', '-o', 'json']);
  expect(cut.json<readonly ScheduleView[]>().map(({ workflow }) => workflow)).toEqual(['new-year']);
  expect(cut.err).toBe('! only the first 1 schedule by name, there are more: --limit N (at most 10000)\n');
  const whole = await shell.call(['schedule', 'ls', '--limit', '2', '-o', 'json']);
  expect([whole.json<readonly ScheduleView[]>().length, whole.err]).toEqual([2, '']);
  expect((await shell.call(['schedule', 'ls', '--limit', '0'])).code).toBe(2);
});

it('pawl deprecate has nothing new start on a version, and needs a reason; --undo takes it back', async () => {
  const deprecate = (...more: readonly string[]) => shell.call(['deprecate', ...more]);
  expect((await deprecate('plain', '--reason', 'old')).code).toBe(2);
  expect((await deprecate('plain@1')).code).toBe(2);
  expect((await deprecate('plain@1', '--undo')).code).toBe(5);
  expect((await deprecate('plain@1', '--reason', 'old')).code).toBe(0);
  const refused = await shell.call(['start', 'plain', '--input', '{}']);
  expect([refused.code, refused.err]).toEqual([5, expect.stringContaining('plain@1 is deprecated by ')]);
  expect((await deprecate('plain@1', '--undo')).code).toBe(0);
  expect((await shell.call(['start', 'plain', '--input', '{}'])).code).toBe(0);
});

it('pawl pause stops all of one workflow, action or host, and needs a reason; pawl resume ends it', async () => {
  for (const args of [
    ['pause'],
    ['pause', '--host', 'a.test'],
    ['pause', 'r', '--host', 'a.test', '--reason', 'x'],
    ['resume'],
  ])
    expect((await shell.call(args)).code, args.join(' ')).toBe(2);
  expect((await shell.call(['pauses'])).err).toBe('nothing is paused\n');
  const paused = await shell.call(['pause', '--host', 'Bank.test', '--reason', 'odd answers', '--by', 'ana']);
  expect([paused.code, paused.err]).toEqual([
    0,
    expect.stringMatching(/^host bank\.test is paused: .* pawl resume --host bank\.test /),
  ]);
  expect((await shell.call(['pause', '--host', 'bank.test', '--reason', 'x'])).code).toBe(5);
  const { out } = await shell.call(['pauses'], { columns: 200 });
  const told = ['host bank.test', expect.stringMatching(/ UTC$/), 'ana', 'odd answers'];
  expect(out.trim().split('\n').map(row)).toEqual([['WHAT', 'SINCE (UTC)', 'BY', 'REASON'], told]);
  expect((await shell.call(['resume', '--host', 'Bank.test'])).err).toBe(
    'host bank.test is resumed: what waited goes on\n',
  );
  expect((await shell.call(['resume', '--host', 'bank.test'])).code).toBe(4);
});
