import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type Scalar,
  type YAMLError,
} from 'yaml';
import { elementAt } from '../model/element-at.ts';
import type { NodeStyle } from './scalar-offsets.ts';

/** How deep lists and maps may be nested in a definition. */
export const DEPTH_MAX = 64;
/** The token types that are a level of nesting. */
const LEVELS: readonly string[] = ['block-map', 'block-seq', 'flow-collection'];

/** A `!tag` or `&anchor` before a value, or a `# comment`. */
export interface RawMark {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface RawBase {
  readonly start: number;
  readonly end: number;
  readonly tag: RawMark | null;
  readonly anchor: RawMark | null;
}
/** A scalar with its typed value (YAML 1.2 core) and its text as decoded. */
export interface RawScalar extends RawBase {
  readonly kind: 'scalar';
  readonly style: NodeStyle;
  readonly text: string;
  readonly value: null | boolean | number | string;
}
/** A map; entries in file order, twins included. */
export interface RawMap extends RawBase {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: RawNode; readonly value: RawNode }[];
}
/** A list. */
export interface RawList extends RawBase {
  readonly kind: 'list';
  readonly items: readonly RawNode[];
}
/** A `*name` with the node it stands for; null when there is none before it. */
export interface RawAlias extends RawBase {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: RawNode | null;
}
/** A node of the file as it is written; offsets are UTF-16 units of the text that was parsed. */
export type RawNode = RawScalar | RawMap | RawList | RawAlias;

/** What the YAML parser itself complains of. */
export interface RawError {
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly warning: boolean;
}

/** A file as the YAML parser sees it. */
export interface RawDocument {
  readonly root: RawNode | null;
  readonly errors: readonly RawError[];
  /** Every comment, in the order of the file. */
  readonly comments: readonly RawMark[];
  /** Where a second document begins, null when there is one only. */
  readonly secondDocument: number | null;
  /** Offset at which nesting went beyond `DEPTH_MAX`; nothing else is known then. */
  readonly tooDeepAt: number | null;
}

type CstToken = Parser['stack'][number];

interface Tokens {
  readonly tokens: readonly CstToken[];
  readonly tooDeepAt: number | null;
}

function isTooDeep(stack: readonly CstToken[]): boolean {
  return stack.length > DEPTH_MAX && stack.filter((token) => LEVELS.includes(token.type)).length > DEPTH_MAX;
}

/** Stops at the first token that nests too deep, so that neither the stack nor the heap grows with the file's depth. */
function tokensOf(text: string): Tokens {
  const parser = new Parser();
  const tokens: CstToken[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (isTooDeep(parser.stack)) return { tokens: [], tooDeepAt: parser.offset - lexeme.length };
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens, tooDeepAt: null };
}

interface LooseToken {
  readonly type?: unknown;
  readonly offset?: unknown;
  readonly source?: unknown;
}

function markOf({ type, offset, source }: LooseToken): RawMark | null {
  if (type !== 'tag' && type !== 'anchor' && type !== 'comment') return null;
  return typeof offset === 'number' && typeof source === 'string'
    ? { text: source, start: offset, end: offset + source.length }
    : null;
}

/** Tags, anchors and comments of the file, found in the token tree: the composed nodes do not say where they stand. */
function marksOf(tokens: readonly CstToken[]): RawMark[] {
  const marks: RawMark[] = [];
  const open: unknown[] = [...tokens];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const mark = Array.isArray(next) ? null : markOf(next);
    if (mark !== null) marks.push(mark);
    for (const value of Object.values(next)) open.push(value);
  }
  return marks.sort((a, b) => a.start - b.start);
}

/** How many marks before a node are looked at: a node has one tag and one anchor. */
const MARKS_PER_NODE = 4;

/** The mark of a kind that belongs to the node at `start`: only blanks, breaks, comments and other marks lie between. */
function markBefore(marks: readonly RawMark[], sign: string, start: number, text: string): RawMark | null {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (elementAt(marks, middle).end <= start) low = middle + 1;
    else high = middle;
  }
  const near = marks.slice(Math.max(0, low - MARKS_PER_NODE), low).findLast((mark) => mark.text.startsWith(sign));
  if (near === undefined) return null;
  return /^(?:\s|#.*|[!&][^\s,[\]{}]*(?=\s))*$/.test(text.slice(near.end, start)) ? near : null;
}

const STYLES: Readonly<Record<string, NodeStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

/** Converts the library's nodes into ours, once per node: an alias shares its target. */
class RawTree {
  private readonly anchors = new Map<string, RawNode>();
  private readonly marks: readonly RawMark[];
  private readonly text: string;

  constructor(marks: readonly RawMark[], text: string) {
    this.marks = marks;
    this.text = text;
  }

  convert(node: ParsedNode | null, at: number): RawNode {
    if (node === null)
      return { kind: 'scalar', start: at, end: at, tag: null, anchor: null, style: 'empty', text: '', value: null };
    const [start, end] = node.range;
    if (isAlias(node)) {
      return {
        kind: 'alias',
        start,
        end,
        tag: null,
        anchor: null,
        name: node.source,
        target: this.anchors.get(node.source) ?? null,
      };
    }
    const raw = this.convertNode(node, start, end);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, raw);
    return raw;
  }

  private convertNode(node: Exclude<ParsedNode, Alias.Parsed>, start: number, end: number): RawNode {
    const base = {
      start,
      end,
      tag: markBefore(this.marks, '!', start, this.text),
      anchor: node.anchor === undefined ? null : markBefore(this.marks, '&', start, this.text),
    };
    if (isMap(node)) {
      const entries = node.items.map((pair) => ({
        key: this.convert(pair.key, start),
        value: this.convert(pair.value, pair.key.range[1]),
      }));
      return { ...base, kind: 'map', entries };
    }
    if (isSeq(node))
      return { ...base, kind: 'list', items: node.items.map((item) => this.convert(item as ParsedNode, start)) };
    return { ...base, kind: 'scalar', ...this.scalar(node, start, end) };
  }

  private scalar(node: Scalar.Parsed, start: number, end: number): Pick<RawScalar, 'style' | 'text' | 'value'> {
    // A tag can make other things of a scalar; it is told as a mistake, and the text stays.
    const value =
      typeof node.value === 'object' && node.value !== null ? node.source : (node.value as RawScalar['value']);
    const style = start === end ? 'empty' : (STYLES[node.type ?? 'PLAIN'] ?? 'plain');
    return { style, text: typeof value === 'string' ? value : this.text.slice(start, end), value };
  }
}

function rawError(error: YAMLError, warning: boolean): RawError {
  return { code: error.code, message: error.message, start: error.pos[0], end: error.pos[1], warning };
}

/** Parses a text by YAML 1.2 core; never throws, whatever the text. The text has no BOM and LF line ends. */
export function readYaml(text: string): RawDocument {
  const { tokens, tooDeepAt } = tokensOf(text);
  if (tooDeepAt !== null) return { root: null, errors: [], comments: [], secondDocument: null, tooDeepAt };
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    strict: true,
    logLevel: 'silent',
  });
  const documents: Document.Parsed[] = [...composer.compose(tokens, true, text.length)];
  const first = documents[0];
  const second = tokens.filter((token) => token.type === 'document')[1];
  // What a second document holds is not looked at: that it is there is the mistake.
  const errors =
    first === undefined
      ? []
      : [
          ...first.errors.map((error) => rawError(error, false)),
          ...first.warnings.map((error) => rawError(error, true)),
        ];
  const contents = first?.contents ?? null;
  const marks = marksOf(tokens);
  const isComment = (mark: RawMark): boolean => mark.text.startsWith('#');
  const nodeMarks = marks.filter((mark) => !isComment(mark));
  return {
    root: contents === null ? null : new RawTree(nodeMarks, text).convert(contents, 0),
    errors: errors.sort((a, b) => a.start - b.start),
    comments: marks.filter(isComment),
    secondDocument: second?.offset ?? null,
    tooDeepAt: null,
  };
}
