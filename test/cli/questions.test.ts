import { existsSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../src/engine/run-view.ts';
import { type Called, type CommandLine, openCommandLine } from './support/command-line.ts';
import { KEYS, personWho } from './support/person.ts';
import { approvedOrder } from './support/workflows.ts';

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
  await shell.ok(['publish', shell.file('order.yaml', approvedOrder(shell.provider.url))]);
});
afterAll(() => shell.close());

const show = async (id: string): Promise<RunView> => (await shell.call(['show', id, '-o', 'json'])).json<RunView>();
const acts = async (id: string): Promise<readonly unknown[]> =>
  (await shell.call(['show', id, '--history', '-o', 'json'])).json<{ history: { audit: unknown[] } }>().history.audit;

/** A run that has reserved and waits for its approval. */
async function reserved(id: string): Promise<string> {
  await shell.call(['run', 'order', '--input', JSON.stringify({ id }), '--no-wait-human', '--by', 'bob']);
  return id;
}

/** A run that was terminated with something left to make amends for. */
async function terminated(id: string): Promise<string> {
  await shell.ok(['cancel', await reserved(id), '--terminate', '--yes', '--reason', 'stop']);
  return id;
}

type Answers = Parameters<typeof personWho>[0];
const REASON = 'Reason (kept with the act)';
const VERBS: readonly (readonly [verb: string, question: string, make: (id: string) => Promise<string>])[] = [
  ['cancel', 'Cancel this run?', reserved],
  ['compensate', 'Apply 1 compensation?', terminated],
];

async function asked(args: readonly string[], answers: Answers): Promise<Called & { readonly shown: string }> {
  const person = personWho(answers);
  const called = await shell.call(args, { terminal: person.terminal });
  return { ...called, shown: person.shown() };
}

describe('approve at a terminal', () => {
  const question = 'Approve this as ana?';

  it('shows what it is about, asks, and votes after a yes', async () => {
    const id = await reserved('approve-yes');
    const { code, err, shown } = await asked(['approve', id], [[question, KEYS.yes]]);
    expect([code, shown.includes(question)]).toEqual([0, true]);
    expect(err.indexOf('will send shop.charge')).toBeGreaterThan(-1);
    expect((await show(id)).approvals).toMatchObject([{ state: 'approved', votes: [{ principal: 'ana' }] }]);
  });

  it('votes for nothing after a no, Enter alone or Ctrl-C, and ends with 130', async () => {
    const id = await reserved('approve-no');
    for (const key of [KEYS.no, KEYS.enter, KEYS.interrupt]) {
      const { code, err } = await asked(['approve', id], [[question, key]]);
      expect([code, err]).toEqual([130, expect.stringContaining('nothing was done')]);
    }
    expect((await show(id)).approvals).toMatchObject([{ state: 'open', votes: [] }]);
  });
});

describe.each(VERBS)('%s at a terminal', (verb, question, make) => {
  it('asks for a reason and a yes, then acts and keeps the reason', async () => {
    const id = await make(`${verb}-yes`);
    const { code, out, shown } = await asked(
      [verb, id],
      [
        [REASON, `customer left${KEYS.enter}`],
        [question, KEYS.yes],
      ],
    );
    expect([code, out]).toEqual([0, '']);
    expect(shown).toContain(REASON);
    expect((await acts(id)).at(-1)).toMatchObject({ actor: 'ana', reason: 'customer left' });
    expect((await show(id)).status).toBe('COMPENSATING');
  });

  it('does nothing after a no or Ctrl-C, says so and ends with 130; a blank reason is not taken', async () => {
    const id = await make(`${verb}-no`);
    const before = await acts(id);
    const ways: readonly (readonly [answers: Answers, more: readonly string[]])[] = [
      [[[question, KEYS.no]], ['--reason', 'r']],
      // Enter alone is no.
      [[[question, KEYS.enter]], ['--reason', 'r']],
      [[[question, KEYS.interrupt]], ['--reason', 'r']],
      [[[REASON, KEYS.interrupt]], []],
      [
        [
          [REASON, ` ${KEYS.enter}`],
          ['say why', KEYS.interrupt],
        ],
        [],
      ],
    ];
    for (const [answers, more] of ways) {
      const { code, err } = await asked([verb, id, ...more], answers);
      expect([code, err]).toEqual([130, expect.stringMatching(/\nnothing was done\n$/)]);
    }
    expect(await acts(id)).toEqual(before);
    const stopping = new AbortController();
    const { terminal } = personWho([]);
    terminal.output.once('data', () => setImmediate(() => stopping.abort()));
    expect((await shell.call([verb, id], { terminal, stopped: stopping.signal })).code).toBe(130);
    const nobody = await shell.call([verb, id]);
    expect([nobody.code, nobody.err]).toEqual([
      2,
      expect.stringContaining('nobody can be asked here: add --yes --reason TEXT'),
    ]);
    expect(await acts(id)).toEqual(before);
  });
});

/** What the package installs as `pawl`; `npm test` builds it first. */
const PAWL = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** `script` of util-linux runs a command on a pseudo terminal. */
const hasScript =
  existsSync('/usr/bin/script') && spawnSync('/usr/bin/script', ['--version']).stdout.includes('util-linux');

/** Runs the command on a real pseudo terminal. @returns its exit code and what the screen was sent. */
async function onTerminal(args: readonly string[], answers: Answers): Promise<{ code: number | null; screen: string }> {
  const command = ['stty cols 80 rows 24; exec', process.execPath, PAWL, ...args].join(' ');
  const env = { PATH: process.env['PATH'], PAWL_DATABASE: shell.url, PAWL_LEASE_MS: '9000', PAWL_AS: 'ana' };
  const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], { cwd: shell.folder, env, stdio: 'pipe' });
  const left = [...answers];
  let screen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString('utf8');
    const [next] = left;
    if (next === undefined || !screen.includes(next[0])) return;
    left.shift();
    child.stdin.write(next[1]);
  });
  await once(child, 'close');
  return { code: child.exitCode, screen };
}

describe('a pseudo terminal', () => {
  it.each(VERBS)(
    '%s shows its plan there, asks, and takes Ctrl-C, no and yes',
    async (verb, question, make) => {
      if (!hasScript) return console.warn('skipped: script of util-linux is not installed');
      const id = await make(`${verb}-pty`);
      for (const [keys, code] of [
        [KEYS.interrupt, 130],
        [KEYS.no, 130],
        [KEYS.yes, 0],
      ] as const) {
        const before = await acts(id);
        const seen = await onTerminal(
          [verb, id],
          [
            [REASON, `by hand${KEYS.enter}`],
            [question, keys],
          ],
        );
        expect(seen.screen).toContain('↩ reserve');
        expect(seen.screen.indexOf('↩ reserve')).toBeLessThan(seen.screen.indexOf(REASON));
        expect(seen.code).toBe(code);
        expect((await acts(id)).length - before.length).toBe(code === 0 ? 1 : 0);
      }
    },
    60_000,
  );
});
