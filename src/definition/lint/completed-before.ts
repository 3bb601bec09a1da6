import { elementAt } from '../../model/element-at.ts';
import { dominatorsOf } from './dominators.ts';
import type { FlowGraph, FlowKind } from './flow-graph.ts';

/** Which steps have completed on every way to a node. */
export interface CompletedBefore {
  /** Whether control can get there at all. */
  isReachable(node: number): boolean;
  /** Whether step `index` has completed on every way from the start to `node`. */
  always(node: number, index: number): boolean;
  /** Whether one of these steps, the same one, has completed on every way to a node. */
  alwaysOneOf(indexes: ReadonlySet<number>): (node: number) => boolean;
}

/**
 * A completion is a node of its own, between a step and where its `done` edges lead: a step has completed on every way to a node
 * when its completion lies on every way there.
 */
export function completedBefore(graph: FlowGraph): CompletedBefore {
  const completion = (index: number): number => graph.nodeCount + index;
  const out: number[][] = Array.from({ length: graph.nodeCount + graph.steps.length }, () => []);
  for (const { from, to, kind } of graph.edges) {
    const done = kind === 'done' ? graph.completes(from) : null;
    if (done === null) elementAt(out, from).push(to);
    else {
      const between = elementAt(out, completion(done.index));
      if (between.length === 0) elementAt(out, from).push(completion(done.index));
      between.push(to);
    }
  }
  closeUnmetJoins(graph, out);
  const dominators = dominatorsOf(out, graph.start);
  const dominates = (over: number, node: number): boolean => over === node || dominators.dominates(over, node);
  const always = (node: number, index: number): boolean => {
    let sure = completion(index);
    if (dominates(sure, node)) return true;
    // What has completed on every way to the end of a branch has done so behind the join, where all branches must succeed.
    for (const { exit, end } of joinsAround(graph, index)) {
      if (!dominates(sure, end)) return false;
      if (dominates(exit, node)) return true;
      sure = exit;
    }
    return false;
  };
  return {
    isReachable: (node) => dominators.isReachable(node),
    always,
    alwaysOneOf: (indexes) => {
      const below = dominators.below((node) => indexes.has(node - graph.nodeCount));
      const joined = [...indexes].filter((index) => joinsAround(graph, index).length > 0);
      return (node) => below(node) || joined.some((index) => always(node, index));
    },
  };
}

/** Nothing comes behind a join of all of which one branch never comes to its end. */
function closeUnmetJoins({ joins, start }: FlowGraph, out: number[][]): void {
  for (let open = [...joins]; ; ) {
    const reached = reachedFrom(out, [start]);
    const unmet = open.filter(([exit, ends]) => reached.has(exit) && !ends.every((end) => reached.has(end)));
    if (unmet.length === 0) return;
    for (const [exit, ends] of unmet)
      for (const end of ends) out[end] = elementAt(out, end).filter((to) => to !== exit);
    open = open.filter((join) => !unmet.includes(join));
  }
}

/** The parallel steps around a step of which all branches must succeed, innermost first: their exits, and the end of its branch. */
function joinsAround(graph: FlowGraph, index: number): readonly { readonly exit: number; readonly end: number }[] {
  const found: { readonly exit: number; readonly end: number }[] = [];
  let at = elementAt(graph.steps, index);
  for (let { parent } = at; parent !== null; { parent } = at) {
    const { step } = parent;
    const exit = graph.exitOf(parent.index);
    const branch = step.verb === 'parallel' ? step.branches.findIndex(({ steps }) => steps === at.siblings) : -1;
    const end = graph.joins.get(exit)?.[branch];
    if (end !== undefined) found.push({ exit, end });
    at = parent;
  }
  return found;
}

/** All nodes that control can reach from some nodes, along or against the edges. */
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
  return reachedFrom(out, from);
}

function reachedFrom(out: readonly (readonly number[])[], from: readonly number[]): ReadonlySet<number> {
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

/**
 * Of several calls those that can lead to a node when they are left by edges of some kinds: up to two of them, so that of each it is
 * known whether another one leads to it. @returns their indexes, by node.
 */
export function ledTo(
  graph: FlowGraph,
  indexes: ReadonlySet<number>,
  kinds: readonly FlowKind[],
): readonly (readonly number[])[] {
  const out: number[][] = Array.from({ length: graph.nodeCount }, () => []);
  const led: number[][] = Array.from({ length: graph.nodeCount }, () => []);
  const queue: { readonly node: number; readonly by: number }[] = [];
  for (const { from, to, kind } of graph.edges) {
    elementAt(out, from).push(to);
    if (indexes.has(from) && kinds.includes(kind)) queue.push({ node: to, by: from });
  }
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { node, by } = next;
    const known = elementAt(led, node);
    if (known.length === 2 || known.includes(by)) continue;
    known.push(by);
    for (const to of elementAt(out, node)) queue.push({ node: to, by });
  }
  return led;
}
