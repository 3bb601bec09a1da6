import type { Expression, Template } from '../model/definition.ts';
import { caught } from '../model/caught.ts';
import { parseSource, SyntaxFault } from './expression-engine.ts';
import { readPaths } from './expression/read-paths.ts';

/** A path that an expression reads, and whether it has an answer when it is not there (inside `has(…)` or `or(…)`). */
export interface Dependency {
  readonly path: readonly string[];
  readonly guarded: boolean;
  /** Offsets in the CEL source. */
  readonly start: number;
  readonly end: number;
}

/** The paths that an expression reads, as `['steps', 'x', 'output', 'total']`; a source that cannot be read has none. */
export function dependenciesOf(expression: Expression): readonly string[][] {
  return describeDependencies(expression).map((dependency) => [...dependency.path]);
}

/** The same with their places and guards. */
export function describeDependencies(expression: Expression): readonly Dependency[] {
  try {
    return readPaths(parseSource(expression.source)).map(({ path, guarded, node }) => ({
      path,
      guarded,
      start: node.start,
      end: node.end,
    }));
  } catch (error) {
    caught(error, SyntaxFault);
    return [];
  }
}

/** All expressions of a template, in source order. */
export function expressionsOf(template: Template): readonly Expression[] {
  switch (template.kind) {
    case 'literal':
      return [];
    case 'expression':
      return [template.expression];
    case 'text':
      return template.parts.filter((part) => typeof part !== 'string');
    case 'list':
      return template.items.flatMap(expressionsOf);
    case 'map':
      return template.entries.flatMap(([, item]) => expressionsOf(item));
  }
}
