import type { WorkflowDefinition } from '../model/definition.ts';
import type { Problem } from '../model/problem.ts';
import type { Catalogue } from './catalogue.ts';
import { NO_CATALOGUES, type Shelf } from './embed-catalogues.ts';
import { readWorkflow } from './read-workflow.ts';
import { sortProblems } from './report-problem.ts';
import type { SourceMap } from './source-map.ts';

/** A parsed file: the definition where it has no error, all problems, and the place of every node. */
export interface ParsedWorkflow {
  readonly definition: WorkflowDefinition | null;
  readonly problems: readonly Problem[];
  readonly map: SourceMap;
  /** The catalogues that were embedded. */
  readonly catalogues: readonly Catalogue[];
}

/**
 * Parses a workflow file: YAML, keys and values. Names and expressions are checked by `validateWorkflow`. Never throws.
 * @param file the name that problems carry.
 * @param shelf the catalogues that it may use; none unless given.
 */
export function parseWorkflow(text: string, file: string, shelf: Shelf = NO_CATALOGUES): ParsedWorkflow {
  const { built, problems, map, catalogues } = readWorkflow(text, file, shelf);
  const failed = problems.some((problem) => problem.severity === 'error');
  return { definition: failed ? null : built, problems: sortProblems(problems), map, catalogues };
}
