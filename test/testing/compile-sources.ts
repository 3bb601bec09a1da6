import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

/** Sources as JavaScript that a Node without type stripping runs. */
export interface CompiledSources {
  /** Path of a compiled file. @param source its path under `src`, with `.ts`. */
  path(source: string): string;
  remove(): void;
}

/**
 * Compiles folders of `src` file by file, without type checks, so that a test starts a process from today's sources.
 * @param folders paths under `src` with everything below them.
 */
export function compileSources(folders: readonly string[]): CompiledSources {
  const cache = resolve('node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  // Inside the package, so that the compiled files find its dependencies.
  const target = mkdtempSync(join(cache, 'pawl-test-'));
  writeFileSync(join(target, 'package.json'), '{"type":"module"}');
  const compilerOptions: ts.CompilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  };
  for (const folder of folders) {
    for (const name of readdirSync(join('src', folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const fileName = join('src', folder, name);
      const { outputText } = ts.transpileModule(readFileSync(fileName, 'utf8'), { compilerOptions, fileName });
      const out = join(target, folder, name.replace(/\.ts$/, '.js'));
      mkdirSync(join(out, '..'), { recursive: true });
      writeFileSync(out, outputText);
    }
  }
  return {
    path: (source) => join(target, source.replace(/\.ts$/, '.js')),
    remove: () => rmSync(target, { recursive: true, force: true }),
  };
}
