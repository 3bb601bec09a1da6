import type { WorkflowDefinition } from '../model/definition.ts';
import type { Problem } from '../model/problem.ts';
import { parseWorkflow } from './parse-workflow.ts';

/** The definition where the file has no error, and all problems of the file in its order. */
export interface ValidatedWorkflow {
  readonly definition: WorkflowDefinition | null;
  readonly problems: readonly Problem[];
}

/** Checks a workflow file completely: YAML, schema, names, expressions and lint. Never throws. */
export function validateWorkflow(text: string, file: string): ValidatedWorkflow {
  const { definition, problems } = parseWorkflow(text, file);
  return { definition, problems };
}
