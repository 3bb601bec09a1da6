import type { AwaitStep, Handler } from '../model/definition.ts';
import { eventSite } from '../definition/expression-places.ts';
import { eventView } from '../machine/scope.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { EventView } from '../model/kernel.ts';
import { awaitLink } from '../model/link.ts';
import type { RunData } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { orFault } from './faults.ts';
import { framesAt, scopeAt } from './step-scope.ts';
import { authorOf } from '../machine/lane-steps.ts';

/** Whether an `await` takes an event: its name, one of `from`, the correlation value, `where`; by a link, this very wait. */
export function awaitTakes(draft: Draft, step: AwaitStep, data: RunData, view: EventView): boolean {
  if (step.event !== view.name || !isMeant(draft, step, data, view)) return false;
  if (step.from.length > 0 && !step.from.includes(view.source)) return false;
  return matches(draft, { taker: step, step: step.id, data, view });
}

/** What came by an address is for the one wait that the address was made for, of whichever item, turn and visit. */
function isMeant(draft: Draft, step: AwaitStep, data: RunData, { link }: EventView): boolean {
  return link === undefined || link === awaitLink(authorOf(step.id), framesAt(draft, step.id, data));
}

/** Whether a handler takes an event, never one that came for a wait. @param step the step that declares it; null = the document. */
export function handlerTakes(draft: Draft, handler: Handler, step: string | null, view: EventView): boolean {
  if (view.link !== undefined) return false;
  return handler.event === view.name && matches(draft, { taker: handler, step, data: draft.snapshot.data, view });
}

interface MatchAsk {
  readonly taker: Pick<Handler, 'match' | 'where'>;
  readonly step: string | null;
  readonly data: RunData;
  readonly view: EventView;
}

/** An expression that cannot be computed for this event does not take it: the event stays for another taker. */
function matches(draft: Draft, ask: MatchAsk): boolean {
  return orFault(
    () => correlates(draft, ask) && holdsWhere(draft, ask),
    () => false,
  );
}

function correlates(draft: Draft, { taker, step, data, view }: MatchAsk): boolean {
  if (taker.match === null) return true;
  const { compiled } = draft.ctx;
  const by = compiled.machine.definition.events.find((declared) => declared.name === view.name)?.by ?? null;
  if (by === null) return false;
  const given = compiled.evaluator.evaluate(by, { kind: 'event', event: view.name }, { event: eventView(view) });
  const at = scopeAt(draft, step, data);
  return canonicalJson(given) === canonicalJson(compiled.evaluator.render(taker.match, at.site, at.scope));
}

function holdsWhere(draft: Draft, { taker, step, data, view }: MatchAsk): boolean {
  if (taker.where === null) return true;
  const at = scopeAt(draft, step, data);
  const site = eventSite(view.name, authorOf(step));
  return draft.ctx.compiled.evaluator.holds(taker.where, site, { ...at.scope, event: eventView(view) });
}
