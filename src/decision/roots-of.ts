import { dependenciesOf, expressionsOf } from '../definition/dependencies.ts';
import type { Expression, Template } from '../model/definition.ts';

/** Expressions live as long as their version, so each is read once. */
const known = new WeakMap<Expression, ReadonlySet<string>>();

/** The roots that an expression reads (`with`, `response`, `secrets`, …). */
export function rootsOf(expression: Expression): ReadonlySet<string> {
  const found = known.get(expression);
  if (found !== undefined) return found;
  const roots = new Set(dependenciesOf(expression).flatMap((path) => path.slice(0, 1)));
  known.set(expression, roots);
  return roots;
}

/** Whether a template reads `secrets.*`, so that only the moment of sending may render it. */
export function readsSecrets(template: Template): boolean {
  return expressionsOf(template).some((expression) => rootsOf(expression).has('secrets'));
}

/** Names of the secrets that a template reads. */
export function secretsIn(template: Template): readonly string[] {
  const paths = expressionsOf(template).flatMap((expression) => dependenciesOf(expression));
  return paths.filter((path) => path[0] === 'secrets').flatMap((path) => path.slice(1, 2));
}
