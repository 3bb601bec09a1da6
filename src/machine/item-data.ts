import type { MapStep } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { withoutKey } from '../model/own-value.ts';
import type { Failure, Items, RunData } from '../model/run.ts';
import { failingAt, failureIn, withFailing } from './branches.ts';
import { compute, computedBefore, failingOutward, type Turn } from './compute.ts';
import { mapOf } from './compute-items.ts';
import {
  failedOf,
  itemsOf,
  itemsOutput,
  NAMED_MAX,
  OUTPUTS_KEPT_MAX,
  toleratedOf,
  withFailed,
  withItems,
} from './items.ts';
import type { FailureSource } from './kernel-names.ts';
import { endLaneItem, FIRST_LANES, laneItem, loseLaneItem, withLaneItem, withoutLanes } from './lane-data.ts';
import { authorOf } from './lane-steps.ts';
import { bodyListId, isLaneList } from './outline.ts';

/** A map and the list of its body. */
interface MapBody {
  readonly step: string;
  readonly list: string;
}

/** A map begins: its items are counted, and kept where they may be others later. */
export function enterItems(turn: Turn, data: RunData, { step, list }: MapBody): RunData {
  const computed = computedBefore(turn, data, { kind: 'items', step });
  invariant(computed.ok, 'items that could not be computed', { step });
  const first = firstItems(turn, step, computed.value as JsonObject);
  const map = mapOf(turn.program, step);
  if (map.lanes === undefined) return withItems(data, list, first);
  return withItems(withoutLanes(map, data), list, { ...first, lanes: FIRST_LANES });
}

/** The next item begins. @param data without what the item before it has left in its steps. */
export function beginItem(turn: Turn, data: RunData, { step, list }: MapBody): RunData {
  const isLane = isLaneList(list);
  const computed = computedBefore(turn, data, { kind: 'item', step, ...(isLane ? { list } : {}) });
  invariant(computed.ok, 'an item that could not be computed', { step });
  const { key, value } = computed.value as { readonly key: string; readonly value: Json };
  if (isLane) return withLaneItem(data, list, { no: laneItem(data, list).no, key, value });
  const { lost: _lost, ...before } = itemsOf(data, list);
  return withItems(data, list, { ...before, key, value });
}

/** The present item has succeeded. */
export function endItem(turn: Turn, data: RunData, { step, list }: MapBody, output: Json): RunData {
  if (isLaneList(list)) return endLaneItem(mapOf(turn.program, step), data, { list, output });
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
  const failure = failingOutward(data, failingIn(program, data, { step, list }), crossed);
  invariant(failure !== null, 'an item that is lost without a failure', { list });
  if (isLaneList(list)) {
    const lost = loseLaneItem(mapOf(program, step), data, { list, failure });
    return { ...lost, caught: crossed.reduce(withoutKey, data.caught) };
  }
  const before = itemsOf(data, list);
  const failed = withFailed(before, before.no, failure.code);
  const after: Items = { failure, ...before, lost: failure, no: before.no + 1, failed };
  const caught = crossed.reduce(withoutKey, data.caught);
  return withItems({ ...withFailing(program, data, step, null), caught }, list, after);
}

/** The failure that is being routed in an item: that of its lane, or of where its map stands. */
function failingIn(program: Turn['program'], data: RunData, { step, list }: MapBody): Failure | null {
  return isLaneList(list) ? failureIn(data, list) : failingAt(program, data, step);
}

/** A map is done: what it gave is its output from now on, and the numbers still tell how many there were. */
export function closeItems({ program }: Turn, data: RunData, step: string): RunData {
  const list = bodyListId(step, 'item');
  const { count, needed, no, key, succeeded } = itemsOf(data, list);
  const closed = withItems(data, list, { count, needed, no, key, value: null, succeeded, failed: {} });
  return withoutLanes(mapOf(program, step), closed);
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
  const message = `two items of step ${authorOf(step)} have the key ${JSON.stringify(key)}`;
  const said = { key, index: duplicate };
  return { code: 'duplicate-item', class: 'duplicate-item', message, step, data: said, cause: null };
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
  const items = itemsOf(data, bodyListId(id, 'item'));
  const { count, needed, failed, failure } = items;
  const codes = Object.entries(failed);
  const lost = codes.slice(0, NAMED_MAX).map(([no, code]) => ({ index: Number(no), code }));
  const told = { failed: failedOf(items), of: count, items: lost };
  if (failedOf(items) > toleratedOf(map, count) && failure !== undefined)
    return { ...failure, data: failure.data ?? told, step: id, cause: failure };
  const named = codes.slice(0, 10).map(([no, code]) => `${no}: ${code}`);
  const message = `of ${count} items of step ${authorOf(id)} ${needed} had to succeed; failed: ${named.join(', ') || 'none'}`;
  return { code: 'impossible', class: 'impossible', message, step: id, data: told, cause: null };
}
