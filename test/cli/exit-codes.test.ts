import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';
import { approvedOrder, FAILING, PLAIN, unaskable } from './support/workflows.ts';

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine({ script: { pay: 'lost-done' } });
  shell.file('plain.yaml', PLAIN);
  shell.file('failing.yaml', FAILING);
  shell.file('order.yaml', approvedOrder(shell.provider.url));
  shell.file('payout.yaml', unaskable(shell.provider.url));
  shell.file('broken.yaml', 'pawl: 1\n');
});
afterAll(() => shell.close());

const input = (id: string): string => JSON.stringify({ id });

/** One way to each exit code. */
const WAYS: Readonly<Record<number, () => Promise<number>>> = {
  [EXIT.ok]: () => codeOf(['run', 'plain.yaml', '--input', input('ok')]),
  [EXIT.runFailed]: () => codeOf(['run', 'failing.yaml', '--input', input('fails')]),
  [EXIT.usage]: () => codeOf(['ls', '--status', 'nonsense']),
  [EXIT.invalid]: () => codeOf(['validate', 'broken.yaml']),
  [EXIT.notFound]: () => codeOf(['show', 'nobody']),
  [EXIT.conflict]: async () => {
    await shell.ok(['publish', 'plain.yaml']);
    shell.file('edited.yaml', PLAIN.replace('timeout: 1h', 'timeout: 2h'));
    return codeOf(['publish', 'edited.yaml']);
  },
  [EXIT.auth]: async () => {
    await shell.call(['run', 'order.yaml', '--input', input('auth'), '--no-wait-human']);
    return codeOf(['approve', 'auth', '--yes', '--by', 'zoe']);
  },
  [EXIT.needsHuman]: () => codeOf(['run', 'order.yaml', '--input', input('asks'), '--no-wait-human']),
  [EXIT.unknown]: () => codeOf(['run', 'payout.yaml', '--input', input('doubt'), '--no-wait-human']),
  [EXIT.unreachable]: async () => {
    const env = { PAWL_DATABASE: 'postgresql://pawl@127.0.0.1:9/pawl' };
    return (await shell.call(['ls'], { env })).code;
  },
  [EXIT.internal]: async () => {
    const readInput = (): Promise<string> => Promise.reject(new TypeError('a fault of our own'));
    return (await shell.call(['start', 'plain.yaml', '--input', '-'], { readInput })).code;
  },
  [EXIT.interrupted]: async () => {
    const stopping = new AbortController();
    const onWrite = (text: string): void => {
      if (text.includes('waits for an approval')) stopping.abort();
    };
    const args = ['run', 'order.yaml', '--input', input('stopped')];
    return (await shell.call(args, { stopped: stopping.signal, onWrite })).code;
  },
  [EXIT.terminated]: async () =>
    (await shell.call(['crashtest', 'order.yaml'], { stopped: AbortSignal.abort('SIGTERM') })).code,
};

async function codeOf(args: readonly string[]): Promise<number> {
  return (await shell.call(args)).code;
}

describe('exit codes', () => {
  it('are the same in docs/reference/cli.md, in the code and in the ways below', () => {
    const page = readFileSync(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(listed).toEqual(Object.values(EXIT).sort((a, b) => a - b));
    expect(Object.keys(WAYS).map(Number)).toEqual(listed);
  });

  it.each(Object.entries(WAYS))('%i is what its way ends with', async (code, way) => {
    await expect(way()).resolves.toBe(Number(code));
  });
});
