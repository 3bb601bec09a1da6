import { linksIn } from '../decision/link-root.ts';
import type { WorkflowDefinition } from '../model/definition.ts';
import { RefusedError } from '../model/errors.ts';
import { everyStep } from '../model/step-lists.ts';
import type { Engine } from './engine.ts';
import { LINKS_MISSING } from './link-request.ts';

/** Definitions live as long as their version, so each is looked through once. */
const known = new WeakMap<WorkflowDefinition, string | null>();

/** A step that waits for somebody whom a call of the workflow sends its address; null = none. */
function linkedStep(definition: WorkflowDefinition): string | null {
  const found = known.get(definition);
  if (found !== undefined) return found;
  const [first = null] = everyStep(definition).flatMap((step) => (step.verb === 'call' ? linksIn(step.with) : []));
  known.set(definition, first);
  return first;
}

/**
 * Refuses a workflow that would only find out at a sending that no address can be made here.
 * @throws PAWL_LINKS_OFF naming the link and what is missing where.
 */
export function assertLinks({ links }: Pick<Engine, 'links'>, definition: WorkflowDefinition): void {
  const step = links === undefined ? linkedStep(definition) : null;
  if (step === null) return;
  const message = `${definition.workflow} sends the address of "${step}" (links.${step}), and ${LINKS_MISSING}`;
  throw new RefusedError('PAWL_LINKS_OFF', message, { workflow: definition.workflow, step });
}
