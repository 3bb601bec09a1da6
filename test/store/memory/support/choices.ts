/** Choices made by bytes that fast-check draws and shrinks: fewer bytes are fewer commands, smaller ones the plainer choice. */
export interface Choices {
  /** A whole number in [0, limit). */
  below(limit: number): number;
  /** One of the items; the first is the plainest. */
  pick<T>(items: readonly T[]): T;
  /** True once in `n` times; false when the bytes are used up. */
  onceIn(n: number): boolean;
  /** Some of the items, in order. */
  some<T>(items: readonly T[]): T[];
  areUsedUp(): boolean;
}

/** Reads choices from bytes. */
export function choicesFrom(bytes: Uint8Array): Choices {
  let at = 0;
  const next = (): number => {
    at += 1;
    return bytes[at - 1] ?? 0;
  };
  const below = (limit: number): number => next() % limit;
  const onceIn = (n: number): boolean => below(n) === n - 1;
  return {
    below,
    onceIn,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to choose from');
      return item;
    },
    some: (items) => items.filter(() => onceIn(3)),
    areUsedUp: () => at >= bytes.length,
  };
}
