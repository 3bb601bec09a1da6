import { checkChildren, withInputs } from '../definition/check-children.ts';
import { toProblem, type Finding } from '../definition/report-problem.ts';
import type { SourceMap } from '../definition/source-map.ts';
import type { ActionContract, WorkflowDefinition } from '../model/definition.ts';
import { DefinitionError } from '../model/errors.ts';
import type { Engine } from './engine.ts';

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
  const missing: Finding[] = [];
  const inputs = new Map<string, ActionContract['input']>();
  for (const action of definition.actions) {
    const { transport, name } = action;
    if (transport.kind !== 'child' || transport.act !== 'start') continue;
    const child = await engine.versions.find(engine.tenant, transport.workflow, transport.version);
    if (child === null) missing.push(unknownChild(action));
    else inputs.set(name, child.compiled.machine.definition.input);
  }
  if (missing.length > 0) throw new DefinitionError(missing.map((finding) => toProblem(map, finding)));
  if (inputs.size === 0) return definition;
  const whole = withInputs(definition, (workflow, version) => inputs.get(`${workflow}@${version}`) ?? null);
  const errors = checkChildren(whole, map);
  if (errors.length > 0) throw new DefinitionError(errors);
  return whole;
}
