import type { Json } from '../model/json.ts';
import type { Finding } from './report-problem.ts';
import { childPointer, type NodePosition } from './source-map.ts';
import { checkScalar } from './yaml-scalar.ts';
import type { RawAlias, RawList, RawMap, RawNode, RawScalar } from './read-yaml.ts';

/** How many values all aliases of a file may stand for together. */
export const ALIASED_NODES_MAX = 1_000;

/** The data of a file, where each node stands, and what is wrong with how it is written. */
export interface Tree {
  readonly value: Json;
  readonly nodes: ReadonlyMap<string, NodePosition>;
  readonly findings: readonly Finding[];
  readonly suspect: ReadonlySet<string>;
  /** Lists and maps that a part which was stepped over may have belonged to: what they seem to lack may be there. */
  readonly lossy: ReadonlySet<string>;
  /** Whether aliases stand for more than is read: the value is cut off then. */
  readonly isCutOff: boolean;
}

type Span = readonly [start: number, end: number];

/** Parts of the text that were stepped over: values that were masked, and whole lines that were blanked. */
export interface SteppedOver {
  readonly masked: readonly Span[];
  readonly blanked: readonly Span[];
}

/** Adds a member also under names that an assignment would take for something else (`__proto__`). */
function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Walks the raw tree once. */
class TreeReader {
  readonly nodes = new Map<string, NodePosition>();
  readonly findings: Finding[] = [];
  readonly suspect = new Set<string>();
  readonly lossy = new Set<string>();
  private readonly open: RawNode[] = [];
  private readonly seen = new Set<RawNode>();
  private aliased = 0;
  private inAlias = 0;
  private readonly text: string;
  private readonly masked: readonly Span[];
  private readonly blanked: readonly Span[];

  constructor(text: string, { masked, blanked }: SteppedOver) {
    this.text = text;
    this.masked = masked;
    this.blanked = blanked;
  }

  read(node: RawNode, pointer: string, key: Span | null): Json {
    if (node.kind === 'alias') return this.readAlias(node, pointer, key);
    if (this.inAlias > 0) this.aliased += 1;
    if (this.isCutOff) return null;
    const style = node.kind === 'scalar' ? node.style : node.kind;
    const text = node.kind === 'scalar' ? node.text : null;
    this.nodes.set(pointer, { key, value: [node.start, node.end], style, text });
    const isFirst = !this.seen.has(node);
    this.seen.add(node);
    if (isFirst) this.checkMarks(node, pointer);
    if (node.kind === 'scalar') return this.readScalar(node, pointer, isFirst);
    if (this.lacks([key?.[1] ?? node.start, node.end])) this.lossy.add(pointer);
    return this.readCollection(node, pointer, isFirst);
  }

  private readScalar(node: RawScalar, pointer: string, isFirst: boolean): Json {
    const { finding, value } = checkScalar(node, pointer, this.text);
    if (this.isMasked(node)) this.suspect.add(pointer);
    else if (finding !== null && isFirst && !this.suspect.has(pointer)) this.report(finding);
    return value;
  }

  private readCollection(node: RawMap | RawList, pointer: string, isFirst: boolean): Json {
    this.open.push(node);
    const value = node.kind === 'map' ? this.readMap(node, pointer, isFirst) : this.readList(node.items, pointer);
    this.open.pop();
    return value;
  }

  private readList(items: readonly RawNode[], pointer: string): Json {
    return items.map((item, index) => this.read(item, childPointer(pointer, index), null));
  }

  private readMap(node: RawMap, pointer: string, first: boolean): Json {
    const result: Record<string, Json> = {};
    const keys = new Map<string, RawNode>();
    for (const { key, value } of node.entries) {
      const name = this.keyName(key, pointer, first);
      if (name === null) continue;
      if (first && node.tag === null) this.checkColon(key, value, childPointer(pointer, name));
      const twin = keys.get(name);
      if (twin === undefined) {
        keys.set(name, key);
        setOwn(result, name, this.read(value, childPointer(pointer, name), [key.start, key.end]));
      } else if (first) this.reportTwin(name, childPointer(pointer, name), key, twin);
    }
    return result;
  }

  /** `{ a:1 }` and `{ a 1 }` are keys without value to YAML; nobody means that. */
  private checkColon(key: RawNode, value: RawNode, pointer: string): void {
    if (value.kind !== 'scalar' || value.style !== 'empty' || /^\s*:/.test(this.text.slice(key.end))) return;
    this.report({
      code: 'PAWL-025',
      pointer,
      offsets: [key.start, key.end],
      message: `\`${this.text.slice(key.start, key.end)}\` is a key without a colon`,
      help: 'write `key: value`, with a blank after the colon',
    });
  }

  private reportTwin(name: string, pointer: string, key: RawNode, twin: RawNode): void {
    const before = this.text.slice(0, twin.start);
    const place = `line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')}`;
    this.report({
      code: 'PAWL-008',
      pointer,
      offsets: [key.start, key.end],
      message: `the key \`${name}\` is there twice; the first is at ${place}`,
      help: 'keep one of the two, or give one another name',
      related: [{ message: `\`${name}\` is first written here`, offsets: [twin.start, twin.end] }],
    });
  }

  /** The text of a key; null where it cannot be one (said already). */
  private keyName(key: RawNode, pointer: string, first: boolean): string | null {
    const span: Span = [key.start, Math.max(key.end, key.start + 1)];
    if (key.kind !== 'scalar') {
      if (first) this.report(this.keyFinding(pointer, span, key.kind === 'map' && this.text[key.start] === '{'));
      return null;
    }
    if (first) this.checkMarks(key, pointer);
    if (key.text === '<<' && key.style === 'plain') {
      if (first)
        this.report({
          code: 'PAWL-012',
          pointer,
          offsets: span,
          message: "`<<` merges maps behind the reader's back",
          help: 'write the keys where they belong',
        });
      return null;
    }
    return key.text;
  }

  private keyFinding(pointer: string, offsets: Span, brace: boolean): Finding {
    const message = brace ? 'a key begins with `{`' : 'a key is a list or an alias, not a text';
    const help = brace
      ? 'templates of other tools do not work here: quote the value, or write `${ … }` inside quotes'
      : 'write the key as plain text';
    return { code: 'PAWL-013', pointer, offsets, message, help };
  }

  private readAlias(node: RawAlias, pointer: string, key: Span | null): Json {
    const offsets: Span = [node.start, node.end];
    const target = node.target;
    this.nodes.set(pointer, { key, value: offsets, style: 'plain', text: null });
    if (target === null || this.open.includes(target)) {
      const message =
        target === null
          ? `the alias \`*${node.name}\` has no anchor before it`
          : `the alias \`*${node.name}\` stands inside its own anchor`;
      this.report({
        code: 'PAWL-011',
        pointer,
        offsets,
        message,
        help: 'a value that begins with `*` must be quoted; else write the value here',
      });
      return null;
    }
    if (this.isCutOff) return null;
    this.inAlias += 1;
    const value = this.read(target, pointer, key);
    this.inAlias -= 1;
    // What the alias stands for is written elsewhere; the alias itself stands here.
    if (target.kind === 'map' || target.kind === 'list')
      this.nodes.set(pointer, { key, value: offsets, style: target.kind, text: null });
    if (this.isCutOff && this.inAlias === 0) this.reportTooMany(pointer, offsets);
    return value;
  }

  get isCutOff(): boolean {
    return this.aliased > ALIASED_NODES_MAX;
  }

  private reportTooMany(pointer: string, offsets: Span): void {
    this.report({
      code: 'PAWL-011',
      pointer,
      offsets,
      message: `aliases stand for more than ${ALIASED_NODES_MAX} values in this file`,
      help: 'write the values where they are needed, or pass them as input',
    });
  }

  private report(finding: Finding): void {
    this.findings.push(finding);
    // What is only warned of is meant as it stands, so it is checked further.
    if (finding.severity !== 'warning') this.suspect.add(finding.pointer);
  }

  private isMasked(node: RawScalar): boolean {
    const end = Math.max(node.end, node.start + 1);
    const isCovered = this.masked.some((part) => node.start < part[1] && part[0] < end);
    return isCovered || (node.style === 'empty' && this.lacks([node.start, node.end]));
  }

  /** Whether a blanked line may belong to what stands here: it lies within, or nothing but comments lies between. */
  private lacks([start, end]: Span): boolean {
    return this.blanked.some(
      ([from]) => start < from && (from < end || /^(?:\s|#.*)*$/.test(this.text.slice(end, from))),
    );
  }

  private checkMarks(node: RawNode, pointer: string): void {
    if (node.tag !== null) {
      this.report({
        code: 'PAWL-009',
        pointer,
        offsets: [node.tag.start, node.tag.end],
        message: `\`${node.tag.text}\` is a YAML tag, no part of the value`,
        help: '`!` begins a YAML tag, quote the expression',
      });
    }
    if (node.anchor !== null && node.tag === null && node.kind === 'scalar') {
      this.report({
        code: 'PAWL-010',
        pointer,
        offsets: [node.anchor.start, node.anchor.end],
        message: `\`${node.anchor.text}\` is an anchor on a single value`,
        help: 'put shared values under `constants`; a value that begins with `&` must be quoted',
      });
    }
  }
}

/**
 * Data, positions and findings of a raw tree. The work is bounded: aliases stand for at most `ALIASED_NODES_MAX` values.
 * @param over parts of the text that syntax recovery has stepped over; nodes in them are suspect and not checked.
 */
export function readTree(root: RawNode, text: string, over: SteppedOver): Tree {
  const reader = new TreeReader(text, over);
  const value = reader.read(root, '', null);
  const { nodes, findings, suspect, lossy, isCutOff } = reader;
  return { value, nodes, findings, suspect, lossy, isCutOff };
}
