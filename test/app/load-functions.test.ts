import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadFunctions } from '../../src/app/load-functions.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-functions-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a module and returns its name. */
function write(name: string, source: string): string {
  writeFileSync(join(folder, name), source);
  return name;
}

describe('loadFunctions', () => {
  it('collects the functions of every module by name and contract', async () => {
    const a = write(
      'a.mjs',
      "export const functions = { 'charge@1': { send: () => 1, reconcile: () => ({ outcome: 'absent' }) } };",
    );
    const b = write('b.mjs', "export const functions = { 'mail.send@2': { send: () => 2 } };");
    const registry = await loadFunctions({ paths: [a, join(folder, b)], folder });
    expect([...registry.keys()]).toEqual(['charge@1', 'mail.send@2']);
    expect(registry.get('charge@1')?.reconcile).toBeTypeOf('function');
  });

  it('loads nothing where nothing is named', async () => {
    expect((await loadFunctions({ paths: [], folder })).size).toBe(0);
  });

  const faults: readonly (readonly [string, string, string, RegExp])[] = [
    ['a file that is not there', 'gone.mjs', '', /functions: gone\.mjs: \/.*gone\.mjs cannot be loaded: /],
    ['a module that throws', 'throws.mjs', "throw new Error('at load');", /throws\.mjs cannot be loaded: at load$/],
    ['a module without functions', 'empty.mjs', 'export const other = 1;', /exports no `functions`/],
    ['functions that are none', 'null.mjs', 'export const functions = null;', /exports no `functions`/],
    [
      'a name without contract',
      'name.mjs',
      'export const functions = { charge: { send() {} } };',
      /"charge" is not a name with a contract/,
    ],
    ['contract 0', 'zero.mjs', "export const functions = { 'charge@0': { send() {} } };", /"charge@0" is not a name/],
    [
      'an entry that is a function',
      'bare.mjs',
      "export const functions = { 'charge@1': () => 1 };",
      /needs \{ send, reconcile\? \}/,
    ],
    [
      'a reconcile that is none',
      'rec.mjs',
      "export const functions = { 'charge@1': { send() {}, reconcile: 1 } };",
      /needs \{ send/,
    ],
    ['another kind of file', 'code.cjs', 'module.exports = {};', /ends in \.js or \.mjs/],
  ];
  it.each(faults)('refuses %s and names it', async (_name, file, source, message) => {
    if (source !== '') write(file, source);
    await expect(loadFunctions({ paths: [file], folder })).rejects.toMatchObject({
      code: 'PAWL_CONFIG_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('refuses one name twice', async () => {
    const one = write('one.mjs', "export const functions = { 'twice@1': { send() {} } };");
    const two = write('two.mjs', "export const functions = { 'twice@1': { send() {} } };");
    await expect(loadFunctions({ paths: [one, two], folder })).rejects.toThrow(
      'two.mjs: "twice@1" is registered twice',
    );
  });

  it.each(['20.20.2', '22.17.0', '18.0.0'])('refuses TypeScript on Node %s with the mend', async (nodeVersion) => {
    const path = write('code.ts', 'export const functions = {};');
    await expect(loadFunctions({ paths: [path], folder, nodeVersion })).rejects.toThrow(
      /needs Node 22\.18 or later.*compile it to \.mjs/,
    );
  });

  it.each(['22.18.0', '24.1.0'])('hands TypeScript to Node %s', async (nodeVersion) => {
    const path = write('plain.ts', "export const functions = { 'plain@1': { send: () => 1 } };");
    const loading = loadFunctions({ paths: [path], folder, nodeVersion });
    await expect(
      loading.then(
        () => 'loaded',
        (error: Error) => error.message,
      ),
    ).resolves.not.toMatch(/needs Node/);
  });
});
