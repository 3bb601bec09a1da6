import { type Dirent, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { CATALOGUE_END, type SourceFile } from '../definition/catalogue.ts';
import { RefusedError } from '../model/errors.ts';

/** Where catalogues are looked for. */
export interface CatalogueSearch {
  /** The workflow's file, as it was named; catalogues beside it come first. */
  readonly file: string;
  /** The folder that names start from. */
  readonly folder: string;
  /** Further folders, absolute paths. */
  readonly folders: readonly string[];
  /** Reads a file that was found. @throws PawlError naming it when it cannot be read. */
  read(file: string): string;
}

function filesIn(folder: string): readonly string[] {
  let entries: readonly Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw new RefusedError(
      'PAWL_CONFIG_INVALID',
      `the folder of catalogues ${folder} cannot be read`,
      { folder },
      error,
    );
  }
  return entries
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith(CATALOGUE_END))
    .map(({ name }) => name)
    .sort();
}

/** The catalogue files beside a workflow and in the configured folders. @throws PAWL_CONFIG_INVALID naming a folder that cannot be read. */
export function findCatalogues({ file, folder, folders, read }: CatalogueSearch): readonly SourceFile[] {
  const beside = dirname(file);
  const others = folders.filter((path) => path !== resolve(folder, beside)).map((path) => relative(folder, path));
  return [beside, ...new Set(others)].flatMap((place) =>
    filesIn(resolve(folder, place)).map((name) => {
      const found = join(place, name);
      return { file: found, text: read(found) };
    }),
  );
}
