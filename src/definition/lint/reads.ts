import type { Expression } from '../../model/definition.ts';
import { type Dependency, describeDependencies } from '../dependencies.ts';

/** A path that an expression reads, with the expression it stands in. */
export interface Read extends Dependency {
  readonly expression: Expression;
}

/** Every path an expression reads; none where it cannot be parsed (the expression checks tell that). */
export function readsOf(expression: Expression): readonly Read[] {
  return describeDependencies(expression).map((dependency) => ({ ...dependency, expression }));
}

/** Where a read stands in its YAML scalar. */
export function placeOf(read: Read): { readonly pointer: string; readonly at: readonly [number, number] } {
  const { pointer, offset } = read.expression;
  return { pointer, at: [offset + read.start, offset + read.end] };
}
