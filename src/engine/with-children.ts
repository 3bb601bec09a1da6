import { checkExpressions } from '../definition/check-expressions.ts';
import { toProblem, type Finding } from '../definition/report-problem.ts';
import type { SourceMap } from '../definition/source-map.ts';
import type { ActionContract, WorkflowDefinition } from '../model/definition.ts';
import { DefinitionError } from '../model/errors.ts';
import type { Engine } from './engine.ts';

/** An action that starts a child gets what that version takes as input; null = it is not published. */
async function withInput(engine: ChildFinder, action: ActionContract): Promise<ActionContract | null> {
  const { transport } = action;
  if (transport.kind !== 'child' || transport.act !== 'start') return action;
  const child = await engine.versions.find(engine.tenant, transport.workflow, transport.version);
  return child === null ? null : { ...action, input: child.compiled.machine.definition.input };
}

function unknownChild({ name, pointer }: ActionContract): Finding {
  return {
    code: 'PAWL-241',
    pointer,
    message: `no version ${name} is published`,
    help: 'publish the child first: a parent is pinned to the version that it names',
  };
}

type ChildFinder = Pick<Engine, 'versions' | 'tenant'>;

/**
 * A definition with what its children take as input, so that `with` is checked against it, now and at the step's entry. A child
 * is published before its parent, so children never go in a circle.
 * @throws PAWL_DEFINITION_INVALID for a child that is not published, or a `with` that it would refuse. Transaction: none.
 */
export async function withChildren(
  engine: ChildFinder,
  definition: WorkflowDefinition,
  map: SourceMap,
): Promise<WorkflowDefinition> {
  if (!definition.actions.some(({ transport }) => transport.kind === 'child')) return definition;
  const missing: Finding[] = [];
  const actions: ActionContract[] = [];
  for (const action of definition.actions) {
    const found = await withInput(engine, action);
    if (found === null) missing.push(unknownChild(action));
    else actions.push(found);
  }
  const whole = { ...definition, actions };
  const findings = missing.length > 0 ? missing : checkExpressions(whole);
  const errors = findings.map((finding) => toProblem(map, finding)).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new DefinitionError(errors);
  return whole;
}
