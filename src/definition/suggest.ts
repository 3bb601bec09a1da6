import leven from 'leven';

/**
 * The name that was probably meant, as a help sentence; null when none is near.
 * Near = an edit distance of at most max(2, 40 % of the length), or one begins with the other.
 */
export function suggest(name: string, candidates: readonly string[]): string | null {
  const limit = Math.max(2, Math.ceil(0.4 * name.length));
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const isPrefix = name.length >= 3 && (candidate.startsWith(name) || (candidate.length >= 3 && name.startsWith(candidate)));
    const distance = isPrefix ? Math.min(1, leven(name, candidate)) : leven(name, candidate);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best === null ? null : `did you mean "${best}"?`;
}
