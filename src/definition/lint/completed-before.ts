import { elementAt } from '../../model/element-at.ts';
import type { FlowGraph } from './flow-graph.ts';

/** For each node the steps that have completed on every way to it; a bit per step. */
export interface CompletedBefore {
  /** Whether control can get there at all. */
  isReachable(node: number): boolean;
  /** Whether step `index` has completed on every way from the start to `node`. */
  always(node: number, index: number): boolean;
}

const WORD = 32;

/**
 * Forward data flow: what has completed at a node is what has completed on all edges into it. The sets only shrink, so the
 * work is bounded by edges times steps; in document order nearly every node settles at its first visit.
 */
export function completedBefore(graph: FlowGraph): CompletedBefore {
  const nothing: Uint32Array = new Uint32Array(Math.ceil(graph.steps.length / WORD));
  const sets = new Map([[graph.start, nothing]]);
  const out = waysOut(graph);
  const queue = [{ node: graph.start, here: nothing }];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const { to, gains } of elementAt(out, next.node)) {
      const brought = joined(graph, sets, { to, here: withBit(next.here, gains) });
      const changed = brought === null ? null : meet(sets, to, brought);
      if (changed !== null) queue.push({ node: to, here: changed });
    }
  }
  return {
    isReachable: (node) => sets.has(node),
    always: (node, index) => hasBit(sets.get(node), index),
  };
}

/** Where several ways must all have come together, what has completed on any of them has; null = not all can be gone yet. */
function joined(
  { joins }: FlowGraph,
  sets: ReadonlyMap<number, Uint32Array>,
  way: { readonly to: number; readonly here: Uint32Array },
): Uint32Array | null {
  const all = (joins.get(way.to) ?? []).map((end) => sets.get(end));
  const union = Uint32Array.from(way.here);
  for (const set of all) {
    if (set === undefined) return null;
    for (let word = 0; word < union.length; word += 1) union[word] = elementAt(union, word) | elementAt(set, word);
  }
  return union;
}

/** One way out of a node, and the step that has completed when it is taken. */
interface WayOut {
  readonly to: number;
  readonly gains: number | null;
}

function waysOut(graph: FlowGraph): readonly (readonly WayOut[])[] {
  const out: WayOut[][] = Array.from({ length: graph.nodeCount }, () => []);
  for (const edge of graph.edges) {
    const gains = edge.kind === 'done' ? (graph.completes(edge.from)?.index ?? null) : null;
    out[edge.from]?.push({ to: edge.to, gains });
  }
  return out;
}

function withBit(set: Uint32Array, index: number | null): Uint32Array {
  const copy = Uint32Array.from(set);
  if (index !== null) copy[index >> 5] = elementAt(copy, index >> 5) | (1 << (index & 31));
  return copy;
}

function hasBit(set: Uint32Array | undefined, index: number): boolean {
  return set !== undefined && (elementAt(set, index >> 5) & (1 << (index & 31))) !== 0;
}

/** Intersects what was known at a node with what an edge brings: the set if that changed it, else null. */
function meet(sets: Map<number, Uint32Array>, node: number, incoming: Uint32Array): Uint32Array | null {
  const known = sets.get(node);
  if (known === undefined) {
    sets.set(node, incoming);
    return incoming;
  }
  let changed = false;
  for (let word = 0; word < known.length; word += 1) {
    const met = elementAt(known, word) & elementAt(incoming, word);
    if (met >>> 0 !== known[word]) {
      known[word] = met;
      changed = true;
    }
  }
  return changed ? known : null;
}

/** All nodes that control can reach from some nodes, along edges that pass a filter; breadth first. */
export function reachableFrom(
  graph: FlowGraph,
  from: readonly number[],
  direction: 'forward' | 'backward' = 'forward',
): ReadonlySet<number> {
  const out: number[][] = Array.from({ length: graph.nodeCount }, () => []);
  for (const edge of graph.edges) {
    if (direction === 'backward') out[edge.to]?.push(edge.from);
    else out[edge.from]?.push(edge.to);
  }
  const seen = new Set(from);
  const queue = [...from];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const next of elementAt(out, node)) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return seen;
}
