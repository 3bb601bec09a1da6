import { orFault } from '../decision/faults.ts';
import type { SnapshotEnvelope } from '../decision/snapshot-envelope.ts';
import { eventView, stepScope, stepSite } from '../machine/scope.ts';
import type { AwaitStep, EventDeclaration } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import { sampleOf } from './sample.ts';
import type { LoadedVersion } from './version-cache.ts';

/** A wait for an event that only one value fits: what is compared, and with what. */
export interface Awaited {
  /** The event's `by`. */
  readonly by: string;
  readonly value: Json;
}

/** Where a run stands, to compute what it waits for. */
export interface AwaitSource {
  readonly version: Pick<LoadedVersion, 'compiled'>;
  readonly run: RunIdentity;
  readonly envelope: SnapshotEnvelope;
}

/** What an active `await` compares an event with; null where any of its name will do, or it cannot be computed any more. */
export function awaitedOf(
  { version: { compiled }, run, envelope }: AwaitSource,
  step: AwaitStep,
  declared: EventDeclaration | undefined,
): Awaited | null {
  const by = declared?.by ?? null;
  const { match, id } = step;
  if (match === null || by === null) return null;
  return orFault(
    () => {
      const scope = stepScope(compiled, { run, data: envelope.snapshot.data, step: id });
      return { by: by.source, value: compiled.evaluator.render(match, stepSite(compiled, id), scope) };
    },
    () => null,
  );
}

/** `event.data.order == "o-1"`. */
export function awaitedWords({ by, value }: Awaited): string {
  return `${by} == ${JSON.stringify(value)}`;
}

/** All that an event must say to be taken by a wait, beside its name; null where its name is enough. */
export function termsOf({ where, from }: AwaitStep, awaited: Awaited | null): string | null {
  const says = [...(awaited === null ? [] : [awaitedWords(awaited)]), ...(where === null ? [] : [where.source])];
  const terms = [says.join(' && '), from.length === 0 ? '' : `source ${from.join(' or ')}`];
  const told = terms.filter((term) => term !== '').join(', ');
  return told === '' ? null : told;
}

/** A place in the data of an event that a value can be written to. */
const PLACE = /^event\.data((?:\.[A-Za-z_]\w*)*)$/;

/** An event's data as a command has it: with the value that is waited for where that has a place of its own. */
export function sampleFor(schema: EventDeclaration['schema'], awaited: Awaited | null): string {
  const place = awaited === null ? null : PLACE.exec(awaited.by);
  if (awaited === null || place === null) return sampleOf(schema);
  const path = (place[1] ?? '').split('.').filter((name) => name !== '');
  return sampleOf(schema, { path, value: awaited.value });
}

/** What an event that was sent has where waits compare; null where it cannot be computed. */
export function givenBy(
  { compiled }: Pick<LoadedVersion, 'compiled'>,
  declared: EventDeclaration,
  data: Json,
): Awaited | null {
  const { by, name } = declared;
  if (by === null) return null;
  const view = { id: '', name, data, source: '', receivedAtMs: 0, sequence: null };
  return orFault(
    () => ({
      by: by.source,
      value: compiled.evaluator.evaluate(by, { kind: 'event', event: name }, { event: eventView(view) }),
    }),
    () => null,
  );
}
