import type { MapStep, Step } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { ownValue, withoutKey } from '../model/own-value.ts';
import type { Failure, Items, LaneItem, Lanes, RunData } from '../model/run.ts';
import { allSteps } from '../model/step-lists.ts';
import { itemsOf, itemsVerdict, withFailed, withItems } from './items.ts';
import { isCopy, laneSteps } from './lane-steps.ts';
import { bodyListId } from './outline.ts';

/** The lanes of a map that begins. */
export const FIRST_LANES: Lanes = { under: 0, over: 0, won: false, stopping: false, way: null, stopped: [] };

/** The item of a lane. @throws PAWL_INVARIANT where it has none. */
export function laneItem(data: RunData, list: string): LaneItem {
  const item = ownValue(data.lanes ?? {}, list);
  invariant(item !== undefined, 'a lane without an item', { list });
  return item;
}

/** The data with the item of a lane. */
export function withLaneItem(data: RunData, list: string, item: LaneItem): RunData {
  return { ...data, lanes: { ...data.lanes, [list]: item } };
}

/** How the lanes of a map stand. @throws PAWL_INVARIANT where it has none. */
export function lanesOf(data: RunData, step: string): Lanes {
  const { lanes } = itemsOf(data, bodyListId(step, 'item'));
  invariant(lanes !== undefined, 'lanes that never began', { step });
  return lanes;
}

/** The data with some of what is known of a map's lanes. */
export function withLanesOf(data: RunData, step: string, patch: Partial<Lanes>): RunData {
  const list = bodyListId(step, 'item');
  return withItems(data, list, { ...itemsOf(data, list), lanes: { ...lanesOf(data, step), ...patch } });
}

/** Whether there is an item that nobody has begun, and it is wanted. */
export function isClaimable(map: MapStep, data: RunData): boolean {
  const items = itemsOf(data, bodyListId(map.id, 'item'));
  return items.no < items.count && !lanesOf(data, map.id).stopping && itemsVerdict(map, items) === 'next';
}

/** A lane takes the next item; it gets none where others of the same moment have taken the last. */
export function claimItem(map: MapStep, data: RunData, list: string): RunData {
  const free = withoutItem(data, list);
  if (!isClaimable(map, free)) return free;
  const counted = bodyListId(map.id, 'item');
  const items = itemsOf(free, counted);
  const lanes = lanesOf(free, map.id);
  const claimed = { ...items, no: items.no + 1, lanes: { ...lanes, under: lanes.under + 1 } };
  return withLaneItem(withItems(free, counted, claimed), list, { no: items.no, key: '', value: null });
}

/** The item of a lane has succeeded; of a map that has won already it has lost all the same. */
export function endLaneItem(
  map: MapStep,
  data: RunData,
  { list, output }: { readonly list: string; readonly output: Json },
): RunData {
  const item = laneItem(data, list);
  const items = itemsOf(data, bodyListId(map.id, 'item'));
  const free = withoutItem(data, list);
  if (lanesOf(data, map.id).won) return withEnded(map, free, items, stoppedWith(data, map.id, item));
  const outputs = items.outputs === undefined ? {} : { outputs: { ...items.outputs, [item.no]: output } };
  return withEnded(map, free, { ...items, succeeded: items.succeeded + 1, ...outputs }, {});
}

/** The item of a lane has failed: what it has done may still have to be undone. */
export function loseLaneItem(
  map: MapStep,
  data: RunData,
  { list, failure }: { readonly list: string; readonly failure: Failure },
): RunData {
  const item = laneItem(data, list);
  const items = itemsOf(data, bodyListId(map.id, 'item'));
  const lost = withLaneItem(withoutFailing(data, list), list, { ...item, lost: failure });
  const failed = withFailed({ ...items, lanes: lanesOf(data, map.id) }, item.no, failure.code);
  return withEnded(map, lost, { failure, ...items, failed }, {});
}

/** A lane does nothing any more. What its copies have left is forgotten; those of the first lane keep it, as after any map. */
export function endLane(map: MapStep, data: RunData, list: string): RunData {
  const item = ownValue(data.lanes ?? {}, list);
  const isUnderWay = item !== undefined && item.lost === undefined;
  const items = itemsOf(data, bodyListId(map.id, 'item'));
  const stopped = isUnderWay ? withEnded(map, data, items, stoppedWith(data, map.id, item)) : data;
  const over = withLanesOf(stopped, map.id, { over: lanesOf(stopped, map.id).over + 1 });
  const free = withoutFailing(withoutItem(over, list), list);
  return isCopy(list) ? withoutSteps(free, laneSteps(map, list)) : free;
}

/** The data without what is known of a map's lanes one by one, and without what their copies have left. */
export function withoutLanes({ id, lanes: copies }: MapStep, before: RunData): RunData {
  if (copies === undefined) return before;
  const data = withoutSteps(before, copies.flat());
  const isOwn = (list: string): boolean => list.startsWith(`${id}$b_`);
  const others = <Value>(all: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
    Object.fromEntries(Object.entries(all).filter(([list]) => !isOwn(list)));
  return {
    ...data,
    ...(data.lanes === undefined ? {} : { lanes: others(data.lanes) }),
    ...(data.failingIn === undefined ? {} : { failingIn: others(data.failingIn) }),
  };
}

function stoppedWith(data: RunData, step: string, { key }: LaneItem): Pick<Lanes, 'stopped'> {
  return { stopped: [...lanesOf(data, step).stopped, key] };
}

/** One item less is under way; whether that decides the map is told at once, for those that end at the same moment. */
function withEnded(map: MapStep, data: RunData, items: Items, patch: Partial<Lanes>): RunData {
  const before = lanesOf(data, map.id);
  const lanes = { ...before, ...patch, under: before.under - 1 };
  const won = itemsVerdict(map, { ...items, lanes }) === 'won';
  return withItems(data, bodyListId(map.id, 'item'), { ...items, lanes: { ...lanes, won } });
}

function withoutItem(data: RunData, list: string): RunData {
  return { ...data, lanes: withoutKey(data.lanes ?? {}, list) };
}

function withoutFailing(data: RunData, list: string): RunData {
  return data.failingIn === undefined ? data : { ...data, failingIn: withoutKey(data.failingIn, list) };
}

function withoutSteps(data: RunData, steps: readonly Step[]): RunData {
  return { ...data, steps: allSteps(steps).reduce((left, { id }) => withoutKey(left, id), data.steps) };
}
