import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, type CommandLine, openCommandLine } from './support/command-line.ts';
import { approvedOrder, PLAIN, workflow } from './support/workflows.ts';

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
  await shell.ok(['publish', shell.file('plain.yaml', PLAIN)]);
  await shell.ok(['publish', shell.file('other.yaml', PLAIN.replace('workflow: plain', 'workflow: other'))]);
  for (const name of ['plain', 'other']) await shell.ok(['start', name, '--input', '{"id":"both"}']);
  shell.file('broken.json', '{\n  "id": "a",\n  "note": oops\n}');
  shell.file('wrong.json', '{"id":7}');
  shell.file('settings.yaml', 'principals: {}\nleasMs: 3\n');
  shell.file('bytes.json', new Uint8Array([0x7b, 0xff]));
  mkdirSync(join(shell.folder, 'folder.json'));
});
afterAll(() => shell.close());

const start = (input: string): readonly string[] => ['start', 'plain', '--input', input];

/** How some of the calls below differ from the usual one. */
const OPTIONS: Readonly<Record<string, CallOptions>> = {
  'broken JSON on standard input': { readInput: () => Promise.resolve('') },
  'no database': { env: { PAWL_DATABASE: 'postgresql://pawl:geheim@127.0.0.1:9/pawl' } },
};

describe('an error says what, where and the mend', () => {
  it.each<readonly [name: string, args: readonly string[], exit: number, words: readonly string[]]>([
    ['a file that is not there', start('@nowhere.json'), 2, ['error nowhere.json: there is no such file']],
    ['a folder', start('@folder.json'), 2, ['folder.json: it is a folder; name a file in it']],
    ['a name below a file', start('@wrong.json/x'), 2, ['wrong.json/x: there is no such file']],
    ['a file that is no text', start('@bytes.json'), 2, ['bytes.json: it is no text in UTF-8']],
    ['a name that is too long', start(`@${'x'.repeat(300)}`), 2, ['the name is too long']],
    [
      'broken JSON in a file',
      start('@broken.json'),
      3,
      [
        'error PAWL_VALUE_NOT_STORABLE broken.json is not JSON: at line 3, column 11 a value is expected and there is "o"',
        '= help: send JSON',
      ],
    ],
    [
      'broken JSON in the argument',
      start('{"id":'),
      3,
      ['--input is not JSON: at line 1, column 7 a value is expected'],
    ],
    [
      'broken JSON on standard input',
      start('-'),
      3,
      ['--input is not JSON: at line 1, column 1 a value is expected and it ends there'],
    ],
    [
      'input that does not fit',
      start('@wrong.json'),
      3,
      ['PAWL_INPUT_INVALID the input does not fit: /id must be', '= help: mend the place'],
    ],
    [
      'a misspelled setting',
      ['ls', '--config', 'settings.yaml'],
      2,
      [
        'error PAWL-101 the configuration has no key `leasMs`',
        'settings.yaml:2:1',
        '2 | leasMs: 3',
        '  | ^^^^^^\n',
        '= help: did you mean `leaseMs`?',
      ],
    ],
    ['an unknown run', ['show', 'nobody'], 4, ['PAWL_RUN_NOT_FOUND there is no run nobody', '`pawl ls` lists runs']],
    ['an unknown run id', ['show', `run_${'0'.repeat(26)}`], 4, [`there is no run run_${'0'.repeat(26)}`]],
    ['the beginning of a run id', ['show', 'run_0'], 4, ['there is no run run_0']],
    [
      'a key of two workflows',
      ['show', 'both'],
      5,
      ['PAWL_RUN_AMBIGUOUS both names 2 runs; use an id: run_', '(plain)', '(other)', '= help: use one of the ids'],
    ],
    ['an unknown workflow', ['start', 'nothing'], 4, ['PAWL_VERSION_NOT_FOUND', '`pawl publish FILE`']],
    ['an unknown version', ['visualize', 'plain@7'], 4, ['no version 7 of plain is published']],
    ['nothing to vote about', ['approve', 'both'], 5, ['PAWL_RUN_AMBIGUOUS']],
    [
      'no database',
      ['ls'],
      69,
      ['PAWL_STORE_UNAVAILABLE the database cannot be reached: connect ECONNREFUSED 127.0.0.1:9', '`pawl db status`'],
    ],
    ['a name that is none', ['start', 'plain', '--by', 'a b'], 2, ['"a b" is not a name']],
  ])('%s', async (name, args, exit, words) => {
    const { code, out, err } = await shell.call(args, OPTIONS[name]);
    expect([code, out], err).toEqual([exit, '']);
    for (const word of words) expect(err).toContain(word);
    expect(err).not.toContain('geheim');
  });

  it('a vote where nothing is asked, or where two things are, names what there is', async () => {
    const { url } = shell.provider;
    await shell.ok(['start', 'plain', '--input', '{"id":"quiet"}']);
    expect(await shell.call(['approve', 'quiet'])).toMatchObject({
      code: 4,
      err: expect.stringContaining('run quiet asks for no approval') as string,
    });
    await shell.ok(['publish', shell.file('order.yaml', approvedOrder(url))]);
    await shell.call(['run', 'order', '--input', '{"id":"asks"}', '--no-wait-human', '--by', 'bob']);
    expect(await shell.call(['approve', 'asks', 'nothing'])).toMatchObject({
      code: 4,
      err: expect.stringContaining('run asks has no approval nothing') as string,
    });
  });

  it('a fault of our own comes with its trace and says so', async () => {
    const readInput = (): Promise<string> => Promise.reject(new TypeError('no such thing'));
    const { code, err } = await shell.call(start('-'), { readInput });
    expect([code, err]).toEqual([
      70,
      expect.stringMatching(/^error TypeError: no such thing\n\s+at [\s\S]*please report it\n$/),
    ]);
    // What is thrown need not be an Error.
    const odd = (): Promise<string> => Promise.reject('just a text' as unknown as Error);
    expect((await shell.call(start('-'), { readInput: odd })).err).toMatch(
      /^error just a text\nthis is a fault of Pawl/,
    );
  });

  it('an unpublished file with mistakes is shown with its lines, as words and as data', async () => {
    const file = shell.file('bad.yaml', workflow('bad', ['steps:', '  - { id: a, call: nothing }']));
    const words = await shell.call(['start', file]);
    expect([words.code, words.err]).toEqual([3, expect.stringMatching(/error PAWL-\d+ [\s\S]*--> bad\.yaml:6:\d+\n/)]);
    const data = await shell.call(['start', file, '-o', 'jsonl']);
    expect([data.code, JSON.parse(data.err)]).toMatchObject([
      3,
      { error: { code: 'PAWL_DEFINITION_INVALID', problems: [{ file: 'bad.yaml' }] } },
    ]);
  });
});
