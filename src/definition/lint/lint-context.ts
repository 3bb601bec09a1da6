import type { ActionContract, WorkflowDefinition } from '../../model/definition.ts';
import type { Finding } from '../report-problem.ts';
import type { SourceMap } from '../source-map.ts';
import { type CompletedBefore, completedBefore } from './completed-before.ts';
import { buildFlowGraph, type FlowGraph } from './flow-graph.ts';

/** What every lint rule reads, and where it reports. */
export interface LintContext {
  readonly definition: WorkflowDefinition;
  /** The places of the file. */
  readonly map: SourceMap;
  readonly graph: FlowGraph;
  readonly completed: CompletedBefore;
  action(name: string): ActionContract | null;
  report(finding: Finding): void;
}

/** Analyses a definition once for all rules. */
export function createLintContext(
  definition: WorkflowDefinition,
  map: SourceMap,
  report: (finding: Finding) => void,
): LintContext {
  const graph = buildFlowGraph(definition);
  const actions = new Map(definition.actions.map((action) => [action.name, action]));
  const action = (name: string): ActionContract | null => actions.get(name) ?? null;
  return { definition, map, graph, completed: completedBefore(graph), action, report };
}
