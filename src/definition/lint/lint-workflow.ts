import type { WorkflowDefinition } from '../../model/definition.ts';
import type { Problem } from '../../model/problem.ts';
import { type Finding, toProblem } from '../report-problem.ts';
import type { SourceMap } from '../source-map.ts';
import { lintAskedAgain } from './asked-again-rules.ts';
import { lintBranches } from './branch-rules.ts';
import { lintChildren } from './child-rules.ts';
import { lintCatches } from './catch-rules.ts';
import { lintOvertaken } from './event-rules.ts';
import { lintFinally } from './finally-rules.ts';
import { lintDuplicateIds, lintJumps, lintNames, lintReach, lintUndos } from './flow-rules.ts';
import { lintFormPivots } from './form-pivot-rules.ts';
import { lintItems } from './item-rules.ts';
import { createLintContext, type LintContext } from './lint-context.ts';
import { lintLinks } from './link-rules.ts';
import { lintLiteralSecrets } from './literal-secret-rule.ts';
import { lintFormNames, lintFormReach, lintFormUndo, placeInForm } from './machine-rules.ts';
import { lintActions, lintPivot, lintPolicies } from './money-rules.ts';
import { lintApprovals, lintDeadline, lintUndoApprovals } from './people-rules.ts';
import { lintProviders } from './provider-rules.ts';
import { lintRaces } from './race-rules.ts';
import { lintRefusals } from './refusal-rules.ts';
import {
  lintAuthorized,
  lintAuthorizers,
  lintCompensationReads,
  lintRedacted,
  lintSecrets,
  lintStepReads,
} from './reading-rules.ts';
import { lintRetention } from './retention-rules.ts';
import { lintSchedule } from './schedule-rules.ts';
import { lintShares } from './share-rules.ts';
import { lintLanes } from './lane-rules.ts';
import { lintStatements } from './sql-rules.ts';
import { lintVainUndos } from './undo-rules.ts';
import { lintWorkers } from './worker-rules.ts';

type Rule = (context: LintContext) => void;

/** Rules that judge an action by itself and by the names it uses. */
const RULES_OF_ACTIONS: readonly Rule[] = [
  lintActions,
  lintPolicies,
  lintProviders,
  lintStatements,
  lintWorkers,
  lintCompensationReads,
  lintUndoApprovals,
  lintSecrets,
  lintRedacted,
  lintLiteralSecrets,
];

/** Rules that judge a step by itself and by the names it uses. */
const RULES_OF_STEPS: readonly Rule[] = [
  lintDuplicateIds,
  lintNames,
  lintJumps,
  lintUndos,
  lintVainUndos,
  lintItems,
  lintBranches,
  lintLanes,
  lintRaces,
  lintFinally,
  lintAuthorizers,
  lintApprovals,
  lintCatches,
  lintChildren,
  lintRefusals,
  lintShares,
  lintDeadline,
  lintSchedule,
  lintRetention,
];

/** Rules that follow the ways through a workflow: they need all of its steps. */
const RULES_OF_WAYS: readonly Rule[] = [
  lintReach,
  lintPivot,
  lintStepReads,
  lintLinks,
  lintAuthorized,
  lintAskedAgain,
  lintOvertaken,
];

/** The same of a machine, whose steps stand in no order. */
const RULES_OF_MACHINES: readonly Rule[] = [lintFormReach, lintFormNames, lintFormUndo, lintFormPivots, lintLinks];

/**
 * What could cost money if forgotten, and what cannot work: every rule looks at the whole definition, all problems come
 * in one run.
 * @param map finds the places in the file.
 * @param isWhole whether no step of the file is missing in the definition.
 */
export function lintWorkflow(definition: WorkflowDefinition, map: SourceMap, isWhole: boolean): readonly Problem[] {
  const ways = definition.machine === undefined ? RULES_OF_WAYS : RULES_OF_MACHINES;
  return lint(definition, map, [...RULES_OF_STEPS, ...RULES_OF_ACTIONS, ...(isWhole ? ways : [])]);
}

/** The same of actions without any step. */
export function lintCatalogue(definition: WorkflowDefinition, map: SourceMap): readonly Problem[] {
  return lint(definition, map, RULES_OF_ACTIONS);
}

function lint(definition: WorkflowDefinition, map: SourceMap, rules: readonly Rule[]): readonly Problem[] {
  const findings: Finding[] = [];
  const context = createLintContext(definition, map, (finding) =>
    findings.push({ ...finding, pointer: placeInForm(finding.pointer) }),
  );
  for (const rule of rules) rule(context);
  return findings.map((finding) => toProblem(map, finding));
}
