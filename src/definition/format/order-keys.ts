import { FILE_PARTS, type FilePart } from '../generated/file-parts.generated.ts';
import type { RawNode } from '../read-yaml.ts';
import { isGroup, type WrittenEntry, type WrittenGroup, type WrittenNode } from './written-node.ts';

/**
 * Puts the keys of each part of a file into the order of the reference; keys that it does not name follow as they were.
 * Members of the author's own maps stay where they are, and so does everything in a map in which an alias would lose its anchor.
 * @param part name of the part that the group is, as `workflow`; null orders nothing.
 */
export function orderKeys(group: WrittenGroup, part: string | null): void {
  const known = part === null ? undefined : FILE_PARTS[part];
  if (known === undefined) return;
  for (const entry of group.entries) if (isGroup(entry.value)) orderKeys(entry.value, partOf(entry, known));
  const names = Object.keys(known.keys);
  if (group.kind === 'list' || names.length === 0) return;
  const rank = (entry: WrittenEntry): number => {
    const at = names.indexOf(entry.key?.text ?? '');
    return at === -1 ? names.length : at;
  };
  const ordered = [...group.entries].sort((a, b) => rank(a) - rank(b));
  if (meansTheSame(group.entries, ordered)) group.entries.splice(0, ordered.length, ...ordered);
}

function partOf({ key }: WrittenEntry, { keys, items, each }: FilePart): string | null {
  if (key === null) return items;
  return Object.hasOwn(keys, key.text) ? (keys[key.text] ?? null) : each;
}

/** Whether every alias stands for the same value in both orders, also those that come later in the file. */
function meansTheSame(written: readonly WrittenEntry[], ordered: readonly WrittenEntry[]): boolean {
  const before = meanings(written);
  const after = meanings(ordered);
  return before.size === after.size && [...before].every(([mark, anchor]) => after.get(mark) === anchor);
}

type Meaning = number | undefined;

/** What each alias stands for, and what each name stands for in the end; anchors by their place in the file. */
function meanings(entries: readonly WrittenEntry[]): ReadonlyMap<RawNode | string, Meaning> {
  const names = new Map<string, number>();
  const found = new Map<RawNode | string, Meaning>();
  const walk = (node: WrittenNode): void => {
    if (node.kind === 'alias') found.set(node, names.get(node.name));
    if (!isGroup(node)) return;
    if (node.anchor !== null) names.set(node.anchor.text.slice(1), node.anchor.start);
    for (const { value } of node.entries) walk(value);
  };
  for (const { value } of entries) walk(value);
  for (const [name, anchor] of names) found.set(name, anchor);
  return found;
}
