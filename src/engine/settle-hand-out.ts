import { readRequest } from '../decision/effect-key.ts';
import { judgeAttempt } from '../decision/judge-outcome.ts';
import { unpackSnapshot } from '../decision/snapshot-envelope.ts';
import { flowScope } from '../machine/scope.ts';
import type { Effect } from '../model/effect.ts';
import { NotFoundError, RefusedError } from '../model/errors.ts';
import type { HandOut } from '../model/offer.ts';
import type { Outcome } from '../model/outcome.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Told } from '../model/told.ts';
import { asTold } from './as-told.ts';
import { DECISION_WAIT_MS, type Delivered, deliverEvent } from './deliver-event.ts';
import type { Door } from './door.ts';
import type { Engine } from './engine.ts';
import { findRun, loadStored, versionOf } from './find-run.ts';
import { parseHandOut } from './hand-out-name.ts';
import { linkRequest } from './link-request.ts';
import { LEASE_MS_MAX, LEASE_MS_MIN } from './pull-attempts.ts';
import { scrubReport } from './scrub-report.ts';
import { toldReport } from './told-report.ts';

/** A remote worker's word about what it was handed. */
export interface SettleAsk extends Told {
  /** The name of the hand-out. */
  readonly handOut: string;
  readonly by: string;
}

/** A remote worker's wish for more time. */
export interface ExtendAsk {
  /** The name of the hand-out. */
  readonly handOut: string;
  /** From now; never beyond the action's timeout. */
  readonly leaseMs: number;
  readonly by: string;
}

const CODE = /^[a-z][a-z0-9-]{0,63}$/;

/** Judged here, so that what the action redacts is never stored, not even in an inbox. */
async function judge(engine: Engine, run: RunIdentity, handOut: HandOut, ask: SettleAsk): Promise<Outcome> {
  const { stored, nowMs } = await loadStored(engine, run);
  const effect = stored.effects.find(({ key }) => key === handOut.effectKey);
  if (effect?.queue === undefined)
    throw new NotFoundError('PAWL_EFFECT_NOT_FOUND', 'nothing of that name was ever handed out', {
      handOut: ask.handOut,
    });
  const { compiled } = await versionOf(engine, run);
  const contract = compiled.action(effect.action);
  const { data } = unpackSnapshot(stored.snapshot, run.digest).snapshot;
  const report = toldReport(ask, contract.maxResponseBytes);
  return judgeAttempt({
    evaluator: compiled.evaluator,
    contract,
    effect,
    with: readRequest(effect).with,
    report: scrubReport(report, tokensOf(engine, { run, effect, nowMs })),
    scope: flowScope(compiled, run, data),
    nowMs,
  });
}

/** What of its addresses a worker must not tell back. @throws PAWL_LINKS_OFF where that is not known here. */
function tokensOf(
  engine: Engine,
  { run, effect, nowMs }: { readonly run: RunIdentity; readonly effect: Effect; readonly nowMs: number },
): readonly string[] {
  const linked = linkRequest(engine, { runId: run.runId, effect, request: readRequest(effect), nowMs });
  if (linked.kind === 'linked') return linked.tokens;
  throw new RefusedError('PAWL_LINKS_OFF', linked.reason, { effect: effect.key });
}

/** What a word says for good is said once; that nobody knows yet, or that it is accepted, leaves room for what follows. */
function eventIdOf({ effectKey, attempt, fence }: HandOut, { kind }: Outcome): string {
  const word = kind === 'pending' || kind === 'unknown' || kind === 'absent' ? kind : 'settled';
  return `${effectKey}:${attempt}:${fence}:${word}`;
}

/**
 * Takes a remote worker's word about what it was handed: it settles the attempt in hand; the same word again is answered the
 * same, another one is a conflict; a word that comes after the lease is filed, and heeded like any late answer (E08).
 * Transaction: opens its own.
 * @throws PAWL_INPUT_INVALID, PAWL_RUN_NOT_FOUND, PAWL_EFFECT_NOT_FOUND, PAWL_EVENT_CONFLICT.
 */
export async function settleHandOut(
  engine: Engine,
  doorOf: (part: number) => Door,
  ask: SettleAsk,
): Promise<Delivered> {
  const handOut = parseHandOut(ask.handOut);
  if (ask.code !== null && !CODE.test(ask.code))
    throw new RefusedError('PAWL_INPUT_INVALID', 'a code is a word in kebab-case such as no-stock', { code: ask.code });
  const run = await findRun(engine, handOut.runId);
  const outcome = await judge(engine, run, handOut, ask);
  const { effectKey, attempt, fence } = handOut;
  return deliverEvent(engine, doorOf(run.part), {
    run,
    source: 'worker',
    eventId: eventIdOf(handOut, outcome),
    payload: { type: 'settle', effectKey, attempt, fence, by: ask.by, outcome: asTold(outcome) },
    waitMs: DECISION_WAIT_MS,
  });
}

/**
 * Gives a remote worker more time for what it was handed. Transaction: opens its own.
 * @throws PAWL_INPUT_INVALID, PAWL_RUN_NOT_FOUND.
 */
export async function extendHandOut(
  engine: Engine,
  doorOf: (part: number) => Door,
  ask: ExtendAsk,
): Promise<Delivered> {
  const { leaseMs, by } = ask;
  const { runId, effectKey, attempt, fence } = parseHandOut(ask.handOut);
  if (!(leaseMs >= LEASE_MS_MIN && leaseMs <= LEASE_MS_MAX))
    throw new RefusedError('PAWL_INPUT_INVALID', 'a lease is of 1s to 24h', { leaseMs });
  const run = await findRun(engine, runId);
  return deliverEvent(engine, doorOf(run.part), {
    run,
    source: `worker:${by}`,
    eventId: engine.ids.newEventId(),
    payload: { type: 'extend', effectKey, attempt, fence, by, leaseMs },
    waitMs: DECISION_WAIT_MS,
  });
}
