import { ConflictError, invariant, NotFoundError, PawlError, RefusedError } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { InboxPayload } from '../model/inbox-event.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import type { InboxOutcome } from '../model/statuses.ts';
import type { Delivery, DeliveryAnswer } from '../ports/store.ts';
import type { Door } from './door.ts';
import type { Engine } from './engine.ts';
import { loadStored } from './find-run.ts';
import { observeConflict } from './observe-conflict.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';

/** Waits between two looks at the answer, milliseconds: each twice the one before, up to the longest. */
const LOOK_MS_MIN = 2;
const LOOK_MS_MAX = 100;
/** The look at which a holder that has not answered may be dead: a living one answers within these few milliseconds. */
const SWEEP_AT_LOOK = 4;
/** Tries of a delivery whose answer is lost; it is idempotent by (source, event id). */
const ROUNDS_MAX = 3;

/** What became of an event, as its sender is told (V11). `pending`: stored; its run's holder has not answered yet. */
export interface Delivered {
  readonly source: string;
  readonly eventId: string;
  readonly outcome: InboxOutcome | 'pending';
  readonly code: string | null;
  readonly detail: Json;
  /** The same event had been stored before. */
  readonly again: boolean;
}

/** An event to be delivered and how long its sender waits: 2 s for decisions and orders, 0 for signals (P17). */
export interface DeliverAsk {
  readonly run: RunIdentity;
  readonly source: string;
  readonly eventId: string;
  readonly payload: InboxPayload;
  readonly waitMs: number;
}

/** How many leases of the dead are freed at once by somebody who waits for a holder. */
const SWEEP_LEASES_MAX = 100;

/** How long people's decisions and orders wait for the holder, milliseconds. */
export const DECISION_WAIT_MS = 2_000;

/** Longer names are no names, and no index can hold them; UTF-16 units. */
const SOURCE_UNITS_MAX = 256;
const EVENT_ID_UNITS_MAX = 512;

/** Refuses what the inbox or the journal could not hold: once stored, no commit could ever consume it (P11). */
function checkEvent({ source, eventId, payload }: DeliverAsk): void {
  for (const [name, value] of Object.entries({ source, eventId, ...payload }))
    if (value !== undefined) refuseUnstorable(`the event's ${name}`, value);
  if (source.length <= SOURCE_UNITS_MAX && eventId.length <= EVENT_ID_UNITS_MAX) return;
  throw new RefusedError(
    'PAWL_VALUE_NOT_STORABLE',
    `an event's id has at most ${EVENT_ID_UNITS_MAX} characters, its source ${SOURCE_UNITS_MAX}`,
    {},
  );
}

function deliveryOf(ask: DeliverAsk): Delivery {
  return {
    part: ask.run.part,
    runId: ask.run.runId,
    source: ask.source,
    eventId: ask.eventId,
    payload: ask.payload,
    payloadHash: hashJson(ask.payload as unknown as Json),
  };
}

function pauseMs(look: number): number {
  return Math.min(LOOK_MS_MIN * 2 ** look, LOOK_MS_MAX);
}

async function store(engine: Engine, door: Door, delivery: Delivery): Promise<DeliveryAnswer> {
  for (let round = 1; ; round += 1) {
    try {
      return await engine.store.deliverAndClaim(delivery, door.workerId(), engine.numbers.leaseMs);
    } catch (error) {
      if (!(error instanceof PawlError) || error.retry === 'never' || round >= ROUNDS_MAX) throw error;
      engine.logger.warn({ runId: delivery.runId, round, code: error.code }, 'deliver.answer-lost');
    }
    await engine.clock.sleep(pauseMs(round));
    await door.doubt();
  }
}

function told(ask: DeliverAsk, answer: DeliveryAnswer): Delivered {
  const { source, eventId } = ask;
  return {
    source,
    eventId,
    outcome: answer.outcome ?? 'pending',
    code: answer.code,
    detail: answer.detail,
    again: answer.event === 'same',
  };
}

/** The run was free: it is leased to this process now, which decides at once. */
async function decideHere(engine: Engine, door: Door, ask: DeliverAsk): Promise<void> {
  const { stored, nowMs } = await loadStored(engine, ask.run);
  await door.admit({ run: stored, suspect: false, nowMs });
}

/** What stands in the inbox row of an event that was stored. */
async function answerOf(engine: Engine, { run, source, eventId }: DeliverAsk): Promise<DeliveryAnswer> {
  const answer = await engine.store.answerOf(run.part, run.runId, source, eventId);
  invariant(answer !== null, 'an event that was stored is not in its inbox', { runId: run.runId, source, eventId });
  return answer;
}

/** A run that a dead process holds has no holder: whoever waits for it frees it (P03), as no worker may be there to do so. */
async function freeFromDead(engine: Engine, { part, runId }: RunIdentity): Promise<void> {
  for (;;) {
    const freed = await engine.store.sweep(part, SWEEP_LEASES_MAX);
    if (freed.length < SWEEP_LEASES_MAX || freed.includes(runId)) return;
  }
}

/** Nobody has decided in time: who is to do so, for whoever asked. */
async function stillPending(engine: Engine, ask: DeliverAsk, first: DeliveryAnswer): Promise<Delivered> {
  const delivered = told(ask, first);
  if (ask.waitMs === 0) return delivered;
  const holder = await engine.store.holder(ask.run.part, ask.run.runId);
  const until = holder === null || holder.leaseUntilMs === null ? null : new Date(holder.leaseUntilMs).toISOString();
  return { ...delivered, detail: { holder: holder?.workerId ?? null, until } };
}

/** Somebody holds the run: its holder answers in the inbox row; if it lets go or is dead, this process claims the run. */
async function waitForHolder(engine: Engine, door: Door, ask: DeliverAsk, first: DeliveryAnswer): Promise<Delivered> {
  const { clock, store: inbox } = engine;
  const untilMs = clock.monotonicMs() + ask.waitMs;
  door.nudge();
  for (let look = 0; ; look += 1) {
    const answer = look === 0 ? first : await answerOf(engine, ask);
    if (answer.outcome !== null) return { ...told(ask, answer), again: first.event === 'same' };
    if (clock.monotonicMs() >= untilMs) return stillPending(engine, ask, first);
    if (look === SWEEP_AT_LOOK) await freeFromDead(engine, ask.run);
    const claimed = await inbox.claimRun(ask.run.part, ask.run.runId, door.workerId());
    if (claimed === null) await clock.sleep(pauseMs(look));
    else await door.admit(claimed);
  }
}

/**
 * Stores an event in the run's inbox and has it decided: here when the run is free, by its holder otherwise (P17).
 * @returns what became of it, or `pending` after `ask.waitMs`. Idempotent by (source, event id).
 * @throws PAWL_RUN_NOT_FOUND; PAWL_EVENT_CONFLICT for the same id with another payload. Transaction: opens one to
 * store, one to decide.
 */
export async function deliverEvent(engine: Engine, door: Door, ask: DeliverAsk): Promise<Delivered> {
  checkEvent(ask);
  const delivery = deliveryOf(ask);
  const answer = await store(engine, door, delivery);
  if (!answer.exists)
    throw new NotFoundError('PAWL_RUN_NOT_FOUND', `there is no run ${ask.run.runId}`, { runId: ask.run.runId });
  if (answer.event === 'other') {
    await observeConflict(engine, delivery, answer);
    throw new ConflictError(
      'PAWL_EVENT_CONFLICT',
      `event ${ask.eventId} of ${ask.source} was received before with another payload`,
      {
        runId: ask.run.runId,
        source: ask.source,
        eventId: ask.eventId,
      },
    );
  }
  if (answer.outcome !== null) return told(ask, answer);
  if (!answer.claimed) return waitForHolder(engine, door, ask, answer);
  await decideHere(engine, door, ask);
  return told(ask, { ...(await answerOf(engine, ask)), event: answer.event });
}
