import type { WorkflowDefinition } from '../../model/definition.ts';
import type { Problem } from '../../model/problem.ts';
import { type Finding, toProblem } from '../report-problem.ts';
import type { SourceMap } from '../source-map.ts';
import { lintDuplicateIds, lintJumps, lintNames, lintReach } from './flow-rules.ts';
import { createLintContext, type LintContext } from './lint-context.ts';
import { lintLiteralSecrets } from './literal-secret-rule.ts';
import { lintActions, lintPivot, lintPolicies } from './money-rules.ts';
import { lintApprovals, lintDeadline } from './people-rules.ts';
import { lintProviders } from './provider-rules.ts';
import { lintAuthorized, lintCompensationReads, lintRedacted, lintSecrets, lintStepReads } from './reading-rules.ts';

const RULES: readonly ((context: LintContext) => void)[] = [
  lintDuplicateIds,
  lintNames,
  lintJumps,
  lintReach,
  lintActions,
  lintPivot,
  lintPolicies,
  lintProviders,
  lintStepReads,
  lintAuthorized,
  lintCompensationReads,
  lintSecrets,
  lintRedacted,
  lintApprovals,
  lintDeadline,
];

/**
 * What could cost money if forgotten, and what cannot work: every rule looks at the whole definition, all problems come
 * in one run. `map` finds the places in the file.
 */
export function lintWorkflow(definition: WorkflowDefinition, map: SourceMap): readonly Problem[] {
  const findings: Finding[] = [];
  const context = createLintContext(definition, (finding) => findings.push(finding));
  for (const rule of RULES) rule(context);
  lintLiteralSecrets(context, map);
  return findings.map((finding) => toProblem(map, finding));
}
