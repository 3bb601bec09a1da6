import type { WorkflowDefinition } from '../model/definition.ts';
import type { Problem } from '../model/problem.ts';
import { checkExpressions } from './check-expressions.ts';
import { expressionsOfTheirOwn, lintOfItsOwn, withoutRepeats } from './consequences.ts';
import { lintWorkflow } from './lint/lint-workflow.ts';
import { readWorkflow } from './read-workflow.ts';
import { sortProblems, toProblem } from './report-problem.ts';
import type { SourceMap } from './source-map.ts';

/** The definition where the file has no error, all problems in file order, and the place of every node. */
export interface ValidatedWorkflow {
  readonly definition: WorkflowDefinition | null;
  readonly problems: readonly Problem[];
  readonly map: SourceMap;
}

/**
 * Checks a workflow file completely: YAML, keys and values, expressions, lint. All problems come in one run, and one
 * mistake gives one problem: what only follows from another is left out. Never throws.
 * @param file the name that problems carry.
 */
export function validateWorkflow(text: string, file: string): ValidatedWorkflow {
  const reading = readWorkflow(text, file);
  const { built, map } = reading;
  if (built === null) return { definition: null, problems: sortProblems(reading.problems), map };
  const lint = reading.isPartial ? [] : lintOfItsOwn(lintWorkflow(built, map, !reading.hasHoles), reading, built);
  const found = checkExpressions(built).map((finding) => toProblem(map, finding));
  const expressions = withoutRepeats(expressionsOfTheirOwn(found, reading), lint);
  const problems = sortProblems([...reading.problems, ...expressions, ...lint]);
  const failed = problems.some((problem) => problem.severity === 'error');
  return { definition: failed ? null : built, problems, map };
}
