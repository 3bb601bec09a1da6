import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { type Marked, marked } from './marked.ts';

/** How a marked file is written anew: the same file to its author, its mistake at another place. */
export interface FileShape {
  /** Which of its top keys comes first; the others follow in their order. */
  readonly turn: number;
  /** Lists and maps in the blocks of their author, or all in `{ }`: on one line, or a line for each top key. */
  readonly style: 'block' | 'one line' | 'flow';
  /** Blanks more before each indented line. */
  readonly shift: number;
  /** Lines of wide comment before each top key. */
  readonly comments: number;
  readonly newline: '\n' | '\r\n';
  readonly hasBom: boolean;
}

const COMMENT = '# 日本語 𝒳 ✔';
const WIDE = `labels: { team: '日本 𝒳 é' }`;

/** The lines of each top key of a file. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  for (const line of text.replace(/\n+$/, '').split('\n')) {
    if (/^[^\s#]/.test(line) || blocks.length === 0) blocks.push(line);
    else blocks.push(`${blocks.pop() ?? ''}\n${line}`);
  }
  return blocks;
}

/** How many places a mistake is moved to: what is promised of every code. */
const PLACES = 20;

/** The ways in which a file is moved whose nth top key comes first; the last two only where it can be parsed. */
const shapesOf = (turn: number): readonly [FileShape, ...FileShape[]] => [
  { turn, style: 'block', shift: turn % 4, comments: turn, newline: '\n', hasBom: false },
  { turn, style: 'one line', shift: 0, comments: 0, newline: '\n', hasBom: true },
  { turn, style: 'block', shift: (turn + 1) % 4, comments: turn + 7, newline: '\r\n', hasBom: true },
  { turn, style: 'flow', shift: turn % 3, comments: 0, newline: '\r\n', hasBom: turn % 2 === 0 },
  { turn, style: 'block', shift: 5, comments: turn + 19, newline: '\r\n', hasBom: false },
  { turn, style: 'block', shift: 0, comments: 3, newline: '\n', hasBom: true },
];

/** A file as it is moved, and where its mistake is then. */
export interface MovedFile {
  readonly shape: FileShape;
  readonly place: Marked;
}

/**
 * Writes a marked file so that its mistake is at 20 places, no two of them the same: each top key comes first in turn,
 * in shapes that alternate. Fewer where there are not so many.
 */
export function moveAbout(source: string, styles: readonly FileShape['style'][]): readonly MovedFile[] {
  const turns = blocksOf(source).map((_, turn) => shapesOf(turn).filter(({ style }) => styles.includes(style)));
  const moved = new Map<string, MovedFile>();
  for (const step of shapesOf(0).keys()) {
    for (const [turn, shapes] of turns.entries()) {
      const shape = shapes[(turn + step) % shapes.length];
      if (shape === undefined || step >= shapes.length || moved.size >= PLACES) continue;
      const place = moveFile(source, shape);
      const where = `${place.line}:${place.column}`;
      if (!moved.has(where)) moved.set(where, { shape, place });
    }
  }
  return [...moved.values()];
}

/** Writes a marked file in a shape; its place is where the marks have gone. */
function moveFile(source: string, shape: FileShape): Marked {
  const blocks = blocksOf(source);
  const turned = [...blocks.slice(shape.turn), ...blocks.slice(0, shape.turn)];
  const comments = `${COMMENT}\n`.repeat(shape.comments);
  const block = turned.map((text) => `${comments}${text}\n`.replace(/^(?= )/gm, ' '.repeat(shape.shift))).join('');
  const place = marked(shape.style === 'block' ? block : inFlow(block, shape));
  const text = place.text.replaceAll('\n', shape.newline);
  return { ...place, text: shape.hasBom ? `\ufeff${text}` : text };
}

/** The file as one map in braces, scalars as they were written, a wide text before all of it. */
function inFlow(source: string, { style, shift }: FileShape): string {
  const place = [source.indexOf('⟦'), source.indexOf('⟧') - 1] as const;
  const text = source.replace(/[⟦⟧]/g, '');
  const write = (node: unknown): string => {
    if (isScalar(node)) return scalar(node.range ?? [0, 0]);
    const [from, to] = isMap(node) || isSeq(node) ? (node.range ?? []) : [];
    const items = isMap(node)
      ? `{ ${node.items.map(({ key, value }) => `${write(key)}: ${write(value)}`).join(', ')} }`
      : `[${isSeq(node) ? node.items.map(write).join(', ') : ''}]`;
    return from === place[0] && to === place[1] ? `⟦${items}⟧` : items;
  };
  const scalar = ([from, to]: readonly [number, number, ...number[]]): string =>
    place[0] < from || to < place[1]
      ? text.slice(from, to)
      : `${text.slice(from, place[0])}⟦${text.slice(...place)}⟧${text.slice(place[1], to)}`;
  const root = parseDocument(text).contents;
  if (!isMap(root)) throw new Error('a file is a map');
  const entries = root.items.map(({ key, value }) => `${write(key)}: ${write(value)}`);
  const between = style === 'flow' ? `,\n${' '.repeat(shift + 1)}` : ', ';
  return `{ ${[WIDE, ...entries].join(between)} }\n`;
}

/** What stands around a piece of a file: sound top keys of every kind. */
const AROUND = [
  'title: "日本 𝒳 é # not a comment"',
  'list:\n  - one\n  - { two: 2 }',
  'text: |\n  {{ not a template }}\n  # nor a comment',
  'map:\n  inner: [1, { a: b }]\n  more:\n    deep: yes',
];

/**
 * Writes a marked piece of YAML between other top keys, as deep as said, at 20 places of block files.
 * @param where whether it can stand only at the very beginning of a file (comments aside), only at the margin, or deeper.
 */
export function movePiece(source: string, where: 'first' | 'margin' | 'any'): readonly Marked[] {
  const piece = source.replace(/\n$/, '');
  return [0, 1, 2, 3, 4].flatMap((turn) =>
    [0, 1, 2, 3].map((offset): Marked => {
      const form = (turn + offset) % 5;
      const comments = `${COMMENT}\n`.repeat(where === 'any' ? form : turn * 5 + form);
      const before = where === 'first' ? [] : AROUND.slice(0, turn);
      const place = marked(
        `${[...before, `${comments}${nested(piece, where === 'any' ? form : 0)}`, ...AROUND.slice(before.length)].join('\n')}\n`,
      );
      const text = form % 2 === 0 ? place.text : place.text.replaceAll('\n', '\r\n');
      return { ...place, text: turn % 2 === 0 ? text : `\ufeff${text}` };
    }),
  );
}

/** A piece under as many keys and list items. */
function nested(piece: string, depth: number): string {
  if (depth === 0) return piece;
  const inner = nested(piece, depth - 1);
  const lead = depth % 2 === 0 ? 'items:\n  - under:\n' : 'around:\n';
  return `${lead}${inner.replace(/^/gm, depth % 2 === 0 ? '      ' : '  ')}`;
}
