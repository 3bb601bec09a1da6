import type { WorkflowDefinition } from '../model/definition.ts';
import { dependenciesOf, expressionsOf } from './dependencies.ts';
import { expressionPlaces } from './expression-places.ts';

/** Whether some expression of a definition reads what a step gives; found when it is asked for the first time. */
export function createStepsRead(definition: WorkflowDefinition): (step: string) => boolean {
  let known: ReadonlySet<string> | null = null;
  return (step) => {
    known ??= stepsRead(definition);
    return known.has(step) || known.has(ALL);
  };
}

/** What is read when `steps` is read as a whole. */
const ALL = '*';

function stepsRead(definition: WorkflowDefinition): ReadonlySet<string> {
  const expressions = expressionPlaces(definition).flatMap((place) =>
    place.kind === 'expression' ? [place.expression] : expressionsOf(place.template),
  );
  const paths = expressions.flatMap(dependenciesOf);
  return new Set(paths.flatMap(([root, id]) => (root === 'steps' ? [id ?? ALL] : [])));
}
