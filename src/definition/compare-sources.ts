import { cutText } from '../model/cut-text.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { readYamlFile } from './read-yaml-file.ts';
import { childPointer } from './source-map.ts';
import { isObject } from './yaml-node.ts';

/** A place in which two files of a workflow differ; null = it is not there. Texts are cut. */
export interface Difference {
  /** A JSON pointer, in which steps go by their `id`, and `#2` is the second without one. */
  readonly place: string;
  readonly before: string | null;
  readonly after: string | null;
}

const SHOWN_MAX = 40;
/** Keys that are no part of a version's content. */
const OUTSIDE: readonly string[] = ['title', 'description', 'labels'];

/** The places in which the second of two readable files differs from the first, in file order. */
export function compareSources(before: string, after: string): readonly Difference[] {
  const [one, other] = [before, after].map((text) => contentOf(readYamlFile(text, '').value));
  return compare('', one, other);
}

function contentOf(value: Json | undefined): Json | undefined {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !OUTSIDE.includes(key)));
}

function compare(place: string, before: Json | undefined, after: Json | undefined): readonly Difference[] {
  const [one, other] = [membersOf(before), membersOf(after)];
  if (one === null || other === null || Array.isArray(before) !== Array.isArray(after)) {
    return JSON.stringify(before) === JSON.stringify(after)
      ? []
      : [{ place, before: shown(before), after: shown(after) }];
  }
  const found = [...new Set([...Object.keys(other), ...Object.keys(one)])].flatMap((key) =>
    compare(childPointer(place, key), one[key], other[key]),
  );
  const [was, is] = [Object.keys(one).join(', '), Object.keys(other).join(', ')];
  const isMoved = found.length === 0 && Array.isArray(before) && was !== is;
  return isMoved ? [{ place, before: shorten(was), after: shorten(is) }] : found;
}

/** What is in a map or list by name; null for anything else. */
function membersOf(value: Json | undefined): JsonObject | null {
  if (value === undefined || value === null || typeof value !== 'object') return null;
  if (isObject(value)) return value;
  const items: readonly Json[] = value as readonly Json[];
  const hasIds = items.some((item) => idOf(item) !== null);
  let unnamed = 0;
  // Counted among themselves: one that comes or goes elsewhere in the list makes no other.
  const nameOf = (item: Json): string => idOf(item) ?? (hasIds ? `#${++unnamed}` : String(unnamed++));
  return Object.fromEntries(items.map((item) => [nameOf(item), item]));
}

function idOf(item: Json): string | null {
  const id = isObject(item) ? item['id'] : undefined;
  return typeof id === 'string' ? id : null;
}

function shown(value: Json | undefined): string | null {
  if (value === undefined) return null;
  return shorten(typeof value === 'string' ? value : JSON.stringify(value));
}

function shorten(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${cutText(text, SHOWN_MAX)}…`;
}
