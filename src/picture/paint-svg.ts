import type { Picture, PictureEdge, PictureMark, PictureNode } from '../model/picture.ts';
import { badgesWidth, detailLines, edgeTexts, type ElkEdge, type ElkNode, type Point, SIZES } from './elk-graph.ts';
import { STYLE } from './style.ts';
import { shorten, textWidth } from './text-width.ts';

const CORNER = 6;
/** Lines are right-angled: what is less off than this is so by the layout engine's rounding, pixels. */
const SLANT_MAX = 3;
const EDGE_STYLES = ['plain', 'failure', 'compensation', 'taken'] as const;

/**
 * Paints a laid-out picture as a standalone SVG: classes and presentation attributes only, light and dark by media query,
 * every mark a word and a shape as well as a colour.
 */
export function paintSvg(picture: Picture, laidOut: ElkNode): string {
  const placed = new Map<string, ElkNode>();
  collect(laidOut, placed);
  const width = Math.ceil(laidOut.width ?? 0);
  const height = Math.ceil(laidOut.height ?? 0);
  const groups = picture.nodes
    .filter((node) => isGroup(placed, node))
    .map((node) => paintGroup(node, placed.get(node.id)));
  const edges = picture.edges.map((edge) =>
    paintEdge(
      edge,
      laidOut.edges?.find((e) => e.id === edge.id),
    ),
  );
  const cards = picture.nodes
    .filter((node) => !isGroup(placed, node))
    .map((node) => paintNode(node, placed.get(node.id)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(picture.title)}" font-family="Inter, 'DejaVu Sans', Verdana, sans-serif">`,
    `<title>${escapeXml(picture.title)}</title>`,
    `<style>${STYLE}</style>`,
    `<defs>${EDGE_STYLES.map(marker).join('')}</defs>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...groups.map((group) => group.ground),
    ...edges.map((edge) => edge.line),
    ...cards,
    // Texts lie over lines, not under them.
    ...groups.map((group) => group.title),
    ...edges.map((edge) => edge.label),
    '</svg>',
    '',
  ].join('\n');
}

function collect(node: ElkNode, into: Map<string, ElkNode>): void {
  into.set(node.id, node);
  for (const child of node.children ?? []) collect(child, into);
}

function isGroup(placed: ReadonlyMap<string, ElkNode>, node: PictureNode): boolean {
  return (placed.get(node.id)?.children?.length ?? 0) > 0;
}

function marker(style: (typeof EDGE_STYLES)[number]): string {
  return `<marker id="arrow-${style}" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="10" markerHeight="10" orient="auto"><path class="head ${style}" d="M0 0.6 L7.4 4 L0 7.4 Z"/></marker>`;
}

function paintGroup(node: PictureNode, at: ElkNode | undefined): { readonly ground: string; readonly title: string } {
  const { x, y, width, height } = box(at);
  const classes = `group ${node.kind} ${node.live ?? ''}`;
  const title = escapeXml(shorten(node.title, SIZES.titleMax));
  return {
    ground: `<g class="${classes}"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10"/></g>`,
    title: `<g class="${classes}"><text class="halo" x="${x + 14}" y="${y + 21}" font-size="${SIZES.detailPx}">${title}</text></g>`,
  };
}

function paintNode(node: PictureNode, at: ElkNode | undefined): string {
  const { x, y, width, height } = box(at);
  if (node.kind === 'start')
    return `<circle class="start" cx="${x + width / 2}" cy="${y + height / 2}" r="${width / 2 - 1}"><title>start</title></circle>`;
  const round = node.kind === 'end' ? height / 2 : 7;
  const middle = node.detail === null ? y + height / 2 + 4.5 : y + 19;
  const lines = [
    `<g class="node ${node.kind} ${node.live ?? ''}"><title>${escapeXml(describe(node))}</title>`,
    `<rect class="card" x="${x}" y="${y}" width="${width}" height="${height}" rx="${round}"/>`,
    node.kind === 'end' ? '' : `<rect class="strip" x="${x}" y="${y + 7}" width="4" height="${height - 14}" rx="2"/>`,
    `<text class="title" x="${x + SIZES.padding}" y="${middle}" font-size="${SIZES.titlePx}" font-weight="600">${escapeXml(shorten(node.title, SIZES.titleMax))}</text>`,
  ];
  for (const [index, line] of detailLines(node).entries()) {
    const below = y + 35 + index * SIZES.detailLine;
    lines.push(
      `<text class="detail" x="${x + SIZES.padding}" y="${below}" font-size="${SIZES.detailPx}">${escapeXml(line)}</text>`,
    );
  }
  lines.push(...paintBadges(node.marks, x + width - badgesWidth(node.marks) - 4, y + 7));
  if (node.live !== null) lines.push(liveSign(node.live, x + width, y));
  lines.push('</g>');
  return lines.join('');
}

function paintBadges(marks: readonly PictureMark[], from: number, y: number): string[] {
  let x = from;
  return marks.map((mark) => {
    const width = textWidth(mark, SIZES.badgePx) + 16;
    const sign = badgeSign(mark, x + 7, y + 7);
    const text = `<text x="${x + 12.5}" y="${y + 10.5}" font-size="${SIZES.badgePx}">${mark}</text>`;
    const painted = `<g class="badge ${mark}"><rect x="${x}" y="${y}" width="${width}" height="14" rx="7"/>${sign}${text}</g>`;
    x += width + 4;
    return painted;
  });
}

/** Each mark has a shape of its own: colour alone says nothing to many people. */
function badgeSign(mark: PictureMark, x: number, y: number): string {
  switch (mark) {
    case 'pivot':
      return `<path d="M${x} ${y - 4} L${x + 4} ${y} L${x} ${y + 4} L${x - 4} ${y} Z"/>`;
    case 'human':
    case 'authorized':
      return `<path d="M${x} ${y - 4} a2 2 0 1 1 -0.01 0 M${x - 3.5} ${y + 4} q3.5 -6 7 0 Z"/>`;
    case 'wait':
      return `<path class="line" d="M${x - 3.5} ${y} a3.5 3.5 0 1 1 7 0 a3.5 3.5 0 1 1 -7 0 M${x} ${y - 2} V${y} H${x + 2}"/>`;
    case 'unknown':
      return `<path d="M${x} ${y - 4} L${x + 4} ${y + 3.5} H${x - 4} Z"/>`;
  }
}

function liveSign(live: NonNullable<PictureNode['live']>, x: number, y: number): string {
  const sign = { taken: '✓', now: '●', held: '!', failed: '✕', undone: '↩' }[live];
  return `<g class="sign ${live}"><circle cx="${x}" cy="${y}" r="8"/><text x="${x}" y="${y + 4}" font-size="11" text-anchor="middle">${sign}</text></g>`;
}

function describe(node: PictureNode): string {
  const marks = node.marks.length > 0 ? ` [${node.marks.join(', ')}]` : '';
  const live = node.live === null ? '' : ` - ${node.live}`;
  return `${node.kind} ${node.title}${node.detail === null ? '' : `: ${node.detail}`}${marks}${live}`;
}

function paintEdge(edge: PictureEdge, at: ElkEdge | undefined): { readonly line: string; readonly label: string } {
  const section = at?.sections?.[0];
  if (section === undefined) return { line: '', label: '' };
  const points = straightened([section.startPoint, ...(section.bendPoints ?? []), section.endPoint]);
  const style = edgeStyle(edge);
  const dash = edge.kind === 'compensation' ? ' stroke-dasharray="5 4"' : '';
  const line = `<path class="edge ${edge.kind} ${style}" d="${rounded(points)}"${dash} marker-end="url(#arrow-${style})"/>`;
  const texts = edgeTexts(edge);
  const labels = (at?.labels ?? []).map((label, index) => paintLabel(label, texts[index]?.full ?? label.text, style));
  return { line, label: labels.join('') };
}

function edgeStyle(edge: PictureEdge): (typeof EDGE_STYLES)[number] {
  if (edge.taken) return 'taken';
  if (edge.kind === 'compensation') return 'compensation';
  return edge.kind === 'failure' || edge.kind === 'catch' ? 'failure' : 'plain';
}

function paintLabel(label: NonNullable<ElkEdge['labels']>[number], full: string, style: string): string {
  const x = (label.x ?? 0) + 2;
  const y = (label.y ?? 0) + SIZES.labelPx;
  const title = label.text === full ? '' : `<title>${escapeXml(full)}</title>`;
  return `<text class="label halo ${style}" x="${x}" y="${y}" font-size="${SIZES.labelPx}">${title}${escapeXml(label.text)}</text>`;
}

/** The layout engine is a little off where a line enters a group: what is nearly upright or level is so, from its end on. */
function straightened(points: readonly Point[]): readonly Point[] {
  const line: Point[] = [];
  for (const point of points.toReversed()) {
    const next = line.at(-1) ?? point;
    const x = isNear(point.x, next.x) ? next.x : point.x;
    line.push({ x, y: x !== next.x && isNear(point.y, next.y) ? next.y : point.y });
  }
  return line.reverse();
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= SLANT_MAX;
}

/** A right-angled line with its corners rounded, as an SVG path. */
function rounded(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let path = `M${first.x} ${first.y}`;
  let from = first;
  for (const [index, point] of rest.entries()) {
    const next = rest[index + 1];
    if (next === undefined) return `${path} L${point.x} ${point.y}`;
    const before = towards(point, from);
    const after = towards(point, next);
    path += ` L${before.x} ${before.y} Q${point.x} ${point.y} ${after.x} ${after.y}`;
    from = point;
  }
  return path;
}

function towards(corner: Point, other: Point): Point {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y);
  const step = Math.min(CORNER, length / 2);
  if (length === 0) return corner;
  return { x: corner.x + ((other.x - corner.x) * step) / length, y: corner.y + ((other.y - corner.y) * step) / length };
}

function box(at: ElkNode | undefined): {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
} {
  return { x: at?.x ?? 0, y: at?.y ?? 0, width: at?.width ?? 0, height: at?.height ?? 0 };
}

/** Text as XML carries it; control characters cannot be in XML at all. */
function escapeXml(text: string): string {
  return text
    .replace(/\p{Cc}/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
