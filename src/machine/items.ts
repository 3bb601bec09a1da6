import type { MapStep } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import { ownValue } from '../model/own-value.ts';
import type { Items, RunData } from '../model/run.ts';

/** Whether there is another item, or how the map ends. */
export type ItemsVerdict = 'next' | 'won' | 'lost';

/** Outputs of so many items are kept although no expression reads them: people look at short lists. */
export const OUTPUTS_KEPT_MAX = 100;

const NO_ITEMS: Items = { count: 0, needed: 0, no: 0, key: '', value: null, succeeded: 0, failed: {} };

/** The items of a map's list. */
export function itemsOf(data: RunData, list: string): Items {
  return ownValue(data.items ?? {}, list) ?? NO_ITEMS;
}

/**
 * How many items must succeed. A share rounds up; what may fail rounds down, so that neither lets more pass than was said.
 * @param of the computed `count` or `percent`; nothing is read of it for `all` and `any`.
 */
export function neededOf(map: MapStep, count: number, of: number): number {
  switch (map.join.kind) {
    case 'any':
      return 1;
    case 'count':
      return of;
    case 'percent':
      return Math.ceil(shareOf(count, of) - TINY);
    case 'all':
      return count - toleratedOf(map, count);
  }
}

/** How many items may fail; where nothing is said of it, none of `all`, and of any other join as many as it lets. */
export function toleratedOf({ join, tolerate }: MapStep, count: number): number {
  if (tolerate === undefined) return join.kind === 'all' ? 0 : count;
  return tolerate.kind === 'count' ? tolerate.of : Math.floor(shareOf(count, tolerate.of) + TINY);
}

/** 7 % of 100 is 7, and not what binary fractions make of it. */
const TINY = 1e-9;

function shareOf(count: number, percent: number): number {
  return (count * percent) / 100;
}

/** Between two items: V07. A join that is met by less than all is met at once; one that cannot be met any more, or past what is tolerated, is lost at once. */
export function itemsVerdict(map: MapStep, items: Items): ItemsVerdict {
  const { count, needed, no, succeeded } = items;
  const left = count - no;
  if (succeeded + left < needed || no - succeeded > toleratedOf(map, count))
    return left === 0 || map.siblings !== 'finish' ? 'lost' : 'next';
  return succeeded >= needed && (left === 0 || map.join.kind !== 'all') ? 'won' : 'next';
}

/** What a map's step gives: one entry for each item in the order of the list. */
export function itemsOutput(items: Items, outputs: NonNullable<Items['outputs']>, keys: readonly string[]): Json {
  return keys.map((key, no) => {
    const code = ownValue(items.failed, String(no)) ?? null;
    if (code !== null) return { key, status: 'failed', code, output: null };
    if (no >= items.no) return { key, status: 'stopped', code: null, output: null };
    return { key, status: 'succeeded', code: null, output: ownValue(outputs, String(no)) ?? null };
  });
}

/** The number of the first item whose key another one before it has; null where all differ (V12). */
export function firstDuplicate(keys: readonly string[]): number | null {
  const seen = new Set<string>();
  for (const [no, key] of keys.entries()) {
    if (seen.has(key)) return no;
    seen.add(key);
  }
  return null;
}
