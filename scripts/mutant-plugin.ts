import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';

/** One planted fault: the text `find` of `file` is replaced while a test is loaded; nothing on disk changes. */
export interface Mutant {
  readonly rule: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly test: { readonly file: string; readonly name: string };
}

/**
 * A Vite plugin that plants the mutant given as JSON, or null when there is none.
 * @throws when the text does not occur exactly once: a mutant that no longer fits must be rewritten, not skipped.
 */
export function mutantPlugin(json: string | undefined): Plugin | null {
  if (json === undefined || json === '') return null;
  const mutant = JSON.parse(json) as Mutant;
  const target = fileURLToPath(new URL(`../${mutant.file}`, import.meta.url));
  return {
    name: 'pawl-mutant',
    enforce: 'pre',
    transform(code, id) {
      if (id.split('?')[0] !== target) return null;
      if (code.split(mutant.find).length !== 2)
        throw new Error(`mutant ${mutant.rule}: its text does not occur exactly once in ${mutant.file}`);
      return { code: code.replace(mutant.find, () => mutant.replace), map: null };
    },
  };
}
