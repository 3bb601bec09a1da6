import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, openCommandLine } from './support/command-line.ts';
import { PLAIN, workflow } from './support/workflows.ts';

/** What the package installs as `pawl`; `npm test` builds it first. */
const PAWL = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SLEEPS = workflow('sleeps', ['steps:', '  - { id: nap, wait: 30m }']);

let shell: CommandLine;
const running = new Set<ChildProcess>();
beforeAll(async () => {
  if (!existsSync(PAWL)) throw new Error('dist/cli/main.js is missing: npm run build');
  shell = await openCommandLine();
  await shell.ok(['publish', shell.file('plain.yaml', PLAIN)]);
  shell.file('sleeps.yaml', SLEEPS);
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});
afterAll(() => shell.close());

interface Started {
  readonly child: ChildProcess;
  /** Resolves when stderr holds the text. */
  said(text: string): Promise<void>;
  ended(): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

function start(...args: readonly string[]): Started {
  const env = { PATH: process.env['PATH'], PAWL_DATABASE: shell.url, PAWL_LEASE_MS: '9000', PAWL_AS: 'ana' };
  const child = spawn(process.execPath, [PAWL, ...args], { cwd: shell.folder, env, stdio: 'pipe' });
  running.add(child);
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    written.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.err += chunk.toString();
  });
  return {
    child,
    said: async (text) => {
      while (!written.err.includes(text)) await once(child.stderr, 'data');
    },
    ended: async () => {
      if (child.exitCode === null) await once(child, 'close');
      return { code: child.exitCode, ...written };
    },
  };
}

describe('the command as a process', () => {
  it('gives its exit code, its data on stdout and its words on stderr', async () => {
    const { code, out, err } = await start('run', 'plain', '--input', '{"id":"p1"}').ended();
    expect([code, out]).toEqual([0, '{"note":"none"}\n']);
    expect(err).toContain('COMPLETED');
    expect((await start('shwo').ended()).code).toBe(2);
    expect((await start('show', 'nobody').ended()).code).toBe(4);
  });

  it('a worker that is told to stop by SIGTERM gives back what it holds and ends with 0', async () => {
    const worker = start('worker');
    await worker.said('working');
    worker.child.kill('SIGTERM');
    const { code, err } = await worker.ended();
    expect([code, err.includes('stopping')]).toEqual([0, true]);
  });

  it('run ends with 130 on Ctrl-C and says that the run goes on', async () => {
    const watching = start('run', 'sleeps.yaml');
    await watching.said('waits at nap');
    watching.child.kill('SIGINT');
    const { code, err } = await watching.ended();
    expect([code, err.includes('the run goes on wherever a worker runs: pawl show run_')]).toEqual([130, true]);
  });

  it('test ends with 143 on SIGTERM, whatever is still to be played', async () => {
    shell.file('nap.pawl.yaml', SLEEPS);
    const expected = 'expect: { status: COMPLETED }';
    const many = Array.from({ length: 2_000 }, (_, no) => `  - { name: night ${no}, ${expected} }\n`);
    shell.file('nap.test.yaml', `scenarios:\n${many.join('')}`);
    shell.file('a.test.yaml', `workflow: nap.pawl.yaml\nscenarios:\n  - { name: one, ${expected} }\n`);
    const testing = start('test', 'a.test.yaml', 'nap.test.yaml');
    await once(testing.child.stdout as NodeJS.ReadableStream, 'data');
    testing.child.kill('SIGTERM');
    const { code, err } = await testing.ended();
    expect([code, err]).toEqual([143, 'interrupted: what was not played says nothing\n']);
  });

  it('a reader that has seen enough is no failure', async () => {
    const listing = start('visualize', 'plain');
    listing.child.stdout?.destroy();
    const { code, err } = await listing.ended();
    expect([code, err]).toEqual([0, '']);
  });
});

describe('a remote worker in another language', () => {
  it('the shell script of the guide carries out what waits in its queue, and prints nothing twice', async () => {
    const guide = fileURLToPath(new URL('../../docs/guides/files/', import.meta.url));
    shell.file('parcel.yaml', readFileSync(join(guide, 'remote-workers.pawl.yaml')));
    await shell.ok(['publish', 'parcel.yaml']);
    await shell.ok(['start', 'send-parcel', '--input', '{"parcel":"P-7"}']);
    const printed = join(shell.folder, 'printed');
    const env = {
      PATH: process.env['PATH'],
      PAWL: `${process.execPath} ${PAWL}`,
      PAWL_DATABASE: shell.url,
      PAWL_AS: 'press-1',
      PRINTED: printed,
      WAIT: '0s',
      ONCE: 'yes',
    };
    const worker = spawn('sh', [join(guide, 'remote-worker.sh')], { cwd: shell.folder, env, stdio: 'ignore' });
    running.add(worker);
    const [code] = (await once(worker, 'close')) as [number | null];
    expect(code).toBe(0);
    const [label, ...more] = readdirSync(printed);
    expect(more).toEqual([]);
    expect(readFileSync(join(printed, label ?? ''), 'utf8')).toBe('label of P-7\n');
    const list = (await shell.call(['ls', '--workflow', 'send-parcel', '-o', 'ids'])).out.trim();
    const shown = (await shell.call(['show', list, '-o', 'json'])).json<{
      effects: { step: string; state: string }[];
    }>();
    expect(shown.effects).toContainEqual(expect.objectContaining({ step: 'label', state: 'CONFIRMED' }));
  });
});
