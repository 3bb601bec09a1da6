import type { FlowGraph } from '../../definition/lint/flow-graph.ts';
import { elementAt } from '../../model/element-at.ts';

/** Something at a node that may lie ahead of others; of each kind only the first few in document order are kept. */
export interface AheadPoint {
  readonly node: number;
  readonly kind: string;
}

/** The points that lie ahead of a node, itself included; of each kind at most so many, the first in the order of the list. */
export interface Ahead<Point> {
  of(nodes: readonly number[]): readonly Point[];
}

/**
 * Finds for every node the first points that control can reach from it. Each point goes against the edges until it comes to where
 * there are enough before it: who has enough has them from everybody who leads there, too. So each node takes no more than
 * the bound of each kind, and the work grows with the edges.
 * @param points in document order.
 * @param most of each kind.
 */
export function pointsAhead<Point extends AheadPoint>(
  graph: FlowGraph,
  points: readonly Point[],
  most: number,
): Ahead<Point> {
  const before: number[][] = Array.from({ length: graph.nodeCount }, () => []);
  for (const { from, to } of graph.edges) elementAt(before, to).push(from);
  const ahead: Map<string, Point[]>[] = before.map(() => new Map());
  for (const point of points) {
    const open = [point.node];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (take(elementAt(ahead, node), point, most)) open.push(...elementAt(before, node));
    }
  }
  const places = new Map(points.map((point, place) => [point, place]));
  const placeOf = (point: Point): number => places.get(point) ?? 0;
  const of = (nodes: readonly number[]): readonly Point[] => {
    const found = new Set(nodes.flatMap((node) => [...elementAt(ahead, node).values()].flat()));
    const taken = new Map<string, Point[]>();
    return [...found].sort((a, b) => placeOf(a) - placeOf(b)).filter((point) => take(taken, point, most));
  };
  return { of };
}

/** Whether there was room for a point that was not there. */
function take<Point extends AheadPoint>(kinds: Map<string, Point[]>, point: Point, most: number): boolean {
  const known = kinds.get(point.kind) ?? [];
  if (known.length >= most || known.at(-1) === point) return false;
  known.push(point);
  kinds.set(point.kind, known);
  return true;
}
