import { readRequest } from '../decision/effect-key.ts';
import { unsent } from '../decision/judge-outcome.ts';
import type { Effect } from '../model/effect.ts';
import { RefusedError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { TakenOffer } from '../model/offer.ts';
import { displayRunId } from '../model/run-id.ts';
import type { StoredRun } from '../ports/store.ts';
import { asTold } from './as-told.ts';
import { type Delivered, deliverEvent } from './deliver-event.ts';
import type { Door } from './door.ts';
import type { Engine } from './engine.ts';
import { loadStored, versionOf } from './find-run.ts';
import { handOutName, parseHandOut } from './hand-out-name.ts';
import { linkRequest } from './link-request.ts';
import { leavingOf } from './leaving.ts';
import { type Outlet, pastOf, type Refusal } from './outlet.ts';
import { createPauses } from './pauses.ts';
import { createRecovery } from './recovery.ts';

/** Most attempts of one pull. */
const PULL_MAX = 100;
/** The shortest lease: a worker must be able to say something before it ends, milliseconds. */
export const LEASE_MS_MIN = 1_000;
/** The longest lease; the action's timeout bounds every lease anyway, milliseconds. */
export const LEASE_MS_MAX = 24 * 3_600_000;
/** The longest wait for something to pull, milliseconds. */
const WAIT_MS_MAX = 60_000;
/** How long others leave an offer alone that was taken: by then its run has answered, or whoever took it is gone. */
const TAKEN_FOR_MS = 5_000;
/** A pull that its run has not decided by then is void; whoever asked waits this much longer, so that no commit is on its way. */
const DECIDED_WITHIN_MS = 5_000;
const ANSWERED_WITHIN_MS = 2 * DECIDED_WITHIN_MS;
/** Waits between two looks at an empty queue, milliseconds: each twice the one before, up to the longest. */
const LOOK_MS_MIN = 50;
const LOOK_MS_MAX = 500;

/** What a remote worker asks for. */
export interface PullAsk {
  readonly queue: string;
  /** 1 to 100. */
  readonly limit: number;
  /** How long each attempt is this worker's alone, unless it asks for more; 1 s to 24 h, bounded by the action's timeout. */
  readonly leaseMs: number;
  /** How long to wait while there is nothing, 0 to 60 s. */
  readonly waitMs: number;
  readonly by: string;
  /** Aborts the waiting. */
  readonly signal?: AbortSignal;
}

/** One attempt in a remote worker's hands; times RFC 3339 UTC. */
export interface PulledAttempt {
  /** Goes with every word about it. */
  readonly handOut: string;
  readonly queue: string;
  /** The effect's key: what the provider is to know a repeated request by. */
  readonly key: string;
  readonly attempt: number;
  readonly action: string;
  readonly contract: number;
  readonly request: Json;
  readonly run: string;
  readonly runKey: string;
  readonly workflow: string;
  readonly step: string;
  /** Without a word by then its outcome counts as unknown. */
  readonly leaseUntil: string;
  /** No extension leads beyond: the action's timeout, from when it was handed out. */
  readonly deadline: string;
}

/** Who takes what is handed to nobody. */
const NOBODY = 'recovery';

/** A pull leaves through no circuit: what it hands out stands in no line to a host. */
const OPEN: Outlet = { ask: () => ({ kind: 'pass', heard: () => undefined }) };

function checkAsk({ limit, leaseMs, waitMs }: PullAsk): void {
  const isWhole = Number.isInteger(limit) && limit >= 1 && limit <= PULL_MAX;
  if (isWhole && leaseMs >= LEASE_MS_MIN && leaseMs <= LEASE_MS_MAX && waitMs >= 0 && waitMs <= WAIT_MS_MAX) return;
  const message = `a pull is of 1 to ${PULL_MAX} attempts, with a lease of 1s to 24h, and waits 1m at most`;
  throw new RefusedError('PAWL_INPUT_INVALID', message, { limit, leaseMs, waitMs });
}

/** What of a run one offer is about; null = it is gone. */
async function offeredRow(engine: Engine, part: number, taken: TakenOffer): Promise<OfferedRow | null> {
  const { runs, nowMs } = await engine.store.load(part, [taken.runId]);
  const [stored] = runs;
  const effect = stored?.effects.find(({ key }) => key === taken.effectKey);
  return stored === undefined || effect === undefined ? null : { stored, effect, nowMs };
}

interface OfferedRow {
  readonly stored: StoredRun;
  readonly effect: Effect;
  readonly nowMs: number;
}

/** What the database may have forgotten stands in its way (P14), or a pause does. */
async function askOutlet(
  engine: Engine,
  outlet: Outlet,
  { stored, effect, nowMs }: OfferedRow,
): Promise<ReturnType<Outlet['ask']> | 'paused'> {
  const contract = (await versionOf(engine, stored.run)).compiled.action(effect.action);
  const request = { url: null, function: null };
  const past = pastOf(stored.run, effect);
  const leave = outlet.ask({ request, contract, acts: true, ...past, seed: effect.key, turn: effect.attempt }, nowMs);
  const kept = leave.kind === 'pass' ? await outlet.hold?.(leavingOf(stored.run, effect, request)) : undefined;
  return kept ? 'paused' : leave;
}

/** Lost commits may have had it handed out (P14): it is taken by nobody, and in doubt from then on. */
async function putInDoubt(engine: Engine, door: Door, row: OfferedRow, { reason }: Refusal): Promise<void> {
  const { stored, effect } = row;
  const taken = await handOver(engine, door, { ...row, request: null }, { by: NOBODY, leaseMs: LEASE_MS_MIN });
  if (taken === null) return;
  const { attempt, fence } = parseHandOut(taken.handOut);
  const outcome = unsent({ kind: 'unsent', reason, lacks: 'word' });
  await deliverEvent(engine, door, {
    run: stored.run,
    source: 'worker',
    eventId: `${effect.key}:${attempt}:${fence}:settled`,
    payload: { type: 'settle', effectKey: effect.key, attempt, fence, by: NOBODY, outcome: asTold(outcome) },
    waitMs: ANSWERED_WITHIN_MS,
  });
}

/** A row with what its worker is told, addresses in it. */
interface ReadyRow extends OfferedRow {
  readonly request: Json;
}

/** Nothing is handed out whose addresses cannot be made here; another process may have what they are made with. */
function makeReady(engine: Engine, row: OfferedRow): ReadyRow | null {
  const { stored, effect, nowMs } = row;
  const { runId } = stored.run;
  const linked = linkRequest(engine, { runId, effect, request: readRequest(effect), nowMs });
  if (linked.kind === 'linked') return { ...row, request: linked.request.body };
  engine.logger.warn({ runId, effectKey: effect.key, reason: linked.reason }, 'link.missing');
  return null;
}

/** Which secret signs an address follows from when its request was first handed out, and that is known by now. */
async function asRequested(engine: Engine, row: ReadyRow): Promise<ReadyRow> {
  if (readRequest(row.effect).links === undefined) return row;
  const { stored } = await loadStored(engine, row.stored.run);
  const effect = stored.effects.find(({ key }) => key === row.effect.key);
  return (effect === undefined ? null : makeReady(engine, { ...row, effect })) ?? row;
}

/** The run decides; what its commit has made REQUESTED is handed over, and nothing else (E03). */
async function handOver(
  engine: Engine,
  door: Door,
  row: ReadyRow,
  ask: Pick<PullAsk, 'by' | 'leaseMs'>,
): Promise<PulledAttempt | null> {
  const { stored, effect } = row;
  const { by, leaseMs } = ask;
  const untilMs = (await door.nowMs()) + DECIDED_WITHIN_MS;
  const delivered = await deliverEvent(engine, door, {
    run: stored.run,
    source: `worker:${by}`,
    eventId: engine.ids.newEventId(),
    payload: { type: 'pull', effectKey: effect.key, by, leaseMs, untilMs },
    waitMs: ANSWERED_WITHIN_MS,
  });
  return delivered.outcome === 'applied' ? attemptOf(await asRequested(engine, row), delivered) : null;
}

interface Terms {
  readonly attempt: number;
  readonly fence: number;
  readonly leaseUntilMs: number;
  readonly untilMs: number;
}

function attemptOf({ stored: { run }, effect, request }: ReadyRow, delivered: Delivered): PulledAttempt {
  const { attempt, fence, leaseUntilMs, untilMs } = delivered.detail as unknown as Terms;
  return {
    handOut: handOutName({ runId: run.runId, effectKey: effect.key, attempt, fence }),
    queue: effect.queue ?? '',
    key: effect.key,
    attempt,
    action: effect.action,
    contract: effect.contract,
    request,
    run: displayRunId(run.runId),
    runKey: run.key,
    workflow: `${run.workflow}@${run.version}`,
    step: effect.step,
    leaseUntil: new Date(leaseUntilMs).toISOString(),
    deadline: new Date(untilMs).toISOString(),
  };
}

/** Asked anew by every look that finds something: what a database has forgotten may have been handed out (P14). */
async function outletOf({ store, clock, logger }: Engine): Promise<Outlet> {
  const recovery = createRecovery(store, logger);
  await recovery.look();
  return createPauses(store, clock, logger).over(recovery.over(OPEN));
}

/** What a look has in hand so far; what is handed out is added at once. */
interface Look {
  readonly engine: Engine;
  readonly ask: PullAsk;
  readonly pulled: PulledAttempt[];
}

async function pullFrom({ engine, ask, pulled }: Look, part: number, door: Door): Promise<void> {
  const { store, tenant } = engine;
  const limit = ask.limit - pulled.length;
  const offers = await store.takeOffers(part, { tenant, queue: ask.queue, limit, forMs: TAKEN_FOR_MS });
  const outlet = offers.length === 0 ? OPEN : await outletOf(engine);
  for (const taken of offers) {
    const row = await offeredRow(engine, part, taken);
    if (row === null) continue;
    const leave = await askOutlet(engine, outlet, row);
    if (leave === 'paused') continue;
    if (leave.kind === 'refusal') {
      if (leave.lacks === 'word') await putInDoubt(engine, door, row, leave);
      continue;
    }
    const ready = makeReady(engine, row);
    const attempt = ready === null ? null : await handOver(engine, door, ready, ask);
    if (attempt !== null) pulled.push(attempt);
  }
}

/** One look into every part, beginning with another one each time, so that none waits behind the others for ever. */
async function pullOnce(
  engine: Engine,
  doorOf: (part: number) => Door,
  ask: PullAsk,
): Promise<readonly PulledAttempt[]> {
  const { store } = engine;
  const look: Look = { engine, ask, pulled: [] };
  const first = (await store.nowMs()) % store.parts;
  for (let turn = 0; turn < store.parts && look.pulled.length < ask.limit; turn += 1) {
    const part = (first + turn) % store.parts;
    try {
      await pullFrom(look, part, doorOf(part));
    } catch (error) {
      // What is handed out already must be told: nobody but its worker can say what became of it.
      if (look.pulled.length === 0) throw error;
      return look.pulled;
    }
  }
  return look.pulled;
}

/**
 * Hands attempts of a queue out to a remote worker: each is REQUESTED by a commit of its run before it is told, and nobody else
 * gets it while its lease lasts. Nobody's slot is held meanwhile. Transaction: one to take, two for each attempt.
 * @returns at most `limit`; none where there is nothing for `waitMs`.
 * @throws PAWL_INPUT_INVALID.
 */
export async function pullAttempts(
  engine: Engine,
  doorOf: (part: number) => Door,
  ask: PullAsk,
): Promise<readonly PulledAttempt[]> {
  checkAsk(ask);
  const { clock } = engine;
  const endMs = clock.monotonicMs() + ask.waitMs;
  for (let lookMs = LOOK_MS_MIN; ; lookMs = Math.min(lookMs * 2, LOOK_MS_MAX)) {
    const pulled = await pullOnce(engine, doorOf, ask);
    const leftMs = endMs - clock.monotonicMs();
    if (pulled.length > 0 || leftMs <= 0 || ask.signal?.aborted === true) return pulled;
    await clock.sleep(Math.min(lookMs, leftMs), ask.signal);
  }
}
