import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { callCli } from './support/command-line.ts';

const GUIDE = readFileSync(new URL('../../docs/guides/crashtest.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'pawl-crashtest-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('every command of docs/guides/crashtest.md ends and says as the guide does', async () => {
  for (const [, name = '', text = ''] of GUIDE.matchAll(/`([\w.-]+\.yaml)`[^`]*?^```yaml.*\n([\s\S]*?)^```$/gm))
    writeFileSync(join(folder, name), text);
  const blocks = [...GUIDE.matchAll(/^```console\n\$ npx pawl (.*)\n([\s\S]*?)^```$/gm)];
  expect(blocks).toHaveLength(4);
  for (const [, asked = '', shown = ''] of blocks) {
    const [command = '', exit = '0'] = asked.split(/\s+# exit /);
    const { code, out, err } = await callCli(command.split(' '), folder);
    expect(code, `${command}\n${err}`).toBe(Number(exit));
    for (const line of shown.trimEnd().split('\n')) expect(out, command).toContain(line);
  }
}, 120_000);
