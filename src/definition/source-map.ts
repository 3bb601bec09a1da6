import { elementAt } from '../model/element-at.ts';
import type { SourceRange } from '../model/problem.ts';
import { type NodeStyle, scalarOffsets } from './scalar-offsets.ts';

/** Where one node stands, as UTF-16 offsets into the normalized text (no BOM, LF only); ends are exclusive. */
export interface NodePosition {
  /** The key before it; null for list items and the root. */
  readonly key: readonly [start: number, end: number] | null;
  readonly value: readonly [start: number, end: number];
  readonly style: NodeStyle;
  /** Decoded text of a scalar, null for collections. */
  readonly text: string | null;
}

/** Finds the place in the file for every node of a definition, by JSON pointer. */
export interface SourceMap {
  readonly file: string;
  /** Whether the file has a node at this pointer. */
  has(pointer: string): boolean;
  /** Range of the node's value; of the nearest enclosing node when the file has none there. */
  valueRange(pointer: string): SourceRange;
  /** Range of the node's key; of its value when it has none. */
  keyRange(pointer: string): SourceRange;
  /** Range of `text.slice(start, end)` of a scalar's decoded text (UTF-16 units), through quotes, escapes and folding. */
  insideRange(pointer: string, start: number, end: number): SourceRange;
  /** Range of a part of the normalized file, UTF-16 offsets. */
  offsetRange(start: number, end: number): SourceRange;
  /** The value as it is written, quotes included; null where there is no node. */
  sourceText(pointer: string): string | null;
  /** A scalar's decoded text; null where there is no scalar. */
  scalarText(pointer: string): string | null;
  /** The file in which a node is written, and its pointer there: an embedded one stands in a file of its own. */
  homeOf(pointer: string): { readonly file: string; readonly pointer: string };
  /** Every scalar's decoded text, in file order. */
  scalars(): Iterable<readonly [pointer: string, text: string]>;
}

/** Everything a source map is made of. */
export interface SourceMapParts {
  readonly file: string;
  /** Normalized text: no BOM, line ends are LF. */
  readonly text: string;
  readonly nodes: ReadonlyMap<string, NodePosition>;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Turns offsets of a text into 1-based lines and columns. */
export function createRangeFinder(text: string): (start: number, end: number) => SourceRange {
  const starts = lineStarts(text);
  const locate = (offset: number): { line: number; column: number } => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (elementAt(starts, middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - elementAt(starts, low) + 1 };
  };
  return (start, end) => {
    const from = locate(Math.min(Math.max(start, 0), text.length));
    const to = locate(Math.min(Math.max(end, start, 0), text.length));
    return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
  };
}

/** The pointer of the enclosing node; the root encloses itself. */
export function parentPointer(pointer: string): string {
  const slash = pointer.lastIndexOf('/');
  return slash <= 0 ? '' : pointer.slice(0, slash);
}

/** One more reference token on a JSON pointer, escaped by RFC 6901. */
export function childPointer(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The last reference token of a JSON pointer, unescaped; empty for the root. */
export function lastToken(pointer: string): string {
  return pointer
    .slice(pointer.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
}

/** Whether a pointer or a node around it is among those given. */
export function isInside(pointer: string, nodes: ReadonlySet<string>): boolean {
  for (let at = pointer; at !== ''; at = parentPointer(at)) if (nodes.has(at)) return true;
  return nodes.has('');
}

/** Where everything is in a file that could not be read. */
const START: NodePosition = { key: null, value: [0, 0], style: 'empty', text: null };

/** Builds the map of one file. */
export function createSourceMap(parts: SourceMapParts): SourceMap {
  const { file, text, nodes } = parts;
  const range = createRangeFinder(text);
  const nearest = (pointer: string): NodePosition => {
    let at = pointer;
    while (at !== '' && !nodes.has(at)) at = parentPointer(at);
    return nodes.get(at) ?? START;
  };
  const headOf = (position: NodePosition): SourceRange => {
    const [start, end] = position.value;
    return range(start, end);
  };
  const keyOf = (pointer: string): SourceRange => {
    const around = nearest(pointer);
    return around.key === null ? headOf(around) : range(around.key[0], around.key[1]);
  };
  return {
    file,
    has: (pointer) => nodes.has(pointer),
    valueRange: (pointer) => {
      const exact = nodes.get(pointer);
      return exact === undefined ? keyOf(pointer) : headOf(exact);
    },
    keyRange: keyOf,
    insideRange: (pointer, start, end) => {
      const position = nearest(pointer);
      if (position.text === null) return headOf(position);
      const offsets = scalarOffsets(text.slice(position.value[0], position.value[1]), position.text, position.style);
      const at = (index: number): number =>
        position.value[0] + elementAt(offsets, Math.min(Math.max(index, 0), offsets.length - 1));
      const from = at(start);
      return range(from, end > start ? Math.max(at(end - 1) + 1, from) : from);
    },
    offsetRange: range,
    sourceText: (pointer) => {
      const position = nodes.get(pointer);
      return position === undefined ? null : text.slice(position.value[0], position.value[1]);
    },
    scalarText: (pointer) => nodes.get(pointer)?.text ?? null,
    homeOf: (pointer) => ({ file, pointer }),
    *scalars() {
      for (const [pointer, position] of nodes) if (position.text !== null) yield [pointer, position.text] as const;
    },
  };
}
