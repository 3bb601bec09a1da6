import { findCatalogues } from '../app/find-catalogues.ts';
import { CATALOGUE_END } from '../definition/catalogue.ts';
import type { Shelf } from '../definition/embed-catalogues.ts';
import type { CliContext } from './cli-context.ts';
import { readTextFile } from './read-arguments.ts';

/** Whether a file is a catalogue of actions, not a workflow. */
export function isCatalogueFile(file: string): boolean {
  return file.endsWith(CATALOGUE_END);
}

/** The catalogues that a workflow file may use: looked for once it uses any, their texts kept for code frames. */
export function shelfOf(context: CliContext, file: string, read = readSource): Shelf {
  const { folder } = context.host;
  return () =>
    findCatalogues({ file, folder, folders: context.config().catalogues, read: (name) => read(context, name) });
}

/** Reads a file as text and keeps it for code frames. @throws UsageError naming it when it cannot be read or is no text. */
export function readSource(context: CliContext, file: string): string {
  const text = readTextFile(context, file);
  context.sources.set(file, text);
  return text;
}
