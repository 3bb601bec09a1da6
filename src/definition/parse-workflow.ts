import type { WorkflowDefinition } from '../model/definition.ts';
import type { Problem } from '../model/problem.ts';
import { buildWorkflow } from './build-workflow.ts';
import { readYaml } from './read-yaml.ts';
import { type Finding, sortProblems, toProblem } from './report-problem.ts';
import type { SourceMap } from './source-map.ts';

/** A parsed file: the definition where it has no error, all problems, and the place of every node. */
export interface ParsedWorkflow {
  readonly definition: WorkflowDefinition | null;
  readonly problems: readonly Problem[];
  readonly map: SourceMap;
}

/**
 * Parses a workflow file: YAML, keys and values. Names and expressions are checked by `validateWorkflow`. Never throws.
 * @param file the name that problems carry.
 */
export function parseWorkflow(text: string, file: string): ParsedWorkflow {
  const yaml = readYaml(text, file);
  const findings: Finding[] = [];
  const context = { map: yaml.map, report: (finding: Finding) => findings.push(finding), ids: new Set<string>() };
  const built = yaml.value === undefined ? null : buildWorkflow(context, { value: yaml.value, pointer: '' });
  const problems = sortProblems([...yaml.problems, ...findings.map((finding) => toProblem(yaml.map, finding))]);
  const failed = problems.some((problem) => problem.severity === 'error');
  return { definition: failed ? null : built, problems, map: yaml.map };
}
