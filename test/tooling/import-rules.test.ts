import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** For each rule of the layer table one import that it forbids. `type` imports count, too. */
const VIOLATIONS: readonly { readonly rule: string; readonly file: string; readonly text: string }[] = [
  {
    rule: 'layer-model',
    file: 'model/planted.ts',
    text: "import type { Aim } from '../ports/aim.ts';\nexport type A = Aim;\n",
  },
  {
    rule: 'layer-definition',
    file: 'definition/planted.ts',
    text: "import type { Aim } from '../ports/aim.ts';\nexport type A = Aim;\n",
  },
  {
    rule: 'layer-machine',
    file: 'machine/planted.ts',
    text: "import type { Aim } from '../ports/aim.ts';\nexport type A = Aim;\n",
  },
  {
    rule: 'layer-decision',
    file: 'decision/planted.ts',
    text: "import type { Aim } from '../ports/aim.ts';\nexport type A = Aim;\n",
  },
  { rule: 'layer-ports', file: 'ports/planted.ts', text: "import '../machine/aim.ts';\n" },
  { rule: 'layer-engine', file: 'engine/planted.ts', text: "import '../worker/aim.ts';\n" },
  { rule: 'layer-worker', file: 'worker/planted.ts', text: "import '../decision/aim.ts';\n" },
  { rule: 'layer-picture', file: 'picture/planted.ts', text: "import '../machine/aim.ts';\n" },
  { rule: 'layer-store', file: 'store/postgres/planted.ts', text: "import '../../engine/aim.ts';\n" },
  { rule: 'layer-actions', file: 'actions/planted.ts', text: "import '../store/postgres/aim.ts';\n" },
  { rule: 'layer-telemetry', file: 'telemetry/planted.ts', text: "import '../engine/aim.ts';\n" },
  { rule: 'layer-app', file: 'app/planted.ts', text: "import '../cli/aim.ts';\n" },
  { rule: 'layer-app', file: 'testing/planted.ts', text: "import '../cli/aim.ts';\n" },
  { rule: 'layer-app', file: 'app/planted.ts', text: "import '../api/aim.ts';\n" },
  { rule: 'layer-api', file: 'api/planted.ts', text: "import '../engine/aim.ts';\n" },
  {
    rule: 'layer-client',
    file: 'client/planted.ts',
    text: "import type { Aim } from '../model/aim.ts';\nexport type A = Aim;\n",
  },
  { rule: 'layer-cli', file: 'cli/planted.ts', text: "import '../engine/aim.ts';\n" },
  { rule: 'only-xstate', file: 'machine/planted.ts', text: "import 'xstate';\n" },
  { rule: 'only-yaml', file: 'definition/planted.ts', text: "import 'yaml';\n" },
  { rule: 'only-ajv', file: 'definition/planted.ts', text: "import 'ajv';\n" },
  { rule: 'only-cel', file: 'definition/planted.ts', text: "import '@marcbachmann/cel-js';\n" },
  { rule: 'only-croner', file: 'definition/planted.ts', text: "import 'croner';\n" },
  { rule: 'only-canonicalize', file: 'model/planted.ts', text: "import 'canonicalize';\n" },
  { rule: 'only-pg', file: 'app/planted.ts', text: "import 'pg';\n" },
  { rule: 'only-undici', file: 'app/planted.ts', text: "import 'undici';\n" },
  { rule: 'only-oauth4webapi', file: 'app/planted.ts', text: "import 'oauth4webapi';\n" },
  { rule: 'only-fastify', file: 'app/planted.ts', text: "import 'fastify';\n" },
  { rule: 'only-elkjs', file: 'app/planted.ts', text: "import 'elkjs';\n" },
  { rule: 'only-crypto-in-model', file: 'model/planted.ts', text: "import 'node:crypto';\n" },
  {
    rule: 'no-cycle',
    file: 'model/planted.ts',
    text: "import type { Aim } from './aim.ts';\nexport type Planted = Aim;\n",
  },
  { rule: 'no-dev-dependency', file: 'app/planted.ts', text: "import 'fast-check';\n" },
];

let house = '';
let violations: CruiseResult['summary']['violations'] = [];

interface CruiseResult {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

/** Each violation in a file of its own, so that one look over the house judges them all. */
const plantedFile = (index: number, file: string): string =>
  path.posix.join('src', file.replace('planted', `planted-${index}`));

/** A house with one room per layer; the rules are the project's own. */
beforeAll(async () => {
  house = await mkdtemp(path.join(tmpdir(), 'pawl-import-rules-'));
  for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json'])
    await cp(path.join(root, file), path.join(house, file));
  await symlink(path.join(root, 'node_modules'), path.join(house, 'node_modules'));
  const rooms = ['model', 'machine', 'decision', 'engine', 'worker', 'store/postgres', 'api', 'cli', 'ports'];
  for (const folder of rooms) {
    await mkdir(path.join(house, 'src', folder), { recursive: true });
    await writeFile(path.join(house, 'src', folder, 'aim.ts'), 'export interface Aim {}\n');
  }
  const cycle = VIOLATIONS.findIndex((v) => v.rule === 'no-cycle');
  await writeFile(
    path.join(house, 'src/model/aim.ts'),
    `import type { Planted } from './planted-${cycle}.ts';\nexport interface Aim { readonly of: Planted }\n`,
  );
  for (const [index, { file, text }] of VIOLATIONS.entries()) {
    await mkdir(path.join(house, 'src', path.dirname(file)), { recursive: true });
    await writeFile(path.join(house, plantedFile(index, file)), text);
  }
  violations = await lookOver();
});
afterAll(() => rm(house, { recursive: true, force: true }));

async function lookOver(): Promise<CruiseResult['summary']['violations']> {
  const bin = path.join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [bin, 'src', '--output-type', 'json'];
  const answer = await run(process.execPath, args, { cwd: house, maxBuffer: 1 << 26 }).catch(
    (error: unknown) => error as { stdout: string },
  );
  return (JSON.parse(answer.stdout) as CruiseResult).summary.violations;
}

describe('the layer table', () => {
  it.each(VIOLATIONS.map((v, index) => ({ ...v, index })))(
    '$rule catches a planted import in $file',
    ({ rule, file, index }) => {
      const from = plantedFile(index, file);
      const named = violations.filter((v) => v.from === from || (rule === 'no-cycle' && v.from === 'src/model/aim.ts'));
      expect(named.map((v) => v.rule.name)).toContain(rule);
    },
  );

  it('says nothing of files that keep to it', () => {
    const honest = violations.filter((v) => !v.from.includes('planted') && v.rule.name !== 'no-cycle');
    expect(honest).toEqual([]);
  });

  it('has a planted violation for each of its rules', () => {
    const config = createRequire(import.meta.url)(path.join(root, '.dependency-cruiser.cjs')) as {
      forbidden: readonly { name: string }[];
    };
    const planted = new Set(VIOLATIONS.map((v) => v.rule));
    expect(config.forbidden.map((r) => r.name).filter((name) => name !== 'resolvable' && !planted.has(name))).toEqual(
      [],
    );
  });
});
