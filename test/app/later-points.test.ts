import { describe, expect, it } from 'vitest';
import { type AheadPoint, pointsAhead } from '../../src/app/explain/later-points.ts';
import type { FlowGraph } from '../../src/definition/lint/flow-graph.ts';
import { fc } from '../support/fast-check.ts';

const NODES = 8;
const MOST = 2;
const EDGES = fc.array(fc.record({ from: fc.nat(NODES - 1), to: fc.nat(NODES - 1) }), { maxLength: 20 });
const POINTS = fc.array(fc.record({ node: fc.nat(NODES - 1), kind: fc.constantFrom('a', 'b') }), { maxLength: 10 });

function reached(edges: readonly { readonly from: number; readonly to: number }[], start: number): ReadonlySet<number> {
  const seen = new Set<number>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...edges.filter(({ from }) => from === node).map(({ to }) => to));
  }
  return seen;
}

/** The first few of each kind, in the order of the list. */
function firsts(points: readonly AheadPoint[]): readonly AheadPoint[] {
  return points.filter(
    (point, place) => points.slice(0, place).filter(({ kind }) => kind === point.kind).length < MOST,
  );
}

describe('points that lie ahead', () => {
  it('are the first of each kind that can be reached, in any graph', () => {
    fc.assert(
      fc.property(EDGES, POINTS, fc.nat(NODES - 1), fc.nat(NODES - 1), (edges, points, one, other) => {
        const graph = { nodeCount: NODES, edges } as unknown as FlowGraph;
        const ahead = pointsAhead(graph, points, MOST);
        const there = new Set([...reached(edges, one), ...reached(edges, other)]);
        expect(ahead.of([one, other])).toEqual(firsts(points.filter(({ node }) => there.has(node))));
      }),
      { numRuns: 300 },
    );
  });
});
