import { describe, expect, it } from 'vitest';
import { dominatorsOf } from '../../../src/definition/lint/dominators.ts';
import { fc } from '../../support/fast-check.ts';

type Graph = readonly (readonly number[])[];

const GRAPH: fc.Arbitrary<Graph> = fc
  .integer({ min: 1, max: 12 })
  .chain((count) => fc.array(fc.array(fc.nat(count - 1), { maxLength: 4 }), { minLength: count, maxLength: count }));

/** What can be reached from node 0 without going over another one. */
function reached(out: Graph, without: number | null): ReadonlySet<number> {
  const seen = new Set<number>();
  const open = [0];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === without || seen.has(node)) continue;
    seen.add(node);
    open.push(...(out[node] ?? []));
  }
  return seen;
}

describe('dominators', () => {
  it('are what every way to a node leads over, in any graph', () => {
    fc.assert(
      fc.property(GRAPH, (out) => {
        const dominators = dominatorsOf(out, 0);
        const all = reached(out, null);
        for (const over of out.keys()) {
          const others = reached(out, over);
          for (const node of out.keys()) {
            const holds = all.has(over) && all.has(node) && !others.has(node);
            expect(dominators.dominates(over, node), `${over} over ${node} in ${JSON.stringify(out)}`).toBe(holds);
          }
          expect(dominators.isReachable(over)).toBe(all.has(over));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('tell what lies below marked nodes, in any graph', () => {
    fc.assert(
      fc.property(GRAPH, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), (out, marks) => {
        const dominators = dominatorsOf(out, 0);
        const isBelow = dominators.below((node) => marks[node] === true);
        for (const node of out.keys()) {
          const holds = [...out.keys()].some((over) => marks[over] === true && dominators.dominates(over, node));
          expect(isBelow(node), `${node} in ${JSON.stringify(out)}`).toBe(holds);
        }
      }),
      { numRuns: 300 },
    );
  });
});
