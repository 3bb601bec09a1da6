import { LINK_SOURCE } from '../../model/link.ts';
import type { ActionContract, AwaitStep, CallStep } from '../../model/definition.ts';
import { type ExpressionPlace, expressionPlaces } from '../expression-places.ts';
import { suggest } from '../suggest.ts';
import { expressionsIn } from './expressions-of.ts';
import type { PlacedStep } from './flow-graph.ts';
import type { LintContext } from './lint-context.ts';
import { placeOf, type Read, readsOf } from './reads.ts';

/** Why a link cannot be read where it is, and what mends it. */
interface Fault {
  readonly code: 'PAWL-706' | 'PAWL-707' | 'PAWL-708' | 'PAWL-709';
  readonly message: string;
  readonly help: string;
}

/** An address of this run goes out with a call, to whoever is to answer: an `await` or an `approve` that is still to come. */
export function lintLinks(context: LintContext): void {
  const { definition, graph, report } = context;
  for (const read of expressionPlaces(definition).flatMap(readsOutside))
    report({
      code: 'PAWL-705',
      ...placeOf(read),
      message: 'a link would be stored and shown here',
      help: 'links.* can be read in the "with" of a call only; the address is put in at each sending',
    });
  for (const placed of graph.steps) {
    if (placed.step.verb !== 'call') continue;
    for (const read of expressionsIn(placed.step.with).flatMap(readsOf)) {
      if (read.path[0] !== 'links') continue;
      const sender = { placed, step: placed.step };
      const fault = context.definition.machine === undefined ? faultOf(context, sender, read) : STATES_DO_NOT_WAIT;
      if (fault !== null) report({ ...fault, ...placeOf(read) });
    }
  }
}

function readsOutside(place: ExpressionPlace): readonly Read[] {
  const isSent = 'sends' in place.site && place.site.sends === true;
  if (isSent) return [];
  const expressions = place.kind === 'template' ? expressionsIn(place.template) : [place.expression];
  return expressions.flatMap(readsOf).filter(({ path }) => path[0] === 'links');
}

interface Sender {
  readonly placed: PlacedStep;
  readonly step: CallStep;
}

function faultOf(context: LintContext, sender: Sender, { path }: Read): Fault | null {
  const [, id] = path;
  const target = id === undefined ? undefined : context.graph.byId.get(id);
  const { step } = target ?? {};
  if (target === undefined || (step?.verb !== 'await' && step?.verb !== 'approve'))
    return nobodyWaits(context, id ?? null, target);
  const unsent = unsendable(sender.step, context.action(sender.step.action));
  if (unsent !== null) return { code: 'PAWL-707', ...unsent };
  const gone = isGone(context, sender.placed, target);
  if (gone !== null) return { code: 'PAWL-708', ...gone };
  return step.verb === 'await' ? deafTo(context, step) : null;
}

/** The states of a machine take events for as long as they are active: none of them is a wait with a name of its own. */
const STATES_DO_NOT_WAIT: Fault = {
  code: 'PAWL-706',
  message: 'a link leads to no state of a machine',
  help: 'write the workflow as "steps" with an "await" or an "approve", or leave the link out and let the event be sent with a key',
};

function nobodyWaits({ graph }: LintContext, id: string | null, target: PlacedStep | undefined): Fault {
  const waits = graph.steps.flatMap(({ step }) => (step.verb === 'await' || step.verb === 'approve' ? [step.id] : []));
  const known = waits.length === 0 ? 'this file has none' : `here: ${waits.join(', ')}`;
  const near = id === null || target !== undefined ? null : suggest(id, waits);
  const words =
    target === undefined ? `there is no step "${id}"` : `"${id}" is a ${target.step.verb}: nobody is waited for`;
  return {
    code: 'PAWL-706',
    message: id === null ? 'a link leads to one step: name it' : words,
    help: near ?? `links.ID leads to an "await" or an "approve" of this file (${known})`,
  };
}

type Words = Pick<Fault, 'message' | 'help'>;

/** An address leaves in a request that is sent from here, and belongs to one run. */
function unsendable({ reach, child }: CallStep, action: ActionContract | null): Words | null {
  if (child !== undefined)
    return { message: 'a child cannot be sent a link: its input is stored', help: 'let a call of an action send it' };
  if (action?.transport.kind === 'sql')
    return { message: 'a statement cannot be given a link: it would be stored', help: 'let a call over http send it' };
  if (action?.effect === 'read')
    return { message: 'a read asks nobody to come back', help: `make "${action.name}" a write, or leave the link out` };
  if (reach === undefined) return null;
  return {
    message: `a link is for one run, and this act is shared by all (reach: ${reach})`,
    help: 'leave "reach" out, or let another call send the link',
  };
}

function isGone({ completed }: LintContext, from: PlacedStep, target: PlacedStep): Words | null {
  const group = around(target).find(
    ({ step }) => isRepeated(step.verb) && !around(from).some((one) => one.step === step),
  );
  const { id } = target.step;
  if (group !== undefined)
    return {
      message: `"${id}" waits once for each turn of "${group.step.id}", and this call is not in it`,
      help: `let a call inside "${group.step.id}" send the link`,
    };
  const isOver = completed.always(from.index, target.index) || around(from).includes(target);
  if (!isOver && !(from.isLast && !target.isLast)) return null;
  return { message: `when this goes out "${id}" waits no more`, help: `send the link before "${id}"` };
}

function isRepeated(verb: PlacedStep['step']['verb']): boolean {
  return verb === 'map' || verb === 'repeat';
}

/** The steps around a step, innermost first. */
function around({ parent }: PlacedStep): readonly PlacedStep[] {
  return parent === null ? [] : [parent, ...around(parent)];
}

/** Where the sources of an event are named, what comes by a link must be one of them. */
function deafTo({ definition }: LintContext, { id, event, from }: AwaitStep): Fault | null {
  const source = definition.events.find(({ name }) => name === event)?.source ?? LINK_SOURCE;
  const by = `what comes by a link is from "${LINK_SOURCE}"`;
  if (source !== LINK_SOURCE)
    return {
      code: 'PAWL-709',
      message: `"${event}" is taken from ${source} only, and ${by}`,
      help: `declare "source: ${LINK_SOURCE}", or an event of its own`,
    };
  if (from.length === 0 || from.includes(LINK_SOURCE)) return null;
  return {
    code: 'PAWL-709',
    message: `"${id}" takes "${event}" from ${from.join(', ')} only, and ${by}`,
    help: `add it: "from: [${[...from, LINK_SOURCE].join(', ')}]"`,
  };
}
