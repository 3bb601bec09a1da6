import type { MapStep } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import { ownValue } from '../model/own-value.ts';
import type { Items, RunData } from '../model/run.ts';

/** Whether there is another item, or how the map ends. */
export type ItemsVerdict = 'next' | 'won' | 'lost';

/** Outputs of so many items are kept although no expression reads them: people look at short lists. */
export const OUTPUTS_KEPT_MAX = 100;

/** Most failed items that a failure names one by one; of more the codes are kept only where they are told in an output. */
export const NAMED_MAX = 100;

const NO_ITEMS: Items = { count: 0, needed: 0, no: 0, key: '', value: null, succeeded: 0, failed: {} };

/** The item that is under way in a list: that of its lane, or the present one of its map. */
export function presentItem(data: Pick<RunData, 'items' | 'lanes'>, list: string): Pick<Items, 'no' | 'key' | 'value'> {
  return ownValue(data.lanes ?? {}, list) ?? itemsOf(data, list);
}

/** The items of a map's list. */
export function itemsOf(data: Pick<RunData, 'items'>, list: string): Items {
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

/** The codes of failed items with one more. */
export function withFailed(items: Items, no: number, code: string): Items['failed'] {
  const isTold = items.outputs !== undefined || failedOf(items) < NAMED_MAX;
  return isTold ? { ...items.failed, [no]: code } : items.failed;
}

/** The data with the items of a list as they are now. */
export function withItems(data: RunData, list: string, items: Items): RunData {
  return { ...data, items: { ...data.items, [list]: items } };
}

/** How many items have failed: those that were begun and have not succeeded, are not under way and were not stopped. */
export function failedOf({ no, succeeded, lanes }: Items): number {
  return no - succeeded - (lanes === undefined ? 0 : lanes.under + lanes.stopped.length);
}

/** Between two items: V07. A join that is met by less than all is met at once; one that cannot be met any more, or past what is tolerated, is lost at once. */
export function itemsVerdict(map: MapStep, items: Items): ItemsVerdict {
  const { count, needed, no, succeeded, lanes } = items;
  if (lanes?.won === true) return 'won';
  const left = count - no + (lanes?.under ?? 0);
  if (succeeded + left < needed || failedOf(items) > toleratedOf(map, count))
    return left === 0 || map.siblings !== 'finish' ? 'lost' : 'next';
  return succeeded >= needed && (left === 0 || map.join.kind !== 'all') ? 'won' : 'next';
}

/** What a map's step gives: one entry for each item in the order of the list. */
export function itemsOutput(items: Items, outputs: NonNullable<Items['outputs']>, keys: readonly string[]): Json {
  return keys.map((key, no) => {
    const code = ownValue(items.failed, String(no)) ?? null;
    if (code !== null) return { key, status: 'failed', code, output: null };
    const output = ownValue(outputs, String(no));
    if (output === undefined) return { key, status: 'stopped', code: null, output: null };
    return { key, status: 'succeeded', code: null, output };
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
