import type { RawAlias, RawList, RawMap, RawMark, RawNode, RawScalar } from '../read-yaml.ts';

/** A comment on a line of its own, and whether an empty line stands before it. */
export interface OwnLine {
  readonly text: string;
  readonly isAfterBlank: boolean;
}

/** A member of a map or an item of a list, with what its author wrote around it. */
export interface WrittenEntry {
  /** Null for an item of a list. */
  readonly key: RawScalar | null;
  readonly value: WrittenNode;
  readonly start: number;
  /** The map or list that holds it. */
  readonly holder: WrittenGroup;
  /** Comments on the lines above it. */
  readonly head: OwnLine[];
  /** The comment behind it, on its line. */
  trailing: string | null;
  isAfterBlank: boolean;
}

/** A map or list with its entries; `foot` are the comments behind the last of them. */
export interface WrittenGroup {
  readonly kind: 'map' | 'list';
  readonly start: number;
  readonly end: number;
  /** Whether it is written in `{ }` or `[ ]`. */
  readonly isFlow: boolean;
  readonly anchor: RawMark | null;
  /** Null for the whole file. */
  readonly entry: WrittenEntry | null;
  readonly entries: WrittenEntry[];
  readonly foot: OwnLine[];
}

/** A value as it is written. */
export type WrittenNode = WrittenGroup | RawScalar | RawAlias;

/** Whether a value is a map or a list. */
export function isGroup(node: WrittenNode): node is WrittenGroup {
  return node.kind === 'map' || node.kind === 'list';
}

/** The lines of a text, as far as layout asks about them. */
export interface Layout {
  readonly text: string;
  /** Whether an empty line stands before the line of an offset that nothing but blanks and dashes precede on it. */
  isAfterBlank(offset: number): boolean;
  /** 0-based. */
  columnOf(offset: number): number;
}

/** Reads where lines begin. @param kept parts whose empty lines are content: texts of `|+` and `>+`. */
export function createLayout(text: string, kept: readonly (readonly [start: number, end: number])[]): Layout {
  const startOf = (offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
  return {
    text,
    columnOf: (offset) => offset - startOf(offset),
    isAfterBlank: (offset) => {
      const start = startOf(offset);
      if (!/^[\s-]*$/.test(text.slice(start, offset))) return false;
      const before = text.slice(startOf(start - 1), start);
      return start > 0 && before.trim() === '' && !kept.some(([from, to]) => from < start && start <= to);
    },
  };
}

/** The tree of a file with its entries in the order of the file; comments are put in by `placeComments`. */
export function writtenTree(root: RawMap | RawList, layout: Layout): WrittenGroup {
  return groupOf(root, null, layout);
}

function groupOf(node: RawMap | RawList, entry: WrittenEntry | null, layout: Layout): WrittenGroup {
  const { kind, start, end, anchor } = node;
  const isFlow = layout.text[start] === '{' || layout.text[start] === '[';
  const group: WrittenGroup = { kind, start, end, isFlow, anchor, entry, entries: [], foot: [] };
  const members: readonly { readonly key: RawNode | null; readonly value: RawNode }[] =
    node.kind === 'map' ? node.entries : node.items.map((value) => ({ key: null, value }));
  for (const { key, value } of members) addEntry(group, key?.kind === 'scalar' ? key : null, value, layout);
  return group;
}

function addEntry(holder: WrittenGroup, key: RawScalar | null, raw: RawNode, layout: Layout): void {
  const start = key?.start ?? raw.anchor?.start ?? raw.start;
  const isFirst = holder.entries.length === 0;
  const base = { key, start, holder, head: [], trailing: null, isAfterBlank: !isFirst && layout.isAfterBlank(start) };
  if (raw.kind === 'scalar' || raw.kind === 'alias') {
    holder.entries.push({ ...base, value: raw });
    return;
  }
  const entry: { -readonly [Name in keyof WrittenEntry]: WrittenEntry[Name] } = { ...base, value: NOTHING };
  entry.value = groupOf(raw, entry, layout);
  holder.entries.push(entry);
}

const NOTHING: RawScalar = {
  kind: 'scalar',
  start: 0,
  end: 0,
  tag: null,
  anchor: null,
  style: 'empty',
  text: '',
  value: null,
};
