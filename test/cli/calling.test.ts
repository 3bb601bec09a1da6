import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { callCli } from './support/command-line.ts';

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
