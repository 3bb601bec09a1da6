import type { CompiledMachine } from '../machine/compile.ts';
import { bodiesAround } from '../machine/program.ts';
import { invariant } from '../model/errors.ts';
import type { Json } from '../model/json.ts';

/**
 * The step in which a run waits for the world; null while none is active (it is held, settling, ended, or a step drains).
 * States of other roles have a `$` in their names, which no author's id can have.
 */
export function activeLeaf(value: Json): string | null {
  let at: Json = value;
  while (typeof at === 'object' && at !== null && !Array.isArray(at)) {
    const inner: Json | undefined = Object.values(at)[0];
    invariant(inner !== undefined, 'a position that ends nowhere');
    at = inner;
  }
  return typeof at === 'string' && !at.includes('$') ? at : null;
}

/** Who takes events while a step is active, innermost first: itself, then each group around it (never a step whose catch runs). */
export function handlerOwnersOf(compiled: CompiledMachine, leaf: string): readonly string[] {
  return [leaf, ...bodiesAround(compiled.place(leaf)).toReversed()];
}
