import type { RawMark } from '../read-yaml.ts';
import { isGroup, type Layout, type OwnLine, type WrittenEntry, type WrittenGroup } from './written-node.ts';

/** Puts every comment of a file where it belongs: above an entry, behind it, or at the foot of a map or list. */
export function placeComments(root: WrittenGroup, comments: readonly RawMark[], layout: Layout): void {
  const placer = new Placer(root, layout);
  for (const comment of comments) placer.place(comment);
  liftFromEmpty(root);
}

/** All entries in the order of the file; one that begins where its first member does comes before it. */
function entriesIn(group: WrittenGroup): readonly WrittenEntry[] {
  const all: WrittenEntry[] = [];
  const walk = (inner: WrittenGroup): void => {
    for (const entry of inner.entries) {
      all.push(entry);
      if (isGroup(entry.value)) walk(entry.value);
    }
  };
  walk(group);
  return all;
}

class Placer {
  private readonly root: WrittenGroup;
  private readonly layout: Layout;
  private readonly entries: readonly WrittenEntry[];
  /** How many entries begin before the comment at hand; comments come in the order of the file. */
  private passed = 0;

  constructor(root: WrittenGroup, layout: Layout) {
    this.root = root;
    this.layout = layout;
    this.entries = entriesIn(root);
  }

  place({ start, text }: RawMark): void {
    while ((this.entries[this.passed]?.start ?? Number.POSITIVE_INFINITY) < start) this.passed += 1;
    const before = this.entries[this.passed - 1] ?? null;
    const next = this.entries[this.passed] ?? null;
    const line: OwnLine = { text: text.trimEnd(), isAfterBlank: this.layout.isAfterBlank(start) };
    const isOwnLine = /(?:^|\n)[\s-]*$/.test(this.layout.text.slice(Math.max(0, start - LEAD_MAX), start));
    if (before === null || isOwnLine) this.placeOwnLine(line, start, { before, next });
    else placeTrailing(line, closedBefore(before, start));
  }

  private placeOwnLine(line: OwnLine, start: number, { before, next }: Neighbours): void {
    const flow = before === null ? null : flowAround(before, start);
    if (flow !== null) {
      if (next !== null && next.holder === flow) next.head.push(line);
      else flow.foot.push(line);
      return;
    }
    if (before !== null && beginsAfter(before, start)) {
      before.head.push(line);
      return;
    }
    const foot = this.footFor(this.layout.columnOf(start), { before, next });
    if (foot !== null) foot.foot.push(line);
    else if (next !== null) next.head.push(line);
    else this.root.foot.push(line);
  }

  /** The innermost map or list that has ended before the comment and is not deeper than it. */
  private footFor(column: number, { before, next }: Neighbours): WrittenGroup | null {
    if (before === null || (next !== null && column <= this.layout.columnOf(next.holder.start))) return null;
    for (let group: WrittenGroup | null = before.holder; group !== null; group = group.entry?.holder ?? null) {
      if (next !== null && isWithin(next, group)) return null;
      if (!group.isFlow && this.layout.columnOf(group.start) <= column) return group;
    }
    return null;
  }
}

interface Neighbours {
  readonly before: WrittenEntry | null;
  readonly next: WrittenEntry | null;
}

function isWithin({ start }: WrittenEntry, group: WrittenGroup): boolean {
  return group.start <= start && start < group.end;
}

/** A line's lead is looked at so far back; what is longer is no lead. */
const LEAD_MAX = 256;

/** Whether a comment stands between an entry's name and its value, which is no map or list in a block. */
function beginsAfter({ value }: WrittenEntry, start: number): boolean {
  return value.start > start && !(isGroup(value) && !value.isFlow);
}

/** The innermost `{ }` or `[ ]` that a place lies in. */
function flowAround(entry: WrittenEntry, at: number): WrittenGroup | null {
  const inside = (group: WrittenGroup): boolean => group.isFlow && group.start < at && at < group.end;
  if (isGroup(entry.value) && inside(entry.value)) return entry.value;
  for (let group: WrittenGroup | null = entry.holder; group !== null; group = group.entry?.holder ?? null) {
    if (inside(group)) return group;
  }
  return null;
}

/** The entry whose line a place is on: behind a closing bracket it is the one that holds the bracket. */
function closedBefore(entry: WrittenEntry, at: number): WrittenEntry {
  const { holder } = entry;
  return holder.isFlow && holder.end <= at && holder.entry !== null ? closedBefore(holder.entry, at) : entry;
}

function placeTrailing(line: OwnLine, entry: WrittenEntry): void {
  if (entry.trailing === null) entry.trailing = line.text;
  else entry.head.push({ ...line, isAfterBlank: false });
}

/** `{ }` and `[ ]` have no lines: what is said inside stands above what holds them. */
function liftFromEmpty(group: WrittenGroup): void {
  for (const entry of group.entries) {
    if (!isGroup(entry.value)) continue;
    if (entry.value.entries.length === 0) entry.head.push(...entry.value.foot.splice(0));
    else liftFromEmpty(entry.value);
  }
}

/** What begins on the line of a dash has no room above it: comments about it stand above the dash. */
export function liftAboveDashes(group: WrittenGroup): void {
  for (const entry of group.entries) {
    if (!isGroup(entry.value)) continue;
    liftAboveDashes(entry.value);
    const [first] = entry.value.entries;
    if (entry.key !== null || entry.value.anchor !== null || first === undefined) continue;
    const [line, ...more] = first.head.splice(0);
    if (line === undefined) continue;
    entry.head.push({ ...line, isAfterBlank: entry.isAfterBlank }, ...more);
    entry.isAfterBlank = false;
  }
}
