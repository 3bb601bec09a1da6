import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Called, callCli } from './support/command-line.ts';
import { PLAIN } from './support/workflows.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-fmt-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const fmt = (...args: readonly string[]): Promise<Called> => callCli(['fmt', ...args], folder);
const write = (name: string, text: string | Uint8Array): void => writeFileSync(join(folder, name), text);
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('pawl fmt', () => {
  it('writes a file in its canonical form, says so, and changes nothing the second time', async () => {
    write('a.yaml', PLAIN.replace('  - {', '  -   {'));
    const first = await fmt('a.yaml');
    expect([first.code, first.out, first.err]).toEqual([0, 'a.yaml  formatted\n', '']);
    const text = read('a.yaml');
    expect(text).toContain('  - { id: copy');
    expect((await fmt('a.yaml')).out).toBe('a.yaml  unchanged\n');
    expect(read('a.yaml')).toBe(text);
  });

  it('keeps the mode of a file, writes where a link leads, and leaves nothing beside it', async () => {
    write('a.yaml', `\n${PLAIN}`);
    chmodSync(join(folder, 'a.yaml'), 0o640);
    symlinkSync('a.yaml', join(folder, 'b.yaml'));
    expect((await fmt('b.yaml')).code).toBe(0);
    expect(statSync(join(folder, 'a.yaml')).mode & 0o777).toBe(0o640);
    expect(read('a.yaml').startsWith('pawl: 1')).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['a.yaml', 'b.yaml']);
  });

  it('leaves a file alone that is not valid, tells its problems, formats the others, and ends with 3', async () => {
    const broken = PLAIN.replace('steps:', 'stebs:');
    write('a.yaml', broken);
    write('b.yaml', Uint8Array.of(0x61, 0xff));
    write('c.yaml', `\n${PLAIN}`);
    const { code, out } = await fmt('a.yaml', 'b.yaml', 'c.yaml');
    expect(code).toBe(3);
    expect(out).toContain('error PAWL-101');
    expect(out).toContain('a.yaml  ✘ left as it is\n');
    expect(out).toContain('error PAWL-019');
    expect(out).toContain('c.yaml  formatted\n');
    expect(read('a.yaml')).toBe(broken);
    const data = (await fmt('a.yaml', 'c.yaml', '-o', 'json')).json();
    expect(data).toMatchObject([
      { file: 'a.yaml', state: 'invalid', problems: [{ code: 'PAWL-101' }] },
      { state: 'unchanged' },
    ]);
  });

  it('with --check changes nothing, shows where a file differs, and ends with 1', async () => {
    const text = PLAIN.replace('timeout: 1h\n', '')
      .replace('steps:\n', 'timeout: 1h\nsteps:\n')
      .replace('version: 1', 'version:   1');
    write('a.yaml', text);
    const { code, out } = await fmt('--check', 'a.yaml');
    expect([code, read('a.yaml')]).toEqual([1, text]);
    expect(out).toMatch(/^a\.yaml {2}differs\n {2}line 3\n {2}- version: {3}1\n/);
    expect(out).toContain('\n  + version: 1\n');
    expect((await fmt('--check', 'a.yaml', '-o', 'json')).json()).toEqual([{ file: 'a.yaml', state: 'differs' }]);
    write('a.yaml', `${PLAIN}${'# more\n\n\n'.repeat(9)}`);
    expect((await fmt('--check', 'a.yaml')).out).toMatch(/ {2}- … and \d+ more\n/);
  });

  it('says of a file that cannot be read or written why, and ends with 2', async () => {
    expect(await fmt('none.yaml')).toMatchObject({ code: 2, err: 'error none.yaml: there is no such file\n' });
    write('a.yaml', `\n${PLAIN}`);
    write('a.yaml.pawl-fmt', 'of somebody else');
    const { code, err } = await fmt('a.yaml');
    expect([code, err]).toEqual([2, 'error a.yaml: it cannot be written: the system refuses it\n']);
    expect([read('a.yaml'), read('a.yaml.pawl-fmt')]).toEqual([`\n${PLAIN}`, 'of somebody else']);
    const data = (await fmt('none.yaml', '-o', 'json')).json();
    expect(data).toEqual([{ file: 'none.yaml', state: 'unreadable', unreadable: 'none.yaml: there is no such file' }]);
  });
});
