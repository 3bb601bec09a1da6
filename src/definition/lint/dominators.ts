import { elementAt } from '../../model/element-at.ts';

/** Which nodes of a graph lie on every way from its start to another one. */
export interface Dominators {
  isReachable(node: number): boolean;
  /** Whether every way from the start to `node` leads through `over`; a node dominates itself. False for what cannot be reached. */
  dominates(over: number, node: number): boolean;
  /** Which nodes are dominated by one of those that are marked; asked of each node once. */
  below(isMarked: (node: number) => boolean): (node: number) => boolean;
}

const NONE = -1;

/**
 * The dominator tree by Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph" (1979), with simple linking:
 * the work grows with the edges times the logarithm of the nodes, however ways join.
 * @param out where ways lead from each node.
 */
export function dominatorsOf(out: readonly (readonly number[])[], start: number): Dominators {
  const { order, numbers, parents } = depthFirst(out, start);
  const before: number[][] = order.map(() => []);
  for (const [no, node] of order.entries())
    for (const next of elementAt(out, node)) elementAt(before, elementAt(numbers, next)).push(no);
  const idoms = new Linking(parents).solve(before);
  const { first, last } = intervalsOf(idoms);
  const numberOf = (node: number): number => elementAt(numbers, node);
  return {
    isReachable: (node) => numberOf(node) !== NONE,
    dominates: (over, node) => {
      const [above, below] = [numberOf(over), numberOf(node)];
      if (above === NONE || below === NONE) return false;
      const at = elementAt(first, below);
      return elementAt(first, above) <= at && at <= elementAt(last, above);
    },
    below: (isMarked) => {
      const flags: boolean[] = [];
      // A dominator has a smaller number than what it dominates.
      for (const [no, node] of order.entries()) flags.push(isMarked(node) || flags[elementAt(idoms, no)] === true);
      return (node) => flags[numberOf(node)] === true;
    },
  };
}

interface DepthFirst {
  /** Nodes by number, in the order of their first visit. */
  readonly order: readonly number[];
  /** Numbers by node; -1 for what cannot be reached. */
  readonly numbers: readonly number[];
  /** Numbers of parents by number; -1 for the start. */
  readonly parents: readonly number[];
}

function depthFirst(out: readonly (readonly number[])[], start: number): DepthFirst {
  const order: number[] = [];
  const numbers = out.map(() => NONE);
  const parents: number[] = [];
  const open = [{ node: start, from: NONE }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, from } = next;
    if (numbers[node] !== NONE) continue;
    numbers[node] = order.length;
    parents.push(from);
    for (const to of elementAt(out, node)) if (numbers[to] === NONE) open.push({ node: to, from: order.length });
    order.push(node);
  }
  return { order, numbers, parents };
}

/** The forest of the algorithm; everything is a number of the depth-first search. */
class Linking {
  private readonly parents: readonly number[];
  private readonly semis: number[];
  private readonly labels: number[];
  private readonly ancestors: number[];

  constructor(parents: readonly number[]) {
    this.parents = parents;
    this.semis = parents.map((_, no) => no);
    this.labels = parents.map((_, no) => no);
    this.ancestors = parents.map(() => NONE);
  }

  /** The immediate dominator of each; -1 for the start. */
  solve(before: readonly (readonly number[])[]): readonly number[] {
    const { parents, semis, ancestors } = this;
    const idoms = parents.map(() => NONE);
    const buckets: number[][] = parents.map(() => []);
    for (let no = parents.length - 1; no > 0; no -= 1) {
      const parent = elementAt(parents, no);
      for (const from of elementAt(before, no)) {
        semis[no] = Math.min(elementAt(semis, no), elementAt(semis, this.best(from)));
      }
      elementAt(buckets, elementAt(semis, no)).push(no);
      ancestors[no] = parent;
      for (const waiting of elementAt(buckets, parent).splice(0)) {
        const best = this.best(waiting);
        idoms[waiting] = elementAt(semis, best) < elementAt(semis, waiting) ? best : parent;
      }
    }
    for (let no = 1; no < parents.length; no += 1) {
      const idom = elementAt(idoms, no);
      if (idom !== semis[no]) idoms[no] = elementAt(idoms, idom);
    }
    return idoms;
  }

  /** Of what is linked above a number, itself included, the one with the smallest semidominator; paths are shortened on the way. */
  private best(no: number): number {
    const { ancestors, labels, semis } = this;
    if (ancestors[no] === NONE) return no;
    const path: number[] = [];
    for (let at = no; ancestors[elementAt(ancestors, at)] !== NONE; at = elementAt(ancestors, at)) path.push(at);
    for (const at of path.reverse()) {
      const above = elementAt(ancestors, at);
      if (elementAt(semis, elementAt(labels, above)) < elementAt(semis, elementAt(labels, at)))
        labels[at] = elementAt(labels, above);
      ancestors[at] = elementAt(ancestors, above);
    }
    return elementAt(labels, no);
  }
}

/** What is below a node in the tree has its first number between the first and the last of that node. */
function intervalsOf(idoms: readonly number[]): {
  readonly first: readonly number[];
  readonly last: readonly number[];
} {
  const children: number[][] = idoms.map(() => []);
  for (const [no, idom] of idoms.entries()) if (idom !== NONE) elementAt(children, idom).push(no);
  const sizes = idoms.map(() => 1);
  for (let no = idoms.length - 1; no > 0; no -= 1) {
    const idom = elementAt(idoms, no);
    sizes[idom] = elementAt(sizes, idom) + elementAt(sizes, no);
  }
  const first = idoms.map(() => 0);
  for (const [no, below] of children.entries()) {
    let at = elementAt(first, no) + 1;
    for (const child of below) {
      first[child] = at;
      at += elementAt(sizes, child);
    }
  }
  return { first, last: first.map((at, no) => at + elementAt(sizes, no) - 1) };
}
