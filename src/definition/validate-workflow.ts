import type { WorkflowDefinition } from '../model/definition.ts';
import type { Problem } from '../model/problem.ts';
import type { Catalogue } from './catalogue.ts';
import { checkExpressions } from './check-expressions.ts';
import { expressionsOfTheirOwn, lintOfItsOwn, withoutRepeats } from './consequences.ts';
import { NO_CATALOGUES, type Shelf } from './embed-catalogues.ts';
import { lintWorkflow } from './lint/lint-workflow.ts';
import { placeInForm } from './lint/machine-rules.ts';
import { readWorkflow } from './read-workflow.ts';
import { sortProblems, toProblem } from './report-problem.ts';
import type { SourceMap } from './source-map.ts';

/** The definition where the file has no error, all problems in file order, and the place of every node. */
export interface ValidatedWorkflow {
  readonly definition: WorkflowDefinition | null;
  readonly problems: readonly Problem[];
  readonly map: SourceMap;
  /** The catalogues that were embedded. */
  readonly catalogues: readonly Catalogue[];
}

/**
 * Checks a workflow file completely: YAML, keys and values, catalogues, expressions, lint. All problems come in one run, and
 * one mistake gives one problem: what only follows from another is left out. Never throws.
 * @param file the name that problems carry; those of a catalogue carry the name of its own.
 * @param shelf the catalogues that it may use; none unless given.
 */
export function validateWorkflow(text: string, file: string, shelf: Shelf = NO_CATALOGUES): ValidatedWorkflow {
  const reading = readWorkflow(text, file, shelf);
  const { built, map, catalogues } = reading;
  if (built === null) return { definition: null, problems: sortProblems(reading.problems), map, catalogues };
  const lint = reading.isPartial ? [] : lintOfItsOwn(lintWorkflow(built, map, !reading.hasHoles), reading, built);
  const found = checkExpressions(built).map((finding) =>
    toProblem(map, { ...finding, pointer: placeInForm(finding.pointer) }),
  );
  const expressions = withoutRepeats(expressionsOfTheirOwn(found, reading), lint);
  const problems = inTheirFiles([...reading.problems, ...expressions, ...lint], map);
  const failed = problems.some((problem) => problem.severity === 'error');
  return { definition: failed ? null : built, problems, map, catalogues };
}

/** First what is wrong in the workflow, then in its catalogues: these are checked by themselves, too, and nothing is told twice. */
function inTheirFiles(problems: readonly Problem[], map: SourceMap): readonly Problem[] {
  const own = problems.filter(({ file }) => file === map.file);
  const embedded = problems
    .filter(({ file }) => file !== map.file)
    .map((problem) => ({ ...problem, pointer: map.homeOf(problem.pointer).pointer }));
  const told = new Map(embedded.map((problem) => [JSON.stringify(problem), problem]));
  return [...sortProblems(own), ...sortProblems([...told.values()])];
}
