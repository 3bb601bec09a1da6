import type { RawAlias, RawScalar } from '../read-yaml.ts';
import { keyText, scalarLines } from './scalar-text.ts';
import { isGroup, type OwnLine, type WrittenEntry, type WrittenGroup, type WrittenNode } from './written-node.ts';

/** The longest line that `{ }` and `[ ]` may make; what is longer, or has comments inside, is written as a block. */
const WIDTH_MAX = 120;
const INDENT = 2;
/** Blanks before a comment behind a value. */
const BEFORE_COMMENT = '  ';

/** The lines of a file. @param source the text that the tree was read from. */
export function printTree(root: WrittenGroup, source: string): readonly string[] {
  return new Printer(source).block(root, 0);
}

class Printer {
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** The lines of a map or list in a block, as if at the margin. @param depth how deep it will stand. */
  block(group: WrittenGroup, depth: number): string[] {
    const lines: string[] = [];
    const own = ({ text, isAfterBlank }: OwnLine): void => {
      if (isAfterBlank && lines.length > 0) lines.push('');
      lines.push(text);
    };
    for (const entry of group.entries) {
      entry.head.forEach(own);
      if (entry.isAfterBlank && lines.length > 0) lines.push('');
      lines.push(...this.entry(entry, depth));
    }
    group.foot.forEach(own);
    return lines;
  }

  private entry(entry: WrittenEntry, depth: number): readonly string[] {
    const lead = leadOf(entry, this.source);
    const { value, trailing } = entry;
    if (!isGroup(value)) return this.scalar(lead, value, trailing);
    const inline = value.isFlow ? this.inline(value) : null;
    const fits = inline !== null && depth + lead.length + 1 + inline.length <= WIDTH_MAX;
    if (fits || value.entries.length === 0) return [withTrailing(`${lead} ${inline ?? ''}`, trailing)];
    return this.group(entry, lead, value, depth);
  }

  private scalar(lead: string, value: RawScalar | RawAlias, trailing: string | null): readonly string[] {
    const [first = '', ...more] = value.kind === 'alias' ? [`*${value.name}`] : scalarLines(value, this.source);
    const line = first === '' ? lead : `${lead} ${first}`;
    // A text that goes on over lines has no room for a comment but behind the header of a block.
    if (trailing !== null && more.length > 0 && !isHeader(first)) return [trailing, line, ...more];
    return [withTrailing(line, trailing), ...more];
  }

  /** A map or list below its key, or beginning on the line of its dash. */
  private group(entry: WrittenEntry, lead: string, value: WrittenGroup, depth: number): readonly string[] {
    const [first, ...others] = value.entries;
    if (entry.key !== null || value.anchor !== null || first === undefined) {
      const anchor = value.anchor === null ? '' : ` ${value.anchor.text}`;
      return [withTrailing(`${lead}${anchor}`, entry.trailing), ...indented(this.block(value, depth + INDENT))];
    }
    const isTaken = first.trailing !== null;
    const opening = { ...first, trailing: first.trailing ?? entry.trailing };
    const [line = '', ...more] = this.block({ ...value, entries: [opening, ...others] }, depth + INDENT);
    const above = isTaken && entry.trailing !== null ? [entry.trailing] : [];
    return [...above, `${lead} ${line}`, ...indented(more)];
  }

  /** A value on one line; null where it cannot be. */
  private inline(node: WrittenNode): string | null {
    if (node.kind === 'alias') return `*${node.name}`;
    if (node.kind === 'scalar') return node.style === 'empty' ? null : onlyOf(scalarLines(node, this.source));
    if (node.foot.length > 0) return null;
    const parts: string[] = [];
    for (const entry of node.entries) {
      // A key without value is one in a block only: `{ a: }` puzzles its readers.
      const value = entry.head.length > 0 || entry.trailing !== null ? null : this.inline(entry.value);
      if (value === null) return null;
      parts.push(entry.key === null ? value : `${keyText(entry.key, this.source)}: ${value}`);
    }
    const anchor = node.anchor === null ? '' : `${node.anchor.text} `;
    return `${anchor}${node.kind === 'list' ? `[${parts.join(', ')}]` : bracesOf(parts)}`;
  }
}

function leadOf({ key }: WrittenEntry, source: string): string {
  return key === null ? '-' : `${keyText(key, source)}:`;
}

function onlyOf(lines: readonly string[]): string | null {
  const [line = '', ...more] = lines;
  return more.length > 0 ? null : line;
}

/** Whether a value begins a block of text: a plain text begins with neither sign. */
function isHeader(line: string): boolean {
  return /^[|>]/.test(line);
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line === '' ? '' : ' '.repeat(INDENT) + line));
}

function bracesOf(parts: readonly string[]): string {
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function withTrailing(line: string, trailing: string | null): string {
  return trailing === null ? line : `${line}${BEFORE_COMMENT}${trailing}`;
}
