import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callCli } from './support/command-line.ts';
import { PLAIN } from './support/workflows.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-export-'));
  writeFileSync(join(folder, 'plain.yaml'), PLAIN);
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('pawl export', () => {
  it('writes a file in each form, to standard output or into a file', async () => {
    const begins = {
      xstate: 'import { createMachine }',
      json: '{\n',
      mermaid: '---\n',
      dot: 'digraph "plain 1"',
      scxml: '<?xml',
    };
    for (const [form, beginning] of Object.entries(begins)) {
      const { code, out } = await callCli(['export', 'plain.yaml', '--to', form], folder);
      expect([code, out.slice(0, beginning.length)]).toEqual([0, beginning]);
      const named = await callCli(['export', 'plain.yaml', '--to', form, '--out', 'there'], folder);
      expect([named.code, named.out, named.err]).toEqual([0, '', 'written into there\n']);
      expect(readFileSync(join(folder, 'there'), 'utf8').trimEnd()).toBe(out.trimEnd());
    }
  });

  it('asks for the form, refuses one that it does not know, and shows what is wrong with a file', async () => {
    expect((await callCli(['export', 'plain.yaml'], folder)).err).toContain("required option '--to <form>'");
    expect((await callCli(['export', 'plain.yaml', '--to', 'png'], folder)).err).toContain(
      'Allowed choices are xstate',
    );
    writeFileSync(join(folder, 'broken.yaml'), 'pawl: 1\n');
    expect((await callCli(['export', 'broken.yaml', '--to', 'json'], folder)).code).toBe(3);
  });
});
