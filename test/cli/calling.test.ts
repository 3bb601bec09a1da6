import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callCli } from './support/command-line.ts';
import { action, workflow } from './support/workflows.ts';

const call = (line: string) => callCli(line.split(' '), tmpdir());

describe('a call that cannot be meant', () => {
  it.each([
    ['validate -o json', "missing required argument 'file'"],
    ['run -ojsonl', "missing required argument 'workflow'"],
    ['show --json', "missing required argument 'run'"],
    ['resolve s1 pay --as absent --format=json', "required option '--evidence <text>' not specified"],
    ['visualize x.yaml -o json', "argument 'json' is invalid"],
    ['show s1 --frob --format json', "unknown option '--frob' (show takes --history"],
    ['-o json frob', "unknown command 'frob'"],
    ['-o json db frob', "unknown command 'frob'"],
  ])('is one line of JSON where data was asked for: pawl %s', async (line, message) => {
    const { code, out, err } = await call(line);
    expect([code, out, err.split('\n').length]).toEqual([2, '', 2]);
    expect(JSON.parse(err)).toMatchObject({
      error: { code: 'PAWL_USAGE', message: expect.stringContaining(message), retry: 'never', problems: [] },
    });
    expect(err).not.toContain('error: ');
  });

  it('is told in words where nobody asked for data', async () => {
    expect(await call('show --frob')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^error: unknown option '--frob'\n\(show takes /),
    });
    expect((await call('show -o table')).err).toBe("error: missing required argument 'run'\n");
  });
});

describe('an option that every verb has', () => {
  it.each([
    '--no-color validate nowhere.yaml',
    '--config=x.yaml --data d validate nowhere.yaml',
    '--by ana -o table validate nowhere.yaml',
    'validate nowhere.yaml --no-color',
  ])('may stand before the verb and behind it: pawl %s', async (line) => {
    const { code, err } = await call(line);
    expect([code, err]).toEqual([2, 'error nowhere.yaml: there is no such file\n']);
  });

  it('stands before the two words of a verb, too, and before a help', async () => {
    expect((await call('--no-color db url --help')).out).toContain('Usage: pawl db url');
    expect((await call('--no-color --help')).out).toContain('Usage: pawl ');
  });

  it('that is said twice counts as it was said last', async () => {
    expect((await call('-o json validate nowhere.yaml -o table')).err).toBe(
      'error nowhere.yaml: there is no such file\n',
    );
  });

  it('is who acts when it is --as before a verb, whatever it means behind it', async () => {
    const { err } = await call('--as=a/b ls --config nowhere.yaml -o json');
    expect(err).not.toContain('unknown option');
    expect((await call('--as ana resolve s1 pay --as absent')).err).toContain("required option '--evidence <text>'");
  });
});

/** Verbs of which a server carries out all, or what is not named here; test/cli/server.test.ts compares both ways. */
const SERVED =
  'run start ls show why approvals approve deny signal batch cancel pause resume pauses compensate reconcile resolve retry publish deprecate visualize'.split(
    ' ',
  );
/** Verbs that need nobody. */
const ALONE = 'validate fmt test crashtest export help'.split(' ');
/** Verbs, or parts of them, that only the process at the database carries out. */
const KEPT = [
  'show s1 --history',
  'export name --to json',
  'receipt verify s1',
  'verify',
  'lock ls',
  'lock limit a 1 --reason r',
  'outbox ls',
  'outbox retry s1 m --reason r',
  'queue ls',
  'queue pull q',
  'queue extend h',
  'queue settle h',
  'schedule ls',
  'schedule pause w --reason r',
  'prune --dry-run',
  'key ls',
  'key create ana --role viewer',
  'key revoke 00000000 --reason r',
  'db start',
  'db stop',
  'db status',
  'db url',
  'db restored',
  'db recovered',
  'audit ls',
  'audit verify',
  'retry --all poison --reason r',
  'worker',
  'server --port 0',
  'dev',
];

const LETTER = action('http://127.0.0.1:9', 'letter', ['compensate: none']);
const CATALOGUE = ['pawl: 1', 'catalogue: a', 'version: 1', 'actions:', ...LETTER, ''].join('\n');
const USING = workflow('using', ['use: [a@1]', 'steps:', '  - { id: letter, call: shop.letter, object: one }']);

describe('a server that was named', () => {
  const there = { env: { PAWL_SERVER: 'http://127.0.0.1:9', PAWL_LEASE_MS: '9000' } };

  it.each(KEPT)('is not asked for what the API has not, and nothing else is done instead: pawl %s', async (line) => {
    const { code, out, err } = await callCli(line.split(' '), tmpdir(), there);
    const verb = line.split(' ')[0];
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(
      new RegExp(`error PAWL_CONFIG_INVALID pawl ${verb}[^\\n]* is not answered by a server: leave --server`),
    );
  });

  it('says of every verb whether it is carried out there', async () => {
    const { out } = await call('--help');
    const [, listed = ''] = out.split('Commands:\n');
    const verbs = [...listed.matchAll(/^ {2}(\w+)/gm)].map(([, verb = '']) => verb);
    const known = new Set([...SERVED, ...ALONE, ...KEPT.map((line) => line.split(' ')[0] ?? '')]);
    expect(verbs.filter((verb) => !known.has(verb))).toEqual([]);
    const page = readFileSync(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8');
    const [, told = ''] = /^Carried out there: (.*)$/m.exec(page) ?? [];
    expect([...told.matchAll(/`(\w+)[^`]*`/g)].map(([, verb]) => verb)).toEqual(SERVED);
  });

  it('keeps nobody from looking at a file', async () => {
    const { err } = await callCli(['validate', 'nowhere.yaml'], tmpdir(), there);
    expect(err).toBe('error nowhere.yaml: there is no such file\n');
  });

  it('is not asked where a directory of data was named', async () => {
    expect((await callCli(['ls', '--data', 'd', '--config', 'nowhere.yaml'], tmpdir(), there)).err).toContain(
      'nowhere.yaml',
    );
    expect((await call('ls --server http://127.0.0.1:9 --data d')).err).toContain("cannot be used with option '--data");
  });

  it.each([
    ['ls --key-file k', '--key-file is for a server'],
    ['ls --server http://127.0.0.1:9 --key-file nowhere.key', '--key-file nowhere.key: it cannot be read'],
    ['ls --server http://ana:secret@127.0.0.1:9', 'holds no password'],
    ['ls --server nonsense', '--server (or PAWL_SERVER), and its key: '],
    ['retry s1 pay --reason r --by ana --server http://127.0.0.1:9', 'who acts at a server is whose key it is'],
    ['signal s1 paid {} --source bank --server http://127.0.0.1:9', 'leave --source out'],
  ])('is named as it must be: pawl %s', async (line, words) => {
    const { code, err } = await call(line);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(err).not.toContain('secret');
  });

  it('is sent no workflow that would be another one there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-served-'));
    writeFileSync(join(folder, 'a.catalogue.yaml'), CATALOGUE);
    writeFileSync(join(folder, 'b.yaml'), USING);
    for (const file of ['a.catalogue.yaml', 'b.yaml']) {
      const { code, err } = await callCli(['publish', file], folder, there);
      expect([code, err]).toEqual([2, expect.stringMatching(/pawl publish of .* is not answered by a server/)]);
    }
    rmSync(folder, { recursive: true });
  });
});
