import type { ActionContract, WorkflowDefinition } from '../../model/definition.ts';
import type { Finding } from '../report-problem.ts';
import { type CompletedBefore, completedBefore } from './completed-before.ts';
import { buildFlowGraph, type FlowGraph } from './flow-graph.ts';

/** What every lint rule reads, and where it reports. */
export interface LintContext {
  readonly definition: WorkflowDefinition;
  readonly graph: FlowGraph;
  readonly completed: CompletedBefore;
  action(name: string): ActionContract | null;
  report(finding: Finding): void;
}

/** Analyses a definition once for all rules. */
export function createLintContext(definition: WorkflowDefinition, report: (finding: Finding) => void): LintContext {
  const graph = buildFlowGraph(definition);
  const actions = new Map(definition.actions.map((action) => [action.name, action]));
  return { definition, graph, completed: completedBefore(graph), action: (name) => actions.get(name) ?? null, report };
}
