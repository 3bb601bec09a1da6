import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NeedView } from '../../src/engine/list-needs.ts';
import type { WhyView } from '../../src/engine/why-run.ts';
import { runSql } from '../support/postgres.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';
import { approvedOrder, PLAIN, unaskable } from './support/workflows.ts';

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine({ script: { pay: 'lost-done' } });
  const files = {
    'plain.yaml': PLAIN,
    'order.yaml': approvedOrder(shell.provider.url),
    'payout.yaml': unaskable(shell.provider.url),
  };
  for (const [name, text] of Object.entries(files)) await shell.ok(['publish', shell.file(name, text)]);
  for (const [name, id] of [
    ['order', 'o1'],
    ['payout', 'p1'],
  ] as const)
    await shell.call(['run', name, '--input', JSON.stringify({ id }), '--no-wait-human', '--by', 'bob']);
});
afterAll(() => shell.close());

describe('why', () => {
  it('says in one line what a run waits for, since when, and who can move it', async () => {
    const { code, out, err } = await shell.call(['why', 'o1']);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^waits for an approval of decision, since .* UTC, until .* UTC, moved by role:approver: pawl approve run_\w+\n$/,
    );
    expect(err).toContain('also: no worker is alive');
    const why = (await shell.call(['why', 'p1', '-o', 'json'])).json<WhyView>();
    expect(why).toMatchObject({
      key: 'p1',
      status: 'HELD',
      reasons: [{ kind: 'unknown', step: 'pay', by: ['role:operator'] }, {}],
    });
  });

  it('knows no run of that name, exit 4', async () => {
    expect((await shell.call(['why', 'nobody'])).code).toBe(4);
  });
});

describe('ls --needs human', () => {
  it('lists each incident and each approval on a line: run, kind, since, step, message, who may act, which acts', async () => {
    const needs = (await shell.call(['ls', '--needs', 'human', '-o', 'json'])).json<readonly NeedView[]>();
    expect(needs).toMatchObject([
      {
        key: 'p1',
        kind: 'unknown',
        step: 'pay',
        from: ['role:operator'],
        acts: ['confirmed', 'absent', 'keep-waiting'],
      },
      {
        key: 'o1',
        kind: 'approval',
        step: 'decision',
        message: 'Charge order o1?',
        from: ['role:approver'],
        acts: ['approve', 'deny'],
      },
    ]);
    expect(Object.keys(needs[0] ?? {})).toEqual([
      'run',
      'key',
      'workflow',
      'version',
      'kind',
      'since',
      'step',
      'message',
      'from',
      'acts',
      'command',
    ]);
    expect(needs.map(({ command }) => command)).toEqual([
      expect.stringMatching(/^pawl resolve run_\w+ pay --as confirmed\|absent\|keep-waiting --evidence TEXT$/),
      expect.stringMatching(/^pawl approve run_\w+$/),
    ]);
    expect(await shell.ok(['ls', '--needs', 'human', '-o', 'ids'])).toBe(needs.map(({ run }) => run).join('\n'));
    const table = await shell.ok(['ls', '--needs', 'human']);
    expect(table).toMatch(/RUN +KEY +KIND +STEP +SINCE \(UTC\) +FROM +ACTS +WHAT/);
    expect(table).toMatch(/p1 +unknown +pay .* role:operator +confirmed, absent, keep-waiting +nobody knows/);
    for (const { command } of needs) expect(table.split('\n')).toContain(command);
    const nobody = await shell.call(['ls', 'o9', '--needs', 'human']);
    expect([nobody.code, nobody.err]).toEqual([4, expect.stringContaining('no such run\n')]);
  });
});

describe('what any process can see of the others', () => {
  it('P05 ls says how many runs should have moved and that no worker is alive', async () => {
    // P05: "A run that should have moved and has no holder is alarmed by any living process."
    await shell.ok(['start', 'order', '--input', '{"id":"o2"}']);
    expect((await shell.call(['ls'])).err).toBe('');
    await runSql(shell.url, "UPDATE pawl.ready SET due_at = due_at - interval '1 hour'");
    const { out, err } = await shell.call(['ls', '-o', 'ids']);
    expect(err).toBe(
      '! 1 run should have moved and nobody holds them; no worker is alive: start one with "pawl worker"\n',
    );
    expect(out.split('\n').length).toBe(4);
    expect((await shell.call(['ls', '--needs', 'human'])).err).toContain('1 run should have moved');
    expect(await shell.ok(['why', 'o2'])).toMatch(/^no worker is alive, moved by role:operator: pawl worker$/);
  });

  it('P14 db recovered ends recovery mode and says when there is none, exit 5', async () => {
    // P14: "… nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const recovered = (...more: readonly string[]) => shell.call(['db', 'recovered', '--reason', 'compared', ...more]);
    expect(await recovered()).toMatchObject({ code: 5, err: 'the database is in no recovery mode\n' });
    await runSql(shell.url, 'UPDATE pawl.witness SET timeline = timeline + 1');
    const why = (await shell.call(['why', 'p1', '-o', 'json'])).json<WhyView>();
    expect(why.reasons.map(({ kind }) => kind)).toContain('recovery');
    expect((await shell.call(['ls'])).err).toMatch(
      /^! the database is in recovery mode since .* UTC: "pawl db recovered"/,
    );
    const listed = await shell.call(['db', 'recovered']);
    expect(listed.out).toMatch(/ o1 +WAITING +charge .* PROPOSED +eff_\S+ +not sent yet, as far as is known here/);
    expect(listed.out).toMatch(/ p1 +HELD +pay .* UNKNOWN +eff_\S+ +in doubt: it goes on by its contract/);
    expect(listed.out).toMatch(/^pawl resolve run_\w+ pay --as confirmed\|absent --evidence TEXT$/m);
    expect(listed.err).toContain('pawl db recovered --reason TEXT');
    const window = (await shell.call(['db', 'recovered', '-o', 'json'])).json<{
      readonly forgotten: readonly unknown[];
    }>();
    expect(window.forgotten.length).toBeGreaterThan(1);
    // What a worker finds to be in doubt stays so when recovery mode ends.
    await runSql(shell.url, "UPDATE pawl.effect SET code = 'forgotten' WHERE state = 'UNKNOWN'");
    expect((await shell.call(['db', 'recovered'])).out).toContain(
      'may have happened: nothing is sent before that is known',
    );
    const over = await recovered();
    expect(over).toMatchObject({ code: 0, err: expect.stringContaining('recovery mode is over: ') });
    expect(over.err).toContain('1 in doubt: pawl db recovered lists them');
    expect((await recovered('-o', 'json')).json()).toEqual({ ended: false });
    const left = await shell.call(['db', 'recovered']);
    expect([left.code, left.err]).toEqual([0, expect.stringContaining('stay in doubt until somebody has said')]);
    expect(left.out).toMatch(/^pawl resolve run_\w+ pay --as confirmed\|absent --evidence TEXT$/m);
    expect(left.out).not.toContain(' o1 ');
    await runSql(shell.url, "UPDATE pawl.effect SET code = 'no-answer' WHERE state = 'UNKNOWN'");
    expect(await shell.call(['db', 'recovered'])).toMatchObject({
      code: 5,
      err: 'the database is in no recovery mode\n',
    });
  });

  it('P14 db restored begins recovery mode for a copy that was put back, which nothing else could tell', async () => {
    // P14: "… nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const restored = (...more: readonly string[]) => shell.call(['db', 'restored', ...more]);
    const refused = await restored('--since', 'yesterday');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('write it as 2030-01-31T12:00:00Z') });
    expect(await restored('--since', '2026-01-31T12:00:00Z')).toMatchObject({
      code: 0,
      err: 'recovery mode: only what providers remember by their keys is sent\nwhat may have happened and be forgotten: pawl db recovered\n',
    });
    const twice = await restored('-o', 'json');
    expect([twice.code, twice.json()]).toEqual([5, { begun: false }]);
    const window = (await shell.call(['db', 'recovered', '-o', 'json'])).json<{ readonly lastSeen: string }>();
    expect(window.lastSeen).toBe('2026-01-31T12:00:00.000Z');
    expect((await shell.call(['db', 'recovered', '--reason', 'compared'])).code).toBe(0);
    expect((await restored('-o', 'json')).json()).toEqual({ begun: true });
    expect((await shell.call(['db', 'recovered', '--reason', 'compared'])).code).toBe(0);
  });
});

describe('approvals', () => {
  it('lists what is asked of people, and of that what somebody may still decide', async () => {
    const all = (await shell.call(['approvals', '-o', 'json'])).json<readonly { runKey: string; step: string }[]>();
    expect(all).toMatchObject([{ runKey: 'o1', step: 'decision' }]);
    expect((await shell.call(['approvals', '--status', 'open'], { columns: 200 })).out).toContain('decision');
    // Whoever started the run may not vote (A03).
    expect((await shell.call(['approvals', '--mine', '--by', 'bob'])).err).toContain('no such approval');
  });
});

describe('batch', () => {
  it('shows which runs it is about, asks, and leaves the rest to workers', async () => {
    const filter = ['batch', 'cancel', '--workflow', 'order'];
    const dry = (await shell.call([...filter, '--dry-run', '-o', 'json'])).json<{ count: number }>();
    expect(dry.count).toBe(2);
    expect((await shell.call(filter)).code).toBe(2);
    expect((await shell.call(['batch', 'cancel', '--yes', '--reason', 'r'])).code).toBe(2);
    expect((await shell.call(['batch', 'signal', 'o1', '--event', 'e', '--payload', '{', '--dry-run'])).code).toBe(2);
    const done = await shell.call([...filter, '--max-failures', '3', '--rate', '2', '--yes', '--reason', 'withdrawn']);
    expect([done.code, done.err]).toEqual([0, expect.stringContaining('cancel 2 runs')]);
    const id = done.out.trim();
    expect((await shell.call(['batch', 'pause', id, '--reason', 'wait'])).err).toContain('the batch is paused');
    expect((await shell.call(['batch', 'ls'], { columns: 200 })).out).toMatch(/cancel +paused/);
    expect((await shell.call(['batch', 'show', id])).out).toContain('0 of 2 applied, 0 refused, 0 failed, 2 left');
    expect((await shell.call(['batch', 'resume', id, '--reason', 'go'])).code).toBe(0);
    expect((await shell.call(['batch', 'show', 'bat_none'])).code).toBe(4);
  });
});
