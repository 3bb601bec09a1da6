import type { Picture, PictureEdge, PictureMark, PictureNode } from '../model/picture.ts';
import { shorten, textWidth, wrapped } from './text-width.ts';

/** Sizes in pixels that layout and painter must agree on. */
export const SIZES = {
  titlePx: 13,
  detailPx: 11,
  labelPx: 11,
  badgePx: 10,
  cardHeight: 46,
  cardHeightOneLine: 32,
  padding: 14,
  dot: 16,
  titleMax: 34,
  detailMax: 40,
  /** Lines of a detail, and how far they are apart. */
  detailLinesMax: 2,
  detailLine: 14,
  labelMax: 40,
} as const;

/** A node as ELK takes and gives it; coordinates are absolute. */
export interface ElkNode {
  readonly id: string;
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
  readonly height?: number;
  readonly children?: readonly ElkNode[];
  readonly edges?: readonly ElkEdge[];
  readonly layoutOptions?: Readonly<Record<string, string>>;
}
/** An edge as ELK takes and gives it. */
export interface ElkEdge {
  readonly id: string;
  readonly sources: readonly string[];
  readonly targets: readonly string[];
  readonly labels?: readonly {
    readonly text: string;
    readonly width: number;
    readonly height: number;
    readonly x?: number;
    readonly y?: number;
  }[];
  readonly sections?: readonly {
    readonly startPoint: Point;
    readonly endPoint: Point;
    readonly bendPoints?: readonly Point[];
  }[];
}
/** A point in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The options that looked best of five variants, judged by eye, edge length and bends (docs/decisions/0003-diagram-layout.md). */
const OPTIONS: Readonly<Record<string, string>> = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.layered.compaction.postCompaction.strategy': 'EDGE_LENGTH',
  'elk.layered.highDegreeNodes.treatment': 'true',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  // What goes back in the author's order is drawn back: the start stays on top.
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.randomSeed': '1',
  'elk.spacing.nodeNode': '34',
  'elk.spacing.edgeLabel': '5',
  'elk.spacing.edgeNode': '20',
  'elk.layered.spacing.nodeNodeBetweenLayers': '36',
  'elk.layered.spacing.edgeNodeBetweenLayers': '18',
  'elk.padding': '[top=24,left=24,bottom=24,right=24]',
};
/** Between the border of a group and what is in it. */
const GROUP_PADDING = 18;

/** A node, and how wide it is at least. */
interface SizedNode {
  readonly node: ElkNode;
  readonly least: number;
}

/** A group; the layout engine keeps no least width of one, so what its title needs beyond its widest child is padding. */
function groupOf(node: PictureNode, children: readonly SizedNode[]): SizedNode {
  const title = textWidth(shorten(node.title, SIZES.titleMax), SIZES.detailPx) + 2 * SIZES.padding;
  const widest = Math.max(...children.map(({ least }) => least));
  const right = Math.ceil(Math.max(GROUP_PADDING, title - GROUP_PADDING - widest));
  const layoutOptions = {
    'elk.padding': `[top=36,left=${GROUP_PADDING},bottom=${GROUP_PADDING},right=${right}]`,
  };
  return {
    node: { id: node.id, children: children.map((child) => child.node), layoutOptions },
    least: GROUP_PADDING + widest + right,
  };
}

function cardOf(node: PictureNode): SizedNode {
  const size = sizeOf(node);
  return { node: { id: node.id, ...size }, least: size.width };
}

/** Width of the badges that stand in a card's upper right corner. */
export function badgesWidth(marks: readonly PictureMark[]): number {
  return marks.reduce((sum, mark) => sum + textWidth(mark, SIZES.badgePx) + 20, 0);
}

/** The graph that ELK lays out. */
export function toElkGraph(picture: Picture): ElkNode {
  const childrenOf = new Map<string | null, PictureNode[]>();
  for (const node of picture.nodes) {
    const siblings = childrenOf.get(node.parent);
    if (siblings === undefined) childrenOf.set(node.parent, [node]);
    else siblings.push(node);
  }
  const build = (parent: string | null): SizedNode[] =>
    (childrenOf.get(parent) ?? []).map((node) =>
      childrenOf.has(node.id) ? groupOf(node, build(node.id)) : cardOf(node),
    );
  const children = build(null).map(({ node }) => node);
  return { id: '$picture', layoutOptions: OPTIONS, children, edges: picture.edges.map(toElkEdge) };
}

function sizeOf(node: PictureNode): { readonly width: number; readonly height: number } {
  if (node.kind === 'start') return { width: SIZES.dot, height: SIZES.dot };
  const title = textWidth(shorten(node.title, SIZES.titleMax), SIZES.titlePx) * 1.06 + badgesWidth(node.marks);
  const details = detailLines(node).map((line) => textWidth(line, SIZES.detailPx));
  return {
    width: Math.ceil(Math.max(title, ...details, 60) + 2 * SIZES.padding),
    height: details.length === 0 ? SIZES.cardHeightOneLine : SIZES.cardHeight + (details.length - 1) * SIZES.detailLine,
  };
}

/** What a card says below its title, line by line. */
export function detailLines({ detail }: Pick<PictureNode, 'detail'>): readonly string[] {
  return detail === null ? [] : wrapped(detail, SIZES.detailMax, SIZES.detailLinesMax);
}

/** What is written along an arrow, a line each: which way it is, and when the step that it leads to runs at all. */
export function edgeTexts({
  label,
  condition,
}: PictureEdge): readonly { readonly short: string; readonly full: string }[] {
  const short = (text: string): string => shorten(text, SIZES.labelMax);
  return [
    ...(label === null ? [] : [{ short: short(label), full: label }]),
    ...(condition === null ? [] : [{ short: `only if ${short(condition)}`, full: `only if ${condition}` }]),
  ];
}

function toElkEdge(edge: PictureEdge): ElkEdge {
  const ends = { id: edge.id, sources: [edge.from], targets: [edge.to] };
  const labels = edgeTexts(edge).map(({ short: text }) => ({
    text,
    width: Math.ceil(textWidth(text, SIZES.labelPx)) + 4,
    height: SIZES.labelPx + 5,
  }));
  return labels.length === 0 ? ends : { ...ends, labels };
}
