import type { EventDeclaration } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import { awaitedWords, givenBy } from './awaited-event.ts';
import type { Engine } from './engine.ts';
import { loadStored } from './find-run.ts';
import { runView } from './run-view.ts';
import type { LoadedVersion } from './version-cache.ts';
import type { WaitingFor } from './waiting-for.ts';

/** Waits that are named; the others are counted. */
const WAITS_MAX = 5;

/** An event that nothing has taken. */
export interface KeptEvent {
  readonly version: LoadedVersion;
  readonly declared: EventDeclaration;
  readonly data: Json;
}

/**
 * What the sender of an event is told that nothing takes now: what the run waits for instead. Transaction: none.
 * @returns null where it waits for no event: then the event may simply be early.
 */
export async function tellKept(
  engine: Engine,
  run: RunIdentity,
  { version, declared, data }: KeptEvent,
): Promise<Json> {
  const { stored, nowMs } = await loadStored(engine, run);
  const { waitingFor } = runView(version, { stored, receipts: [], nowMs });
  const waits = waitingFor.filter(({ kind }) => kind === 'event');
  if (waits.length === 0) return null;
  const given = givenBy(version, declared, data);
  const sent = `${declared.name}${given === null ? '' : ` with ${awaitedWords(given)}`}`;
  const waitsFor = waits.map(({ step, by, progress }) => ({ step, event: by.join(', '), terms: progress }));
  return {
    message: `kept; nothing waits for ${sent} now: ${waits.map(waitWords).slice(0, WAITS_MAX).join('; ')}${moreWords(waits)}`,
    waitsFor,
  };
}

function waitWords({ step, item, by, progress }: WaitingFor): string {
  const at = `${step ?? 'the run'}${item === undefined ? '' : ` [${item}]`}`;
  return `${at} waits for ${by.join(', ')}${progress === null ? '' : ` with ${progress}`}`;
}

function moreWords(waits: readonly WaitingFor[]): string {
  return waits.length > WAITS_MAX ? `; and ${waits.length - WAITS_MAX} more waits` : '';
}
