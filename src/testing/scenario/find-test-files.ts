import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** How the name of a test file ends. */
export const TEST_FILE_END = '.test.yaml';
/** Folders in which nobody's own tests are. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'dist']);

function isSkipped(name: string): boolean {
  return SKIPPED.has(name) || name.startsWith('.');
}

/** Every file below a folder, as paths that begin with its name. */
function filesBelow(root: string, folder: string): readonly string[] {
  const entries = readdirSync(resolve(root, folder), { withFileTypes: true });
  return entries.flatMap((entry): readonly string[] => {
    if (isSkipped(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}

/** A pattern of paths: `*` within a name, `**` over folders, `?` one letter. */
function patternOf(glob: string): RegExp {
  const source = glob.replace(/\*\*\/?|[*?]|[.+^${}()|[\]\\]/g, (sign) => {
    if (sign.startsWith('**')) return '(?:.*/)?';
    if (sign === '*') return '[^/]*';
    return sign === '?' ? '[^/]' : `\\${sign}`;
  });
  return new RegExp(`^${source}$`);
}

/** The part of a pattern before its first sign: the folder that is searched. */
function folderOf(glob: string): string {
  const names = glob.split('/');
  const wild = names.findIndex((name) => /[*?]/.test(name));
  return names.slice(0, wild).join('/') || (glob.startsWith('/') ? '/' : '.');
}

function kindOf(path: string): 'file' | 'folder' | 'none' {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'none';
  return stats.isDirectory() ? 'folder' : 'file';
}

/** The test files that one argument means; none where there is nothing of that name. */
function filesOf(root: string, argument: string): readonly string[] {
  const kind = kindOf(resolve(root, argument));
  if (kind === 'file') return [argument];
  const isTest = (path: string): boolean => path.endsWith(TEST_FILE_END);
  if (kind === 'folder') return filesBelow(root, argument).filter(isTest);
  if (!/[*?]/.test(argument) || kindOf(resolve(root, folderOf(argument))) !== 'folder') return [];
  const pattern = patternOf(join(argument));
  return filesBelow(root, folderOf(argument)).filter((path) => pattern.test(path) && isTest(path));
}

/**
 * Finds test files.
 * @param root the folder from which arguments are meant.
 * @returns the files, each once and in order, and the arguments that mean none.
 */
export function findTestFiles(
  root: string,
  given: readonly string[],
): { readonly files: readonly string[]; readonly missing: readonly string[] } {
  const found = given.map((argument) => [argument, filesOf(root, argument)] as const);
  return {
    files: [...new Set(found.flatMap(([, files]) => files))].sort(),
    missing: found.flatMap(([argument, files]) => (files.length === 0 ? [argument] : [])),
  };
}
