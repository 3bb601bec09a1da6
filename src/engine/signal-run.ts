import { compileSchema, tellMisfits } from '../definition/schema-validator.ts';
import { ConflictError, RefusedError } from '../model/errors.ts';
import type { LinkName } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import { type Delivered, deliverEvent } from './deliver-event.ts';
import type { Door } from './door.ts';
import type { Engine } from './engine.ts';
import { versionOf } from './find-run.ts';
import { type KeptEvent, tellKept } from './kept-event.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';

/** An event from outside for one run. */
export interface SignalAsk {
  readonly name: string;
  readonly data: Json;
  /** Who vouches for the event id; `signal` for people and scripts. */
  readonly source: string;
  /** null: a new one is made, and the same event sent again counts twice. */
  readonly eventId: string | null;
  readonly by: string;
  /** The one wait that it came for, by its address; absent = it is whoever's that takes it. */
  readonly link?: LinkName;
  /** How long the sender waits for the holder's answer, milliseconds; 0 = not at all. */
  readonly waitMs: number;
}

async function checkSignal(engine: Engine, run: RunIdentity, ask: SignalAsk): Promise<KeptEvent> {
  const version = await versionOf(engine, run);
  const declared = version.compiled.machine.definition.events.find((event) => event.name === ask.name);
  if (declared === undefined) {
    const names = version.compiled.machine.definition.events.map((event) => event.name);
    const known = names.length === 0 ? 'it declares none' : `it declares ${names.join(', ')}`;
    throw new ConflictError(
      'PAWL_EVENT_UNDECLARED',
      `${run.workflow}@${run.version} does not take the event ${ask.name}; ${known}`,
      { event: ask.name },
    );
  }
  refuseUnstorable("the event's data", ask.data);
  const misfits = compileSchema(declared.schema)(ask.data);
  const [first] = misfits;
  if (first === undefined) return { version, declared, data: ask.data };
  throw new RefusedError('PAWL_INPUT_INVALID', `the event's data does not fit: ${tellMisfits(misfits)}`, { ...first });
}

/**
 * Sends a declared event to a run: stored first, matched now or later (V01). The same (source, event id) again is
 * answered with the first; one that nothing takes now is answered with what the run waits for. Transaction: opens its own.
 * @throws PAWL_EVENT_UNDECLARED, PAWL_INPUT_INVALID, PAWL_VALUE_NOT_STORABLE, PAWL_EVENT_CONFLICT.
 */
export async function signalRun(engine: Engine, door: Door, run: RunIdentity, ask: SignalAsk): Promise<Delivered> {
  const event = await checkSignal(engine, run, ask);
  const { name, data, by, link } = ask;
  const meant = link === undefined ? {} : { link };
  const delivered = await deliverEvent(engine, door, {
    run,
    source: `signal:${ask.source}`,
    eventId: ask.eventId ?? engine.ids.newEventId(),
    payload: { type: 'signal', name, data, by, ...meant },
    waitMs: ask.waitMs,
  });
  if (delivered.outcome !== 'kept') return delivered;
  return { ...delivered, detail: await tellKept(engine, run, event) };
}
