import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/model/problem.ts';
import { type Called, callCli } from './support/command-line.ts';
import { PLAIN, workflow } from './support/workflows.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-validate-'));
  mkdirSync(join(folder, 'folder.yaml'));
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'good.yaml': PLAIN,
    'broken.yaml': BROKEN,
    'warned.yaml': PLAIN.replace('timeout: 1h\n', ''),
    'many.yaml': workflow('many', [
      'steps:',
      ...Array.from({ length: 25 }, (_, n) => `  - { id: s${n}, set: { v${n}: 1 } }`),
    ]),
    'empty.yaml': '',
    'binary.yaml': Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0x00, 0xff, 0xfe),
    'hostile.yaml': '"\\e[2J\\u202e": 1\npawl: 1\n# \u001b[2J\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
});
afterAll(() => rmSync(folder, { recursive: true }));

const BROKEN = workflow('broken', [
  'steps:',
  '  - { id: wait1, wait: 5 minutes }',
  '  - { id: go, set: { lost: 1 }, nxt: wait1 }',
]);

interface Checked {
  readonly file: string;
  readonly ok: boolean;
  readonly unreadable?: string;
  readonly problems: readonly Problem[];
}

const validate = (...args: readonly string[]): Promise<Called> => callCli(['validate', ...args], folder);

describe('pawl validate', () => {
  it('says of a good file what is in it and ends with 0', async () => {
    const { code, out, err } = await validate('good.yaml');
    expect([code, out, err]).toEqual([0, 'good.yaml  ok  plain@1  1 step\n', '']);
  });

  it('shows every problem of every file in one run, by position, each with line, caret and mend; exit 3', async () => {
    const { code, out } = await validate('good.yaml', 'broken.yaml');
    expect(code).toBe(3);
    const places = [...out.matchAll(/--> broken\.yaml:(\d+):(\d+)/g)].map(([, line, column]) => [
      Number(line),
      Number(column),
    ]);
    expect(places.length).toBeGreaterThan(1);
    expect(places).toEqual([...places].sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
    expect(out).toContain(`6 |   - { id: wait1, wait: 5 minutes }\n  | ${' '.repeat(23)}^^^^^^^^^\n`);
    expect(out).toContain('= help: did you mean `next`?');
    expect(out).toMatch(/good\.yaml {2}ok.*\n(.*\n)*broken\.yaml {2}✘ \d+ errors/);
  });

  it('separates problems by an empty line', async () => {
    const { out } = await validate('broken.yaml');
    expect(out.split('\n\n').length).toBe((out.match(/-->/g)?.length ?? 0) + 1);
  });

  it('gives the same as data with -o json, a list of files, and as lines with -o jsonl', async () => {
    const asText = await validate('broken.yaml', 'good.yaml');
    const asJson = await validate('broken.yaml', 'good.yaml', '-o', 'json');
    const files = asJson.json<readonly Checked[]>();
    expect([asJson.code, asJson.err]).toEqual([3, '']);
    expect(files.map(({ file, ok }) => [file, ok])).toEqual([
      ['broken.yaml', false],
      ['good.yaml', true],
    ]);
    for (const { code, severity, message, range, help } of files[0]?.problems ?? []) {
      expect(asText.out).toContain(`${severity} ${code} ${message}`);
      expect(asText.out).toContain(`--> broken.yaml:${range.line}:${range.column}`);
      expect(asText.out).toContain(`= help: ${help ?? ''}`);
    }
    const lines = (await validate('broken.yaml', 'good.yaml', '-o', 'jsonl')).out.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(files);
  });

  it('shows 20 problems in one call and says how to see the others; -o json has all', async () => {
    const { out } = await validate('many.yaml', 'broken.yaml');
    expect(out.match(/-->/g)?.length).toBe(20);
    expect(out).toContain('… and 5 more: pawl validate -o json many.yaml');
    expect(out).toMatch(/… and \d+ more: pawl validate -o json broken\.yaml/);
    const files = (await validate('many.yaml', '-o', 'json')).json<readonly Checked[]>();
    expect(files[0]?.problems.length).toBe(25);
  });

  it('ends with 0 when there are only warnings, and shows them', async () => {
    const { code, out } = await validate('warned.yaml');
    expect(code).toBe(0);
    expect(out).toContain('warning PAWL-351');
    expect(out).toContain('warned.yaml  ok  plain@1  1 step  1 warning');
  });

  it('says of an empty file that there is no workflow in it', async () => {
    const { code, out } = await validate('empty.yaml');
    expect([code, out.includes('error PAWL-021')]).toEqual([3, true]);
  });

  it.each([
    ['nowhere.yaml', 'there is no such file'],
    ['folder.yaml', 'it is a folder; name a file in it'],
  ])('says of %s why it cannot be read, checks the others all the same, and ends with 2', async (file, why) => {
    const { code, out, err } = await validate(file, 'good.yaml');
    expect([code, out, err]).toEqual([2, 'good.yaml  ok  plain@1  1 step\n', `error ${file}: ${why}\n`]);
    const files = (await validate(file, 'good.yaml', '-o', 'json')).json<readonly Checked[]>();
    expect(files).toMatchObject([{ file, ok: false, unreadable: `${file}: ${why}` }, { ok: true }]);
  });

  it('says of a file that is not in UTF-8 where, beside what is wrong in others, and ends with 3', async () => {
    const { code, out } = await validate('binary.yaml', 'broken.yaml');
    expect(code).toBe(3);
    expect(out).toContain('error PAWL-019 the file is not in UTF-8: byte 6, 0xFF, is part of no character');
    expect(out).toMatch(/--> binary\.yaml:1:6\n/);
    const files = (await validate('binary.yaml', '-o', 'json')).json<readonly Checked[]>();
    expect(files).toMatchObject([{ file: 'binary.yaml', ok: false, problems: [{ code: 'PAWL-019' }] }]);
  });

  it('shows keys and lines of a hostile file without letting them act', async () => {
    const { code, out } = await validate('hostile.yaml');
    expect(code).toBe(3);
    expect(out).not.toContain('\u001b');
    expect(out).not.toContain('\u202e');
  });

  it('needs at least one file', async () => {
    const { code, err } = await validate();
    expect([code, err]).toEqual([2, "error: missing required argument 'file'\n"]);
  });
});
