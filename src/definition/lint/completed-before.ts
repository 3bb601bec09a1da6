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
  const sets: (Uint32Array | null)[] = Array.from({ length: graph.nodeCount }, () => null);
  const out = waysOut(graph);
  sets[graph.start] = new Uint32Array(Math.ceil(graph.steps.length / WORD) || 1);
  const queue = [graph.start];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    const here = sets[node] ?? new Uint32Array(0);
    for (const { to, gains } of out[node] ?? []) {
      if (meet(sets, to, withBit(here, gains))) queue.push(to);
    }
  }
  return {
    isReachable: (node) => (sets[node] ?? null) !== null,
    always: (node, index) => hasBit(sets[node] ?? null, index),
  };
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

/** A word of a set; beyond its end nothing is in it. */
function wordAt(set: Uint32Array, at: number): number {
  return set[at] ?? 0;
}

function withBit(set: Uint32Array, index: number | null): Uint32Array {
  const copy = Uint32Array.from(set);
  if (index !== null) copy[index >> 5] = wordAt(copy, index >> 5) | (1 << (index & 31));
  return copy;
}

function hasBit(set: Uint32Array | null, index: number): boolean {
  return set !== null && (wordAt(set, index >> 5) & (1 << (index & 31))) !== 0;
}

/** Intersects what was known at a node with what an edge brings; true when that changed something. */
function meet(sets: (Uint32Array | null)[], node: number, incoming: Uint32Array): boolean {
  const known = sets[node];
  if (known === null || known === undefined) {
    sets[node] = incoming;
    return true;
  }
  let changed = false;
  for (let word = 0; word < known.length; word += 1) {
    const met = wordAt(known, word) & wordAt(incoming, word);
    if (met >>> 0 !== known[word]) {
      known[word] = met;
      changed = true;
    }
  }
  return changed;
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
    for (const next of out[node] ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return seen;
}
