import type { ActionContract, WorkflowDefinition } from '../model/definition.ts';
import type { Problem } from '../model/problem.ts';
import { checkExpressions } from './check-expressions.ts';
import { toProblem } from './report-problem.ts';
import type { SourceMap } from './source-map.ts';

/** What a version takes as input; null where it is not known. */
export type InputOf = (workflow: string, version: number) => ActionContract['input'] | null;

/** A definition in which what starts a child takes what that version takes as input, where that is known. */
export function withInputs(definition: WorkflowDefinition, inputOf: InputOf): WorkflowDefinition {
  const actions = definition.actions.map((action) => {
    const { transport } = action;
    if (transport.kind !== 'child' || transport.act !== 'start') return action;
    const input = inputOf(transport.workflow, transport.version);
    return input === null ? action : { ...action, input };
  });
  return { ...definition, actions };
}

/** What is wrong in a valid definition once it is known what its children take: a `with` that a child would refuse. */
export function checkChildren(whole: WorkflowDefinition, map: SourceMap): readonly Problem[] {
  return checkExpressions(whole)
    .map((finding) => toProblem(map, finding))
    .filter(({ severity }) => severity === 'error');
}
