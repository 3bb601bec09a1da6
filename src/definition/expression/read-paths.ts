import type { Reads } from './bind-value.ts';
import { partsOf, pathOf, type SyntaxNode } from './syntax-tree.ts';

/** A path that an expression reads. */
export interface PathRead {
  /** From the root: `['steps', 'pay', 'output', 'id']`. */
  readonly path: readonly string[];
  readonly node: SyntaxNode;
  /** Whether the expression has an answer when it is not there: inside `has(…)` or `or(…)`. */
  readonly guarded: boolean;
}

/** The paths that a tree reads, each as long as it is literal; item names of comprehensions are none. */
export function readPaths(node: SyntaxNode): readonly PathRead[] {
  const found: PathRead[] = [];
  walk(node, { items: new Set(), guarded: false }, found);
  return found;
}

interface Place {
  readonly items: ReadonlySet<string>;
  readonly guarded: boolean;
}

function walk(node: SyntaxNode, place: Place, found: PathRead[]): void {
  const path = pathOf(node);
  if (path !== null) {
    if (!place.items.has(path[0] ?? '')) found.push({ path, node, guarded: place.guarded });
    return;
  }
  if (node.kind === 'comprehension') {
    walk(node.range, place, found);
    const inside = { ...place, items: new Set([...place.items, node.item]) };
    for (const part of node.args) walk(part, inside, found);
    return;
  }
  if (node.kind === 'call' && (node.name === 'has' || node.name === 'or')) {
    for (const [at, part] of node.args.entries()) walk(part, at === 0 ? { ...place, guarded: true } : place, found);
    return;
  }
  for (const part of partsOf(node)) walk(part, place, found);
}

/** The same paths as a tree, for binding only what is read; a path that ends holds all below it. */
export function readsOf(paths: readonly PathRead[]): ReadonlyMap<string, Reads> {
  const root = new Map<string, Reads>();
  for (const { path } of paths) add(root, path);
  return root;
}

function add(tree: Map<string, Reads>, path: readonly string[]): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  const known = tree.get(name);
  if (known === true) return;
  if (rest.length === 0) {
    tree.set(name, true);
    return;
  }
  const below = new Map(known);
  add(below, rest);
  tree.set(name, below);
}
