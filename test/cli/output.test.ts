import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileSchema } from '../../src/definition/schema-validator.ts';
import type { RunView } from '../../src/engine/run-view.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';
import { approvedOrder, FAILING, PLAIN, unaskable } from './support/workflows.ts';

const ESC = '\u001b';
/** Clears the screen, turns the reading direction, forges a line. */
const HOSTILE = `${ESC}[2J\u202e\u009b2J\nCOMPLETED`;

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine({ script: { pay: 'lost-done' } });
  shell.file('plain.yaml', PLAIN);
  shell.file('failing.yaml', FAILING);
  shell.file('order.yaml', approvedOrder(shell.provider.url));
  shell.file('payout.yaml', unaskable(shell.provider.url));
  for (const name of ['plain.yaml', 'failing.yaml', 'order.yaml', 'payout.yaml']) await shell.ok(['publish', name]);
});
afterAll(() => shell.close());

const input = (id: string, note?: string): string => JSON.stringify({ id, ...(note === undefined ? {} : { note }) });

describe('stdout and stderr', () => {
  it('run writes the output alone to stdout and its progress to stderr', async () => {
    const { out, err } = await shell.call(['run', 'plain.yaml', '--input', input('a', 'hello')]);
    expect(out).toBe('{"note":"hello"}\n');
    expect(err).toContain('plain@1');
    expect(err).toContain('✔ copy');
    expect(err).toMatch(/COMPLETED after .* 0 effects/);
  });

  it('run says when the key names a run that is there already', async () => {
    await shell.ok(['run', 'plain', '--input', input('twice')]);
    const { out, err } = await shell.call(['run', 'plain', '--input', input('twice')]);
    expect(out).toBe('{"note":"none"}\n');
    expect(err).toContain('there already: the key twice names this run');
  });

  it('start writes the id alone to stdout, as table and as ids', async () => {
    const { out, err } = await shell.call(['start', 'plain', '--input', input('b')]);
    expect(out).toMatch(/^run_[0-9a-z]{26}\n$/);
    expect(err).toContain('started');
    const again = await shell.call(['start', 'plain', '--input', input('b'), '-o', 'ids']);
    expect(again.out).toBe(out);
    expect(again.err).toContain('there already');
  });

  it('ls writes nothing at all to stdout where ids or lines of nobody are asked for', async () => {
    for (const format of ['ids', 'jsonl']) {
      expect((await shell.call(['ls', 'nobody', '-o', format])).out).toBe('');
    }
    expect((await shell.call(['ls', 'nobody', '-o', 'json'])).json()).toEqual([]);
    expect((await shell.call(['ls', 'nobody'])).err).toBe('no such run\n');
  });

  it('ls of a name that names nothing is not found, exit 4; a filter that leaves nothing is no fault', async () => {
    for (const more of [[], ['--needs', 'human'], ['-o', 'json']]) {
      expect(await shell.call(['ls', 'nobody', ...more])).toMatchObject({
        code: 4,
        err: expect.stringContaining('no such run\n'),
      });
      const err = expect.stringContaining('no workflow nope is published\n');
      expect(await shell.call(['ls', '--workflow', 'nope', ...more])).toMatchObject({ code: 4, err });
    }
    const hint = expect.stringContaining('no such run; the runs of a workflow: pawl ls --workflow plain\n');
    expect(await shell.call(['ls', 'plain'])).toMatchObject({ code: 4, err: hint });
    const filtered = ['ls', '--workflow', 'plain', '--status', 'HELD'];
    expect(await shell.call(filtered)).toMatchObject({ code: 0, err: expect.stringContaining('no such run\n') });
    await shell.ok(['start', 'plain', '--input', input('there')]);
    const quiet = await shell.call(['ls', 'there', '--needs', 'human']);
    expect([quiet.code, quiet.err]).toEqual([0, expect.stringContaining('nobody is waited for\n')]);
  });

  it('ls -o jsonl is what -o json is, a line each', async () => {
    await shell.ok(['start', 'plain', '--input', input('c')]);
    const list = (await shell.call(['ls', '-o', 'json', '--workflow', 'plain'])).json<readonly JsonObject[]>();
    const lines = (await shell.ok(['ls', '-o', 'jsonl', '--workflow', 'plain'])).split('\n');
    expect(list.length).toBeGreaterThan(0);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(list);
    expect((await shell.ok(['ls', '-o', 'ids', '--workflow', 'plain'])).split('\n')).toEqual(list.map(({ id }) => id));
  });

  it('ls says so where its limit ends the list, whatever its format, and nothing where it does not', async () => {
    for (const id of ['d', 'e']) await shell.ok(['start', 'plain', '--input', input(id)]);
    for (const more of [[], ['-o', 'ids'], ['-o', 'json']]) {
      const cut = await shell.call(['ls', '--limit', '1', ...more]);
      expect([cut.code, cut.err]).toEqual([
        0,
        expect.stringContaining('only the newest 1 run, there are more: --limit N (at most 1000)\n'),
      ]);
      expect((await shell.call(['ls', ...more])).err).not.toContain('there are more');
    }
    expect((await shell.call(['ls', '--limit', '1', '-o', 'json'])).json()).toHaveLength(1);
  });

  it('an error is words on stderr with the mend, or the same as data on the last line', async () => {
    const words = await shell.call(['show', 'nobody']);
    expect([words.code, words.out]).toEqual([4, '']);
    expect(words.err).toBe(
      'error PAWL_RUN_NOT_FOUND there is no run nobody\n  = help: `pawl ls` lists runs; look at the database too (`--data`, `PAWL_DATABASE`)\n',
    );
    const data = await shell.call(['show', 'nobody', '-o', 'json']);
    expect([data.code, data.out]).toEqual([4, '']);
    expect(JSON.parse(data.err)).toMatchObject({
      error: { code: 'PAWL_RUN_NOT_FOUND', message: 'there is no run nobody', retry: 'never', problems: [] },
    });
  });

  it('a wrong call is told as data, too', async () => {
    const { code, err } = await shell.call(['ls', '--limit', 'many', '-o', 'json']);
    expect([code, JSON.parse(err)]).toMatchObject([2, { error: { code: 'PAWL_USAGE' } }]);
  });
});

describe('show -o json', () => {
  const schema = JSON.parse(
    readFileSync(new URL('../../schemas/run.schema.json', import.meta.url), 'utf8'),
  ) as JsonObject;

  it.each([
    ['completed', () => shell.call(['run', 'plain', '--input', input('s1')])],
    ['failed', () => shell.call(['run', 'failing', '--input', input('s2')])],
    ['waiting for an approval', () => shell.call(['run', 'order', '--input', input('s3'), '--no-wait-human'])],
    ['in doubt', () => shell.call(['run', 'payout', '--input', input('s4'), '--no-wait-human'])],
    ['queued', () => shell.call(['start', 'order', '--input', input('s5')])],
  ])('of a run that is %s fits schemas/run.schema.json', async (_, make) => {
    const made = await make();
    const id = /run_[0-9a-z]{26}/.exec(`${made.out}${made.err}`)?.[0] ?? '';
    const run = (await shell.call(['show', id, '-o', 'json'])).json<JsonObject>();
    expect(compileSchema(schema)(run), JSON.stringify(run)).toEqual([]);
    expect(run['id']).toBe(id);
  });

  it('is what run -o json ends with', async () => {
    const run = (await shell.call(['run', 'plain', '--input', input('s6'), '-o', 'json'])).json<RunView>();
    const shown = (await shell.call(['show', 's6', '-o', 'json'])).json<RunView>();
    expect(run).toEqual(shown);
  });

  it('would not fit if a field were missing', async () => {
    const { status: _, ...rest } = (await shell.call(['show', 's6', '-o', 'json'])).json<RunView>();
    expect(compileSchema(schema)(rest as unknown as JsonObject)).not.toEqual([]);
  });
});

describe('colours', () => {
  const shown = async (options: Parameters<CommandLine['call']>[1], more: readonly string[] = []): Promise<string> =>
    (await shell.call(['run', 'failing', '--input', input('colour'), ...more], options)).err;

  it('are there on a terminal', async () => {
    expect(await shown({ isTTY: true })).toContain(`${ESC}[31m`);
  });

  it.each([
    ['piped', {}, []],
    ['NO_COLOR is set', { isTTY: true, env: { NO_COLOR: '1' } }, []],
    ['--no-color is given', { isTTY: true }, ['--no-color']],
    ['the terminal is dumb', { isTTY: true, env: { TERM: 'dumb' } }, []],
  ])('are not there when %s, and the word is', async (_, options, more) => {
    const text = await shown(options, more);
    expect(text).not.toContain(`${ESC}[3`);
    expect(text).toContain('FAILED');
    expect(text).toContain('✘ stop');
  });

  it('no verb writes an escape to a pipe', async () => {
    for (const args of [
      ['ls'],
      ['show', 'colour'],
      ['show', 'colour', '--history'],
      ['receipt', 'verify', 'colour'],
      ['visualize', 'plain', '-o', 'mermaid'],
    ]) {
      const { out, err } = await shell.call(args);
      expect(`${out}${err}`).not.toContain(ESC);
    }
  });
});

describe('hostile names (bugs 97)', () => {
  it('in key, note and output neither move the cursor nor forge a line, on a terminal or not', async () => {
    const id = `h${HOSTILE}`;
    for (const isTTY of [true, false]) {
      const calls = [
        await shell.call(['run', 'plain', '--input', input(id, HOSTILE)], { isTTY }),
        await shell.call(['show', id, '--history'], { isTTY }),
        await shell.call(['show', id, '-o', 'json'], { isTTY }),
        await shell.call(['ls'], { isTTY, columns: 200 }),
        await shell.call(['cancel', id], { isTTY }),
      ];
      for (const { out, err } of calls) {
        for (const act of [`${ESC}[2J`, '\u202e', '\u009b', '\nCOMPLETED"']) expect(`${out}${err}`).not.toContain(act);
      }
    }
  });

  it('stay what they are as data', async () => {
    const run = (await shell.call(['show', `h${HOSTILE}`, '-o', 'json'])).json<RunView>();
    expect([run.key, run.output]).toEqual([`h${HOSTILE}`, { note: HOSTILE }]);
  });

  it('a comment and a title of 10 000 characters are text', async () => {
    const long = 'x'.repeat(10_000);
    const { code, out } = await shell.call(['run', 'plain', '--input', input('long', long)]);
    expect([code, out]).toEqual([0, `{"note":"${long}"}\n`]);
  });
});

describe('wrong calls', () => {
  it.each([
    [['shwo'], '(Did you mean show?)'],
    [['ls', '--needz', 'human'], '(Did you mean --needs?)'],
    [['validate', 'plain.yaml', '--explian'], '(Did you mean --explain?)'],
    [
      ['validate', 'plain.yaml', '--quux'],
      '(validate takes --explain, --server, --key-file, --data, --config, --format, --no-color, --json, --by, --as, --help)',
    ],
    [['db', 'status', '-x'], '(status takes --server, --key-file, --data'],
    [['--quiet', 'ls'], '(pawl takes --version, --help)'],
    [['show'], "missing required argument 'run'"],
    [['ls', '-o', 'xml'], 'Allowed choices are table, json, jsonl, ids'],
    [['publish', 'plain.yaml', '-o', 'ids'], 'Allowed choices are table, json, jsonl'],
    [['visualize', 'plain', '-o', 'json'], 'Allowed choices are svg, mermaid'],
    [['resolve', 'x', 'y', '--as', 'maybe', '--evidence', 'e'], 'Allowed choices are confirmed'],
    [['resolve', 'x', 'y', '--as', 'absent'], "required option '--evidence <text>'"],
    [['ls', '--status', 'lost'], '"lost" is no status: QUEUED'],
    [['ls', '--limit', '0'], 'whole number from 1 to 1000'],
    [['start', 'Plain'], 'neither a file nor a workflow'],
    [['start', 'plain', '--input', '@nowhere.json'], 'nowhere.json: there is no such file'],
    [['retry', 'colour', 'stop'], 'add --reason TEXT'],
    [['approve', 'colour', '--by', 'ana', '--as', 'kai'], "'--as <name>' cannot be used with option '--by <name>'"],
    [['ls', '--config', 'nowhere.yaml'], 'nowhere.yaml cannot be read'],
  ])('%j ends with 2 and says how to call it', async (args, words) => {
    const { code, out, err } = await shell.call(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
  });
});
