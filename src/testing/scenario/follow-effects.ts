import type { EffectPattern } from './effects-text.ts';

/** Where what happened leaves the pattern: what came there, and what could have come. */
export interface Departure {
  /** Number of the first happening that does not fit; their count where one is missing. */
  readonly index: number;
  /** Names that could have come; empty where nothing more could. */
  readonly expected: readonly string[];
}

/** Whether the pattern may end here. */
function isDone(pattern: EffectPattern): boolean {
  if (pattern.kind === 'one') return false;
  return (pattern.kind === 'row' ? pattern.parts : pattern.branches).every(isDone);
}

/** The names that may come first. */
function firstNames(pattern: EffectPattern): readonly string[] {
  if (pattern.kind === 'one') return [pattern.name];
  if (pattern.kind === 'any') return pattern.branches.flatMap(firstNames);
  const [first, ...rest] = pattern.parts;
  if (first === undefined) return [];
  return [...firstNames(first), ...(isDone(first) ? firstNames({ kind: 'row', parts: rest }) : [])];
}

/** What may come after one happening, in each way in which it may be taken. */
function after(pattern: EffectPattern, isNamed: (name: string) => boolean): readonly EffectPattern[] {
  if (pattern.kind === 'one') return isNamed(pattern.name) ? [{ kind: 'row', parts: [] }] : [];
  if (pattern.kind === 'any')
    return pattern.branches.flatMap((branch, at) =>
      after(branch, isNamed).map((left) => ({ kind: 'any' as const, branches: pattern.branches.with(at, left) })),
    );
  const [first, ...rest] = pattern.parts;
  if (first === undefined) return [];
  const taken = after(first, isNamed).map((left) => ({ kind: 'row' as const, parts: [left, ...rest] }));
  return isDone(first) ? [...taken, ...after({ kind: 'row', parts: rest }, isNamed)] : taken;
}

/** Ways that lead to the same are one. */
function distinct(patterns: readonly EffectPattern[]): readonly EffectPattern[] {
  return [...new Map(patterns.map((pattern) => [JSON.stringify(pattern), pattern])).values()];
}

function expectedIn(ways: readonly EffectPattern[]): readonly string[] {
  return [...new Set(ways.flatMap(firstNames))];
}

/**
 * Holds what happened against a pattern.
 * @param happened in order; a pattern's name may be one of several for the same thing.
 * @returns null when it fits, else where it leaves the pattern first.
 */
export function followEffects<T>(
  pattern: EffectPattern,
  happened: readonly T[],
  isNamed: (one: T, name: string) => boolean,
): Departure | null {
  let ways: readonly EffectPattern[] = [pattern];
  for (const [index, one] of happened.entries()) {
    const next = distinct(ways.flatMap((way) => after(way, (name) => isNamed(one, name))));
    if (next.length === 0) return { index, expected: expectedIn(ways) };
    ways = next;
  }
  return ways.some(isDone) ? null : { index: happened.length, expected: expectedIn(ways) };
}
