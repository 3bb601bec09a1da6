import { dependenciesOf } from '../definition/dependencies.ts';
import type { Scope } from '../definition/evaluator.ts';
import type { MapStep, Template } from '../model/definition.ts';
import { elementAt } from '../model/element-at.ts';
import { invariant, RefusedError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { RunData, RunIdentity } from '../model/run.ts';
import { firstDuplicate, itemsOf, neededOf, presentItem } from './items.ts';
import { authorOf } from './lane-steps.ts';
import { bodyListId } from './outline.ts';
import type { Program } from './program.ts';
import { stepScope, stepSite, withItem } from './scope.ts';

/** Longest list that a map takes, as everywhere in expressions (2-language). */
export const ITEMS_MAX = 10_000;

/** What the list of a map is computed with. */
interface Known {
  readonly program: Program;
  readonly run: RunIdentity;
}

/** The step as a map. @throws PAWL_INVARIANT for any other. */
export function mapOf(program: Program, id: string): MapStep {
  const step = program.step(id);
  invariant(step.verb === 'map', 'not a map step', { step: id });
  return step;
}

/**
 * What is known of a map when it begins: how many items, how many must succeed, the number of an item whose key another
 * one has (null = none), and the list itself where it may be another one later.
 * @throws PAWL_EXPRESSION_FAULT.
 */
export function itemsAtEntry(known: Known, data: RunData, id: string): Json {
  const map = mapOf(known.program, id);
  const list = evaluated(known, data, map);
  const keys = keysIn(known, data, { map, list });
  const needed = neededOf(map, list.length, joinNumber(known, data, map));
  const duplicate = firstDuplicate(keys);
  const kept = readsVars(map) ? list : null;
  return {
    count: list.length,
    needed,
    duplicate,
    key: duplicate === null ? null : elementAt(keys, duplicate),
    list: kept,
  };
}

/** The next item and its key; `list`: the item that this lane has taken. @throws PAWL_EXPRESSION_FAULT. */
export function nextItem(known: Known, data: RunData, id: string, list = bodyListId(id, 'item')): Json {
  const map = mapOf(known.program, id);
  const { no } = presentItem(data, list);
  const value = listOf(known, data, map)[no];
  if (value === undefined) throw fault(`the list of ${authorOf(id)} has lost its item ${no}`);
  return { value, key: keyOf(known, data, { map, value, no }) };
}

/** The keys of all items, in order. @throws PAWL_EXPRESSION_FAULT. */
export function keysOf(known: Known, data: RunData, id: string): readonly string[] {
  const map = mapOf(known.program, id);
  return keysIn(known, data, { map, list: listOf(known, data, map) });
}

/** Only vars can be written while the items are done; a list that reads none is computed again when it is needed. */
function readsVars({ items }: MapStep): boolean {
  return dependenciesOf(items).some(([root]) => root === 'vars');
}

function listOf(known: Known, data: RunData, map: MapStep): readonly Json[] {
  return itemsOf(data, bodyListId(map.id, 'item')).list ?? evaluated(known, data, map);
}

function evaluated({ program, run }: Known, data: RunData, { id, items }: MapStep): readonly Json[] {
  const value = program.evaluator.evaluate(items, stepSite(program, id), stepScope(program, { run, data, step: id }));
  if (!Array.isArray(value))
    throw fault(`\`map\` takes a list; ${value === null ? 'null is none: write or(…, [])' : 'this is none'}`);
  if (value.length > ITEMS_MAX)
    throw fault(`\`map\` takes at most ${ITEMS_MAX} items, and the list has ${value.length}`);
  return value;
}

type KeysAsk = { readonly map: MapStep; readonly list: readonly Json[] };

function keysIn(known: Known, data: RunData, { map, list }: KeysAsk): readonly string[] {
  const { program, run } = known;
  const around = stepScope(program, { run, data, step: map.id });
  return list.map((value, no) => keyIn(known, map, withItem(around, map.as, { value, no })));
}

function keyOf(known: Known, data: RunData, at: { map: MapStep; value: Json; no: number }): string {
  const { program, run } = known;
  const around = stepScope(program, { run, data, step: at.map.id });
  return keyIn(known, at.map, withItem(around, at.map.as, at));
}

function keyIn({ program }: Known, { id, key }: MapStep, scope: Scope): string {
  const value = program.evaluator.evaluate(key, stepSite(program, id), scope);
  if (typeof value === 'string' && value !== '') return value;
  throw fault('the key of an item is a text that is not empty; write string(…) around a number');
}

function joinNumber({ program, run }: Known, data: RunData, { id, join }: MapStep): number {
  const number = numberIn(join);
  if (number === null) return 0;
  const value = program.evaluator.render(number, stepSite(program, id), stepScope(program, { run, data, step: id }));
  if (typeof value === 'number') return value;
  throw fault(`\`${join.kind}\` of a join is a number`);
}

/** The template of a join that names a number; null where it names none. */
export function numberIn(join: MapStep['join']): Template | null {
  if (join.kind === 'percent') return join.percent;
  return join.kind === 'count' ? join.count : null;
}

function fault(message: string): RefusedError {
  return new RefusedError('PAWL_EXPRESSION_FAULT', message);
}
