import type { CompiledMachine } from '../machine/compile.ts';
import { bodiesAround, type Program } from '../machine/program.ts';
import { leavesOf } from '../machine/position.ts';
import type { Json } from '../model/json.ts';

/**
 * The steps in which a run waits for the world, in document order: one, or one of each branch; none while it is held,
 * settling or ended, or its step drains.
 */
export function activeLeaves(compiled: Pick<Program, 'machine'>, value: Json): readonly string[] {
  const leaves = leavesOf(compiled, value) ?? [];
  return leaves.flatMap(({ role, step }) => (role === 'active' && step !== null ? [step] : []));
}

/** Who may take an event, seen from an active step; `owner` null = the document. */
export interface HandlerOwner {
  readonly leaf: string;
  readonly owner: string | null;
}

/**
 * Who takes events while steps are active: the steps themselves and the groups around them (never one whose catch runs), those
 * furthest inside first, in document order where two stand as deep; last the document.
 */
export function handlerOwnersOf(compiled: CompiledMachine, leaves: readonly string[]): readonly HandlerOwner[] {
  const owners = new Map<string, HandlerOwner>();
  for (const leaf of leaves) {
    for (const owner of [leaf, ...bodiesAround(compiled.place(leaf))])
      if (!owners.has(owner)) owners.set(owner, { leaf, owner });
  }
  const depth = (owner: string): number => compiled.place(owner).parents.length;
  const inside = [...owners].sort(([left], [right]) => depth(right) - depth(left)).map(([, owner]) => owner);
  return [...inside, ...leaves.slice(0, 1).map((leaf) => ({ leaf, owner: null }))];
}
