/** A seeded source of random numbers: the same seed gives the same run (mulberry32, public domain). */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A whole number in [0, below). */
  below(below: number): number;
  /** One of the items; there must be one. */
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** Makes a random source from a 32-bit seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, pick: (items) => items[below(items.length)] ?? items[0] };
}
