import type { MapStep } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { withoutKey } from '../model/own-value.ts';
import type { Failure, Items, RunData } from '../model/run.ts';
import { failingAt, withFailing } from './branches.ts';
import { compute, computedBefore, failingOutward, type Turn } from './compute.ts';
import { mapOf } from './compute-items.ts';
import { itemsOf, itemsOutput, OUTPUTS_KEPT_MAX, toleratedOf } from './items.ts';
import type { FailureSource } from './kernel-names.ts';
import { bodyListId } from './outline.ts';

/** Most failed items that a failure names one by one; of more the codes are kept only where they are told in an output. */
const NAMED_MAX = 100;

/** A map and the list of its body. */
interface MapBody {
  readonly step: string;
  readonly list: string;
}

/** A map begins: its items are counted, and kept where they may be others later. */
export function enterItems(turn: Turn, data: RunData, { step, list }: MapBody): RunData {
  const computed = computedBefore(turn, data, { kind: 'items', step });
  invariant(computed.ok, 'items that could not be computed', { step });
  return withItems(data, list, firstItems(turn, step, computed.value as JsonObject));
}

/** The next item begins. @param data without what the item before it has left in its steps. */
export function beginItem(turn: Turn, data: RunData, { step, list }: MapBody): RunData {
  const computed = computedBefore(turn, data, { kind: 'item', step });
  invariant(computed.ok, 'an item that could not be computed', { step });
  const { key, value } = computed.value as { readonly key: string; readonly value: Json };
  const { lost: _lost, ...before } = itemsOf(data, list);
  return withItems(data, list, { ...before, key, value });
}

/** The present item has succeeded. */
export function endItem(data: RunData, list: string, output: Json): RunData {
  const before = itemsOf(data, list);
  const after: Items = { ...before, no: before.no + 1, succeeded: before.succeeded + 1 };
  const outputs = before.outputs === undefined ? {} : { outputs: { ...before.outputs, [before.no]: output } };
  return withItems(data, list, { ...after, ...outputs });
}

/** The present item has failed. @param at `crossed`: running catches that its failure leaves, innermost first. */
export function loseItem(
  { program }: Turn,
  data: RunData,
  { step, list, crossed }: MapBody & { readonly crossed: readonly string[] },
): RunData {
  const failure = failingOutward(data, failingAt(program, data, step), crossed);
  invariant(failure !== null, 'an item that is lost without a failure', { list });
  const before = itemsOf(data, list);
  const isTold = before.outputs !== undefined || before.no - before.succeeded < NAMED_MAX;
  const failed = isTold ? { ...before.failed, [before.no]: failure.code } : before.failed;
  const after: Items = { failure, ...before, lost: failure, no: before.no + 1, failed };
  const caught = crossed.reduce(withoutKey, data.caught);
  return withItems({ ...withFailing(program, data, step, null), caught }, list, after);
}

/** A map is done: what it gave is its output from now on, and the numbers still tell how many there were. */
export function closeItems(data: RunData, step: string): RunData {
  const list = bodyListId(step, 'item');
  const { count, needed, no, key, succeeded } = itemsOf(data, list);
  return withItems(data, list, { count, needed, no, key, value: null, succeeded, failed: {} });
}

/** What became of each item; absent where nobody reads it and it is long: it would be written again with every transition. */
export function mappedOutput(turn: Turn, data: RunData, step: string): Json | undefined {
  const items = itemsOf(data, bodyListId(step, 'item'));
  if (items.outputs === undefined) return undefined;
  const keys = compute(turn, data, { kind: 'keys', step });
  invariant(keys.ok, 'keys that could be computed before', { step });
  return itemsOutput(items, items.outputs, keys.value as readonly string[]);
}

/** Why a map has failed. */
export function itemsFailure(turn: Turn, data: RunData, step: string | null, source: FailureSource): Failure {
  invariant(step !== null, 'items of no step');
  if (source.kind !== 'duplicate-item') return lostFailure(mapOf(turn.program, step), data);
  const computed = computedBefore(turn, data, source.of);
  invariant(computed.ok, 'a key that two items have was computed', { step });
  const { key, duplicate } = computed.value as { readonly key: string; readonly duplicate: number };
  const message = `two items of step ${step} have the key ${JSON.stringify(key)}`;
  const said = { key, index: duplicate };
  return { code: 'duplicate-item', class: 'duplicate-item', message, step, data: said, cause: null };
}

function withItems(data: RunData, list: string, items: Items): RunData {
  return { ...data, items: { ...data.items, [list]: items } };
}

function firstItems({ program }: Turn, step: string, known: JsonObject): Items {
  const count = Number(known['count']);
  const list = known['list'];
  return {
    ...{ count, needed: Number(known['needed']), no: 0, key: '', value: null, succeeded: 0, failed: {} },
    ...(Array.isArray(list) ? { list } : {}),
    ...(count <= OUTPUTS_KEPT_MAX || program.isRead(step) ? { outputs: {} } : {}),
  };
}

/** Where more have failed than may, the first failure is that of the map; else no way is left to as many as were asked for (V07). */
function lostFailure(map: MapStep, data: RunData): Failure {
  const { id } = map;
  const { count, needed, no, succeeded, failed, failure } = itemsOf(data, bodyListId(id, 'item'));
  const codes = Object.entries(failed);
  const items = codes.slice(0, NAMED_MAX).map(([no, code]) => ({ index: Number(no), code }));
  const told = { failed: no - succeeded, of: count, items };
  if (no - succeeded > toleratedOf(map, count) && failure !== undefined)
    return { ...failure, data: failure.data ?? told, step: id, cause: failure };
  const named = codes.slice(0, 10).map(([no, code]) => `${no}: ${code}`);
  const message = `of ${count} items of step ${id} ${needed} had to succeed; failed: ${named.join(', ') || 'none'}`;
  return { code: 'impossible', class: 'impossible', message, step: id, data: told, cause: null };
}
