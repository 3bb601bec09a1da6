import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../src/engine/run-view.ts';
import { runSql } from '../support/postgres.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';
import { approvedOrder, PLAIN, unaskable, workflow } from './support/workflows.ts';

const TAGGED = [
  'pawl: 1',
  'workflow: tagged',
  'version: 1',
  'timeout: 1d',
  'labels: { team: payments, tier: 1 }',
  'steps: [{ id: sleep, wait: 1h }]',
  '',
].join('\n');

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine({ script: { pay: 'lost-done' } });
  const { url } = shell.provider;
  const files: Readonly<Record<string, string>> = {
    'plain.yaml': PLAIN,
    'order.yaml': approvedOrder(url),
    'payout.yaml': unaskable(url),
    'agreed.yaml': approvedOrder(url)
      .replace('workflow: order', 'workflow: agreed')
      .replace(
        'id: =effect.output.id } }',
        "id: =effect.output.id }, approve: { title: 'Release ${ effect.output.id }?', from: ['role:approver'], except: ['user:eve'], expires: 1h } }",
      ),
    'refund.yaml': approvedOrder(url)
      .replace('workflow: order', 'workflow: refund')
      .replace(
        'expires: 1h',
        'expires: 1h, form: { type: object, required: [order], properties: { order: { type: string }, days: { type: integer, enum: [1, 2], default: 1 } } }',
      ),
    'letter.yaml': workflow('letter', [
      'key: input.id',
      'input: { type: object, required: [id], properties: { id: { type: string } } }',
      'events: { answered: { schema: { type: object, required: [text], properties: { text: { type: string } } } } }',
      'steps:',
      '  - { id: answer, await: answered, timeout: 1h }',
      'output: { text: =steps.answer.output.text }',
    ]),
  };
  for (const [name, text] of Object.entries(files)) await shell.ok(['publish', shell.file(name, text)]);
});
afterAll(() => shell.close());

const input = (id: string): string => JSON.stringify({ id });
const show = async (id: string): Promise<RunView> => (await shell.call(['show', id, '-o', 'json'])).json<RunView>();
/** Starts a run and lets a worker bring it to where a person is needed. */
const until = (name: string, id: string) =>
  shell.call(['run', name, '--input', input(id), '--no-wait-human', '--by', 'bob']);

describe('publish', () => {
  it('says that the same content is there already', async () => {
    const { code, err } = await shell.call(['publish', 'plain.yaml']);
    expect([code, err]).toEqual([0, expect.stringContaining('there already, with the same content')]);
  });

  it('refuses other content at its line, names what differs, who published, and the next free number', async () => {
    await shell.ok(['publish', shell.file('next.yaml', PLAIN.replace('version: 1', 'version: 2'))]);
    await shell.ok(['start', 'letter', '--input', input('pinned')]);
    const { code, err } = await shell.call([
      'publish',
      shell.file('edited.yaml', PLAIN.replace('timeout: 1h', 'timeout: 2h')),
    ]);
    expect(code).toBe(5);
    expect(err).toContain(
      'error PAWL-501 plain@1 is published with other content; what differs: /timeout: 1h -> 2h (timeouts, retries, review or who approves)\n',
    );
    const more =
      'onFailure: hold\nconstants: { a: 1 }\nsecrets: [token]\ncompensation: { onFailure: continue }\nevents: { paid: {} }\n';
    const many = await shell.call(['publish', shell.file('many.yaml', `${PLAIN.replace('1h', '2h')}${more}`)]);
    expect(many.err).toContain(
      'what differs: /timeout: 1h -> 2h; /onFailure is new; /constants is new; /secrets is new; /compensation is new; 1 more (',
    );
    expect(err).toContain(' --> edited.yaml:3:10\n2 | workflow: plain\n3 | version: 1\n  |          ^\n');
    expect(err).toMatch(
      /set `version: 3`\. 1 was published .* UTC by ana as [0-9a-f]{12}, yours is [0-9a-f]{12}; 0 runs/,
    );
  });

  it('counts the runs that stay on the published version, and tells the same as data', async () => {
    const edited = readFileSync(join(shell.folder, 'letter.yaml'), 'utf8').replace('timeout: 1h', 'timeout: 2h');
    const { err } = await shell.call(['publish', shell.file('letter2.yaml', edited), '-o', 'json']);
    const { error } = JSON.parse(err) as { readonly error: Record<string, unknown> };
    expect(error).toMatchObject({
      code: 'PAWL_VERSION_CONFLICT',
      details: { workflow: 'letter', version: 1, next: 2 },
      problems: [
        {
          code: 'PAWL-501',
          pointer: '/version',
          help: expect.stringContaining('1 run that has not ended stays on it') as string,
        },
      ],
    });
  });

  it('publishes none of several files when one is broken', async () => {
    const other = shell.file('other.yaml', PLAIN.replace('workflow: plain', 'workflow: other'));
    const { code } = await shell.call(['publish', other, shell.file('bad.yaml', 'pawl: 1\n')]);
    expect(code).toBe(3);
    expect((await shell.call(['start', 'other', '--input', input('x')])).code).toBe(4);
  });
});

describe('approve and deny', () => {
  it('shows what is voted about and what it will send, then says what became of the vote', async () => {
    await until('order', 'v1');
    const { code, err } = await shell.call(['approve', 'v1', '--yes', 'decision', '--comment', 'looks good']);
    expect(code).toBe(0);
    expect(err).toContain(
      'Charge order v1?  (needs 1 of role:approver)\n  order: v1\n  will send shop.charge {"order":"v1"}\n',
    );
    expect(err).toContain('✔ approved by ana\n');
    const again = await shell.call(['approve', 'v1']);
    expect([again.code, again.err]).toEqual([
      0,
      expect.stringMatching(
        /^✔ approved by ana: it was there before, nothing changed; it was approved by ana, .* UTC\n$/,
      ),
    ]);
    const other = await shell.call(['deny', 'v1', '--by', 'kai']);
    expect([other.code, other.err]).toEqual([
      5,
      expect.stringMatching(/^✘ the vote of kai does not count \(already-decided\): it was approved by ana, .* UTC\n$/),
    ]);
  });

  it('A04 a form is filled in field by field or from a file; what does not fit is refused with its place, and it still waits', async () => {
    // A04: "a form field of the same name replaces that value and the hash is taken again at the deciding vote."
    await until('refund', 'f1');
    expect((await show('f1')).waitingFor).toMatchObject([
      { command: expect.stringMatching(/ --form order=VALUE$/) as string },
    ]);
    const wrong = await shell.call(['approve', 'f1', '--yes', '--form', 'order=f9', '--form', 'days=3']);
    expect([wrong.code, wrong.err]).toEqual([5, expect.stringContaining('/days must be equal to one of the allowed')]);
    expect(wrong.err).toContain('  form: days (integer; one of 1, 2; else 1)\n  form: order (string; required)\n');
    const strange = await shell.call(['approve', 'f1', '--yes', '--form', 'ordr=f9']);
    expect([strange.code, strange.err]).toEqual([5, expect.stringContaining('it has: days, order')]);
    expect((await shell.call(['approve', 'f1', '--yes', '--form', 'order'])).code).toBe(2);
    expect((await shell.call(['approve', 'f1', '--yes', '--form-file', shell.file('list.json', '[1]')])).code).toBe(2);
    expect((await show('f1')).approvals).toMatchObject([{ state: 'open', form: { type: 'object' } }]);
    const file = shell.file('form.json', JSON.stringify({ order: 'no', days: 2 }));
    expect((await shell.call(['approve', 'f1', '--yes', '--form-file', file, '--form', 'order=f9'])).code).toBe(0);
    const { approvals, effects } = await show('f1');
    expect(approvals).toMatchObject([{ state: 'approved', votes: [{ form: { order: 'f9', days: 2 } }] }]);
    expect(JSON.stringify(approvals[0]?.subject)).toContain('"order":"f1"');
    expect(effects.find(({ step }) => step === 'charge')?.request).toEqual({ order: 'f9' });
  });

  it('A04 shows what it would approve and votes for nothing before somebody has agreed', async () => {
    // A04: "shown as its subject, and its hash is what people approve"
    await until('order', 'v7');
    const blind = await shell.call(['approve', 'v7']);
    expect([blind.code, blind.out]).toEqual([2, '']);
    expect(blind.err).toContain('  order: v7\n  will send shop.charge {"order":"v7"}\n');
    expect(blind.err).toContain('nobody can be asked here: read it, then add --yes');
    expect((await show('v7')).approvals).toMatchObject([{ state: 'open', votes: [] }]);
  });

  it('tells a person without the role which mend there is, exit 6', async () => {
    await until('order', 'v2');
    const { code, err } = await shell.call(['approve', 'v2', '--yes', '--by', 'zoe']);
    expect([code, err]).toEqual([6, expect.stringContaining('give the role under "principals" in pawl.config.yaml')]);
  });

  it('takes who acts as --by, and as --as, its other name', async () => {
    await until('order', 'v5');
    for (const name of ['--by', '--as'])
      expect((await shell.call(['approve', 'v5', '--yes', name, 'zoe'])).code).toBe(6);
    expect((await shell.call(['approve', 'v5', '--yes', '--by', 'kai'], { env: { PAWL_AS: 'zoe' } })).code).toBe(0);
  });

  it('A04 a vote for something else than what is asked now is refused, exit 5', async () => {
    // A04: "A vote carries the hash it saw; another hash: 409 stale."
    await until('order', 'v3');
    const { code, err } = await shell.call(['approve', 'v3', '--yes', '--subject', '0'.repeat(64)]);
    expect([code, err]).toEqual([5, expect.stringContaining('read it again with pawl show')]);
  });

  it('A05 after the end of the run, too, the same vote is answered with the first, and another with the decision', async () => {
    // A05: the same vote again is answered with the first; another vote of that person is told the decision.
    await until('order', 'v6');
    await shell.withWorker(async () => {
      await shell.ok(['approve', 'v6', '--yes']);
      await shell.call(['run', 'order', '--input', input('v6')]);
    });
    expect((await show('v6')).status).toBe('COMPLETED');
    const decided = `it was approved by ana, ${(await show('v6')).approvals[0]?.decidedAt?.slice(0, 19).replace('T', ' ') ?? ''} UTC\n`;
    const same = await shell.call(['approve', 'v6']);
    expect([same.code, same.err]).toEqual([0, `✔ approved by ana: it was there before, nothing changed; ${decided}`]);
    const other = await shell.call(['deny', 'v6']);
    expect([other.code, other.err]).toEqual([
      5,
      `✘ the vote of ana does not count (already-decided): you have voted before, and differently; ${decided}`,
    ]);
    const late = await shell.call(['approve', 'v6', '--by', 'kai']);
    expect([late.code, late.err]).toEqual([5, `✘ the vote of kai does not count (already-decided): ${decided}`]);
  });

  it('a denial undoes what was done', async () => {
    await until('order', 'v4');
    await shell.withWorker(async () => {
      await shell.ok(['deny', 'v4']);
      await shell.call(['run', 'order', '--input', input('v4')]);
    });
    const run = await show('v4');
    expect([run.status, run.effects.find((effect) => effect.compensates !== null)?.state]).toEqual([
      'COMPENSATED',
      'CONFIRMED',
    ]);
  });
});

describe('signal', () => {
  it('is kept until it is waited for, told once, and refused when it does not fit', async () => {
    await shell.ok(['start', 'letter', '--input', input('g1')]);
    const misfit = await shell.call(['signal', 'g1', 'answered', '{"text":1}']);
    expect([misfit.code, misfit.err]).toEqual([3, expect.stringContaining("the event's data does not fit: /text")]);
    expect((await shell.call(['signal', 'g1', 'nosuch'])).code).toBe(5);
    const sent = await shell.call(['signal', 'g1', 'answered', '{"text":"yes"}', '--id', 'e1', '-o', 'json']);
    expect(sent.json()).toMatchObject({ outcome: 'applied', eventId: 'e1', again: false });
    const again = await shell.call(['signal', 'g1', 'answered', '{"text":"yes"}', '--id', 'e1', '-o', 'json']);
    expect(again.json()).toMatchObject({ outcome: 'applied', again: true });
    const words = await shell.call(['signal', 'g1', 'answered', '{"text":"yes"}', '--id', 'e1']);
    expect(words.err).toBe('✔ sent answered: it was there before, nothing changed\n');
    expect((await show('g1')).output).toEqual({ text: 'yes' });
  });

  it('reads its data from a file or standard input', async () => {
    await shell.ok(['start', 'letter', '--input', input('g2')]);
    writeFileSync(join(shell.folder, 'data.json'), '{"text":"from a file"}');
    await shell.ok(['signal', 'g2', 'answered', '@data.json']);
    await shell.ok(['start', 'letter', '--input', '-'], { readInput: () => Promise.resolve(input('g3')) });
    await shell.ok(['signal', 'g3', 'answered', '-'], { readInput: () => Promise.resolve('{"text":"from stdin"}') });
    expect([(await show('g2')).output, (await show('g3')).output]).toEqual([
      { text: 'from a file' },
      { text: 'from stdin' },
    ]);
  });
});

describe('a destructive verb', () => {
  it.each([
    ['cancel', 'd1', '↩ reserve  is undone by shop.release'],
    ['cancel --terminate', 'd2', '! reserve  shop.reserve stays done'],
  ])(
    '%s prints its plan; without a terminal and --yes it ends with 2, and --yes needs --reason',
    async (verb, id, plan) => {
      await until('order', id);
      const args = [verb.split(' ')[0] ?? '', id, ...verb.split(' ').slice(1)];
      const asked = await shell.call(args);
      expect([asked.code, asked.out]).toEqual([2, '']);
      expect(asked.err).toContain(plan);
      expect(asked.err).toContain('nobody can be asked here: add --yes --reason TEXT');
      const unreasoned = await shell.call([...args, '--yes']);
      expect([unreasoned.code, unreasoned.err]).toEqual([2, expect.stringContaining('--yes needs --reason TEXT')]);
      const blank = await shell.call([...args, '--yes', '--reason', ' ']);
      expect(blank.code).toBe(2);
      expect((await show(id)).status).toBe('WAITING');
      await shell.ok([...args, '--yes', '--reason', 'customer left']);
      const history = (await shell.call(['show', id, '--history', '-o', 'json'])).json<{
        history: { audit: unknown[] };
      }>();
      expect(history.history.audit).toMatchObject([{ actor: 'ana', reason: 'customer left' }]);
      expect((await show(id)).status).toBe(verb === 'cancel' ? 'COMPENSATING' : 'TERMINATED');
    },
  );

  it('R24 compensate shows the plan of a terminated run, and orders exactly that', async () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    await until('order', 'd3');
    await shell.ok(['cancel', 'd3', '--terminate', '--yes', '--reason', 'stop']);
    const plan = await shell.call(['compensate', 'd3', '--dry-run']);
    expect([plan.code, plan.out]).toEqual([0, '']);
    expect(plan.err).toMatch(
      /Plan \(valid for revision \d+, plan [0-9a-f]{8}\):\n {2}1 ↩ reserve {2}shop\.release {2}\{"id":"reserve-\d+"\} {2}PROPOSED\n/,
    );
    const data = (await shell.call(['compensate', 'd3', '--dry-run', '-o', 'json'])).json<{ undo: unknown[] }>();
    expect(data.undo).toMatchObject([{ step: 'reserve', action: 'shop.release' }]);
    expect((await shell.call(['compensate', 'd3'])).code).toBe(2);
    await shell.withWorker(async () => {
      await shell.ok(['compensate', 'd3', '--yes', '--reason', 'make amends']);
      await shell.call(['run', 'order', '--input', input('d3')]);
    });
    expect((await show('d3')).status).toBe('COMPENSATED');
    const nothing = await shell.call(['compensate', 'd3']);
    expect([nothing.code, nothing.err]).toEqual([0, expect.stringContaining('nothing to undo')]);
  });

  it('R23 compensate says who must agree to an undo, and approve takes its name', async () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    await until('agreed', 'd6');
    await shell.ok(['cancel', 'd6', '--terminate', '--yes', '--reason', 'stop']);
    const plan = await shell.call(['compensate', 'd6', '--dry-run']);
    expect(plan.err).toMatch(/PROPOSED\n {6}waits for 1 of role:approver, but not user:eve: Release reserve-\d+\?\n/);
    await shell.ok(['compensate', 'd6', '--yes', '--reason', 'make amends']);
    const told = await shell.call(['approve', 'd6', '--yes', 'undo:reserve', '--by', 'ana']);
    expect(told.err).toMatch(
      /action: shop\.reserve\n.*undoes: reserve\n.*will send shop\.release \{"id":"reserve-\d+"\}/,
    );
    expect((await show('d6')).effects.at(-1)).toMatchObject({ action: 'shop.release', state: 'AUTHORIZED' });
  });

  it('cancel of a run that has ended says what there is instead, exit 5', async () => {
    await shell.ok(['run', 'plain', '--input', input('d4')]);
    const { code, err } = await shell.call(['cancel', 'd4', '--yes', '--reason', 'late']);
    expect([code, err]).toEqual([
      5,
      expect.stringContaining('the run has ended: pawl compensate RUN undoes what it did'),
    ]);
  });
});

describe('an effect in doubt', () => {
  it('is told with its command, refuses what cannot be said of it, and is settled by a person with evidence', async () => {
    const asked = await until('payout', 'u1');
    expect(asked.code).toBe(8);
    expect(asked.err).toMatch(
      /waits for a person at pay: role:operator\n +pawl resolve run_\w+ pay --as confirmed\|absent\|keep-waiting --evidence TEXT \[--output '\{"id": "<text>"\}'\]\n/,
    );
    expect((await shell.ok(['ls', '--needs', 'human'])).includes('u1')).toBe(true);
    const resolve = (...more: readonly string[]) => shell.call(['resolve', 'u1', 'pay', ...more]);
    const evidence = ['--evidence', 'seen in the bank statement'];
    expect((await shell.call(['reconcile', 'u1', 'pay'])).err).toContain('that action cannot be asked what happened');
    expect((await resolve('--as', 'rejected', ...evidence)).err).toContain(
      'this review takes: confirmed, absent, keep-waiting',
    );
    expect((await resolve('--as', 'confirmed', ...evidence, '--by', 'zoe')).code).toBe(6);
    const misfit = await resolve('--as', 'confirmed', ...evidence, '--output', '{"id":7}');
    expect([misfit.code, misfit.err]).toEqual([
      3,
      expect.stringContaining(
        "does not fit the action's output schema: /id must be string (found number); --output JSON takes what the provider answered\n",
      ),
    ]);
    const quiet = { timeout: 10_000 };
    const blank = async () => (await resolve('--as', 'confirmed', '--evidence', ' ', '--output', '{"id":"p-1"}')).err;
    await expect.poll(blank, quiet).toContain('say what shows it');
    await expect
      .poll(() => resolve('--as', 'confirmed', ...evidence, '--output', '{"id":"p-1"}'), { timeout: 10_000 })
      .toMatchObject({ code: 0 });
    const run = await show('u1');
    expect([run.status, run.output]).toEqual(['COMPLETED', { paid: 'p-1' }]);
    const late = await resolve('--as', 'absent', ...evidence, '--by', 'zoe');
    expect([late.code, late.err]).toEqual([
      5,
      expect.stringMatching(
        /^✘ not resolved as absent \(refused\): step pay is CONFIRMED since \S+: nothing about it is in doubt any more; ana has resolved it as confirmed, .* UTC\n$/,
      ),
    ]);
    const { receipts } = (await shell.call(['receipt', 'verify', 'u1', '-o', 'json'])).json<{ receipts: unknown[] }>();
    expect(receipts).toMatchObject([
      { observedBy: 'person', evidence: { by: 'ana', evidence: 'seen in the bank statement' } },
    ]);
  });

  it('that is said to be absent fails its step and names it', async () => {
    await until('payout', 'u2');
    const args = ['resolve', 'u2', 'pay', '--as', 'absent', '--evidence', 'not in the statement'];
    await expect.poll(() => shell.call(args), { timeout: 10_000 }).toMatchObject({ code: 0 });
    expect((await shell.call(['show', 'u2'])).out).toContain('! absent at pay: ');
    expect((await show('u2')).status).toBe('FAILED');
  });
});

describe('receipt verify', () => {
  it('says how many hold, and finds one flipped byte, exit 5', async () => {
    await until('order', 'r1');
    expect(await shell.ok(['receipt', 'verify', 'r1'])).toContain('1 receipt verified ✔');
    const { id } = await show('r1');
    await runSql(shell.url, "SET session_replication_role = replica; UPDATE pawl.receipt SET external_id = 'forged'");
    const { code, out } = await shell.call(['receipt', 'verify', id]);
    expect([code, out]).toEqual([5, expect.stringContaining('✘')]);
  });
});

describe('retry --all', () => {
  it('lets every run go that is held for the same, and no other', async () => {
    const text = workflow('stuck', [
      'key: input.id',
      'input: { type: object }',
      'onFailure: hold',
      'steps:',
      '  - { id: stop, fail: { code: broken, message: it is } }',
    ]);
    await shell.ok(['publish', shell.file('stuck.yaml', text)]);
    for (const id of ['s1', 's2']) await shell.ok(['start', 'stuck', '--input', input(id)]);
    const blind = await shell.call(['retry', '--all', 'failure', '--workflow', 'stuck']);
    expect([blind.code, blind.out]).toEqual([2, '']);
    expect(blind.err).toMatch(/RUN +KEY +STEP +SINCE \(UTC\) +WHAT\nrun_\w+ +s2 +stop/);
    const args = ['retry', '--all', 'failure', '--workflow', 'stuck', '--yes', '--reason', 'mended'];
    const told = (await shell.call([...args, '-o', 'json'])).json<readonly object[]>();
    expect(told).toMatchObject(['s2', 's1'].map((key) => ({ key, kind: 'failure', step: 'stop', outcome: 'applied' })));
    expect(await shell.ok(['show', 's1', '--history'])).toContain('retry by ana: mended');
    for (const [usage, words] of [
      [['retry', 's1'], 'name a run and its held step'],
      [['retry', 's1', 'stop', '--all', 'failure'], 'name a run and its held step'],
      [['retry', '--all', 'unknown'], 'Allowed choices are failure, pivot'],
    ] as const)
      expect(await shell.call(usage)).toMatchObject({ code: 2, err: expect.stringContaining(words) as string });
  });
});

describe('ls', () => {
  it('lists the runs that stand at a step and those of a label, and refuses what is none', async () => {
    shell.file('tagged.yaml', TAGGED);
    await shell.ok(['publish', 'tagged.yaml']);
    const [id] = (await shell.ok(['start', 'tagged', '-o', 'ids'])).split('\n');
    const ids = async (...args: string[]) => shell.ok(['ls', '-o', 'ids', ...args]);
    expect(await ids('--step', 'sleep', '--label', 'team:payments', '--label', 'tier:1')).toBe(id);
    expect(await ids('--step', 'other', '--workflow', 'tagged')).toBe('');
    expect(await ids('--label', 'team:post')).toBe('');
    const wrong = await shell.call(['ls', '--label', 'team']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('NAME:VALUE as in team:payments, found team')]);
    expect((await shell.call(['ls', '--needs', 'human', '--step', 'sleep'])).code).toBe(2);
  });
});

describe('visualize', () => {
  it('draws a file, a published workflow and a run, as Mermaid text and as SVG', async () => {
    expect(await shell.ok(['visualize', 'order.yaml', '-o', 'mermaid'])).toMatch(/^---\ntitle: "order 1"/);
    expect(await shell.ok(['visualize', 'order@1', '-o', 'mermaid'])).toBe(
      await shell.ok(['visualize', 'order.yaml', '-o', 'mermaid']),
    );
    await until('order', 'p1');
    expect(await shell.ok(['visualize', '--run', 'p1'])).not.toBe(await shell.ok(['visualize', 'order']));
    expect(await shell.ok(['visualize', 'order.yaml', '--run', 'p1', '-o', 'mermaid'])).toMatch(
      /\n {2}class n0,n1\S* taken\n/,
    );
    const { err } = await shell.call(['visualize', 'order', '--out', 'order.svg']);
    expect(err).toBe('drawn into order.svg\n');
    expect(readFileSync(join(shell.folder, 'order.svg'), 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);
  });

  it('draws a run as it was at a revision, and refuses one that it has not come to', async () => {
    await until('order', 'p2');
    const { revision } = await show('p2');
    const at = async (no: string) => shell.call(['visualize', '--run', 'p2', '--revision', no, '-o', 'mermaid']);
    const now = await shell.ok(['visualize', '--run', 'p2', '-o', 'mermaid']);
    expect((await at(String(revision))).out.trimEnd()).toBe(now);
    const first = await at('1');
    expect([first.code, first.out.trimEnd() === now]).toEqual([0, false]);
    expect(first.out).toMatch(/ now\n/);
    const never = await at('99');
    expect([never.code, never.err]).toEqual([
      4,
      expect.stringContaining(`has no revision 99: it has come to ${revision}`),
    ]);
    expect((await at('0')).code).toBe(2);
    const alone = await shell.call(['visualize', 'order', '--revision', '1']);
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('--revision is one of a run')]);
  });

  it('exports a published workflow as it exports its file', async () => {
    const exported = await shell.ok(['export', 'order@1', '--to', 'scxml']);
    expect(exported).toContain('name="order@1"');
    expect(exported).toBe(await shell.ok(['export', 'order.yaml', '--to', 'scxml']));
  });

  it('shows what is wrong with a file instead of drawing it, and where it cannot write', async () => {
    expect((await shell.call(['visualize', shell.file('nope.yaml', 'pawl: 1\n')])).code).toBe(3);
    const { code, err } = await shell.call(['visualize', 'plain', '-o', 'mermaid', '--out', 'no/where.mmd']);
    expect([code, err]).toEqual([2, 'error no/where.mmd cannot be written: there is no such folder\n']);
    expect((await shell.call(['visualize'])).code).toBe(2);
  });
});
