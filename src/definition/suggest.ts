import { closestWord } from './closest-word.ts';

/** The name that was probably meant, as a help sentence; null when none is near. */
export function suggest(name: string, candidates: readonly string[]): string | null {
  const best = closestWord(name, candidates);
  return best === null ? null : `did you mean "${best}"?`;
}
