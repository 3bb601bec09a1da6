import { expect, it } from 'vitest';
import type { App } from '../../src/app/create-app.ts';
import { type CliContext, createCliContext } from '../../src/cli/cli-context.ts';
import { retryAll } from '../../src/cli/commands/retry-all.ts';
import { UsageError } from '../../src/cli/report-error.ts';
import type { NeedView } from '../../src/engine/list-needs.ts';
import { ConflictError } from '../../src/model/errors.ts';
import type { Json } from '../../src/model/json.ts';
import { KEYS, personWho } from './support/person.ts';

const need = (run: string, more: Partial<NeedView> = {}): NeedView => ({
  run,
  key: run.toUpperCase(),
  workflow: 'w',
  version: 1,
  kind: 'poison',
  since: '2030-01-01T12:00:00.000Z',
  step: null,
  message: '3 workers died while they held nothing else',
  from: ['role:operator'],
  acts: ['retry', 'terminate'],
  command: null,
  ...more,
});

/** An app in which these are held; what is tried again is noted, and refused as said. */
function appWith(held: readonly NeedView[], refuse: (run: string) => void = () => undefined) {
  const tried: unknown[] = [];
  const app = {
    held: (kind: string, workflow: string | null) =>
      Promise.resolve(held.filter((one) => one.kind === kind && (workflow === null || one.workflow === workflow))),
    versions: () => Promise.resolve([{ workflow: 'w' }]),
    principal: () => ({ name: 'ana', roles: [] }),
    retry: async (run: string, step: string, act: object) => {
      tried.push([run, step, act]);
      refuse(run);
      const isHeld = run !== 'gone';
      return {
        outcome: isHeld ? 'applied' : 'refused',
        code: isHeld ? null : 'not-held',
        detail: null as Json,
        again: false,
      };
    },
  } as unknown as App;
  return { app, tried };
}

function contextWith(output: string, terminal: ReturnType<typeof personWho>['terminal'] | null = null) {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const host = {
    env: {},
    folder: '.',
    stdout: stream('out'),
    stderr: stream('err'),
    terminal,
    readInput: () => Promise.resolve(''),
    stopped: new AbortController().signal,
  };
  const options = {
    verb: 'retry',
    server: undefined,
    keyFile: undefined,
    data: undefined,
    config: undefined,
    by: undefined,
    output,
    color: false,
  };
  const context: CliContext = createCliContext(host, options);
  return { context, written };
}

const ALL = { kind: 'poison', workflow: null } as const;
const YES = { ...ALL, yes: true, reason: 'the node was out of memory' };

it('lists what is held, then tells of each what became of it; one that is refused stops no other and ends with 5', async () => {
  const act = { by: 'ana', reason: 'the node was out of memory' };
  const { app, tried } = appWith([need('one'), need('gone'), need('pruned'), need('two')], (run) => {
    if (run === 'pruned') throw new ConflictError('PAWL_RUN_PRUNED', 'its state is gone', {});
  });
  const { context, written } = contextWith('table');
  await retryAll(context, app, YES);
  expect(tried).toEqual(['one', 'gone', 'pruned', 'two'].map((run) => [run, 'poison', act]));
  expect(context.exit).toBe(5);
  expect(written.err).toMatch(/^RUN +KEY +STEP +SINCE \(UTC\) +WHAT\none .*3 workers died/);
  expect(written.out.split('\n').map((line) => line.trimEnd())).toEqual(
    [
      'RUN     KEY     STEP  OUTCOME  WHY',
      'one     ONE           applied',
      'gone    GONE          refused  not held',
      'pruned  PRUNED        refused  its state is gone',
      'two     TWO           applied',
      '',
    ].map((line) =>
      line.startsWith('gone') ? (expect.stringMatching(/^gone +GONE +refused +nothing there is held/) as string) : line,
    ),
  );
  expect(written.err).toContain('2 of 4 tried again');
});

it('names the step of what is held at one, leaves what no retry lets go, and lists as JSON', async () => {
  const failed = { kind: 'failure', step: 'pay' };
  const { app, tried } = appWith([
    need('one', failed),
    need('two', { ...failed, acts: ['terminate'] }),
    need('three', { ...failed, workflow: 'other' }),
  ]);
  const { context, written } = contextWith('json');
  await retryAll(context, app, { ...YES, kind: 'failure', workflow: 'w' });
  expect(tried).toMatchObject([['one', 'pay', {}]]);
  expect(context.exit).toBe(0);
  expect(JSON.parse(written.out)).toEqual([
    { run: 'one', key: 'ONE', workflow: 'w', version: 1, ...failed, outcome: 'applied', code: null, detail: null },
  ]);
});

it('asks for a reason and a yes; without a terminal it needs --yes and --reason, and where nothing is held it says so', async () => {
  const { app, tried } = appWith([need('one')]);
  const question = 'Let 1 incident go and try again?';
  const no = contextWith(
    'table',
    personWho([
      ['Reason', `why${KEYS.enter}`],
      [question, KEYS.no],
    ]).terminal,
  );
  await retryAll(no.context, app, ALL);
  expect([no.context.exit, tried]).toEqual([130, []]);
  const alone = contextWith('table');
  await expect(retryAll(alone.context, app, ALL)).rejects.toThrow(UsageError);
  await expect(retryAll(alone.context, app, { ...ALL, yes: true })).rejects.toThrow('--yes needs --reason');
  await expect(retryAll(alone.context, app, { ...YES, workflow: 'none' })).rejects.toThrow('no workflow none');
  expect(tried).toEqual([]);
  await retryAll(alone.context, app, { ...YES, kind: 'pin' });
  expect(alone.written.err).toContain('nothing is held for pin');
});
