import { caught } from '../../model/caught.ts';
import { RE2JS, RE2JSSyntaxException } from 're2js';

const compiled = new Map<string, RE2JS>();

/** Patterns kept compiled; they are literals of definitions, so there are few. */
const COMPILED_MAX = 2_000;

/**
 * A pattern of the RE2 syntax, run in time linear in the text: no pattern can make a run hang.
 * @returns null when the pattern is not RE2.
 */
export function compilePattern(pattern: string): { matches(text: string): boolean } | null {
  const known = compiled.get(pattern) ?? tryCompile(pattern);
  if (known === null) return null;
  if (compiled.size >= COMPILED_MAX) compiled.clear();
  compiled.set(pattern, known);
  return { matches: (text) => known.matcher(text).find() };
}

function tryCompile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    caught(error, RE2JSSyntaxException);
    return null;
  }
}
