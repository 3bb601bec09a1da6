import type { Json, JsonObject } from '../model/json.ts';
import { childPointer } from './source-map.ts';

/** A value of the parsed file together with its pointer; readers give null where the type is another (the schema has said so). */
export interface YamlNode {
  readonly value: Json;
  readonly pointer: string;
}

/** Whether a value is a JSON object. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of a map; null where there is none or the value is no map. */
export function child(node: YamlNode | null, key: string): YamlNode | null {
  if (node === null || !isObject(node.value) || !Object.hasOwn(node.value, key)) return null;
  const value = node.value[key];
  return value === undefined ? null : { value, pointer: childPointer(node.pointer, key) };
}

/** The items of a list; empty where the value is no list. */
export function itemsOf(node: YamlNode | null): readonly YamlNode[] {
  if (node === null || !Array.isArray(node.value)) return [];
  const list: readonly Json[] = node.value;
  return list.map((value, index) => ({ value, pointer: childPointer(node.pointer, index) }));
}

/** The members of a map in file order; empty where the value is no map. */
export function entriesOf(node: YamlNode | null): readonly (readonly [string, YamlNode])[] {
  if (node === null || !isObject(node.value)) return [];
  return Object.entries(node.value).map(
    ([key, value]) => [key, { value, pointer: childPointer(node.pointer, key) }] as const,
  );
}

/** The text of a string node, else null. */
export function textOf(node: YamlNode | null): string | null {
  return node !== null && typeof node.value === 'string' ? node.value : null;
}

/** The number of a number node, else null. */
export function numberOf(node: YamlNode | null): number | null {
  return node !== null && typeof node.value === 'number' ? node.value : null;
}

/** One of a closed list of words, else the fallback. */
export function wordOf<Word extends string>(node: YamlNode | null, words: readonly Word[], fallback: Word): Word {
  const text = textOf(node);
  return words.find((word) => word === text) ?? fallback;
}
