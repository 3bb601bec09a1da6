import { compileSchema, tellMisfits } from '../definition/schema-validator.ts';
import { unpackSnapshot } from '../decision/snapshot-envelope.ts';
import { RefusedError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import type { ReviewAnswer } from '../model/statuses.ts';
import type { Delivered } from './deliver-event.ts';
import type { Door } from './door.ts';
import type { Engine } from './engine.ts';
import { findEffect } from './find-effect.ts';
import { assertRetained, loadStored, versionOf } from './find-run.ts';
import { orderRun } from './order-run.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';

/** A person's word about an effect in doubt, or a compensation that was refused for good. */
export interface ResolveAsk {
  /** The step, or the effect's key. */
  readonly effect: string;
  readonly as: ReviewAnswer;
  readonly evidence: string;
  readonly output: Json | undefined;
  readonly by: string;
  readonly roles: readonly string[];
  /** The caller's idempotency key; left out: the same word again counts again. */
  readonly eventId?: string;
  /** The revision that the run must have when it is decided; left out: any. */
  readonly ifRevision?: number;
}

function checkOutput(schema: Parameters<typeof compileSchema>[0], output: Json): void {
  refuseUnstorable('the output', output);
  const misfits = compileSchema(schema)(output);
  const [first] = misfits;
  if (first === undefined) return;
  throw new RefusedError(
    'PAWL_INPUT_INVALID',
    `the output does not fit the action's output schema: ${tellMisfits(misfits)}; --output JSON takes what the provider answered`,
    { ...first },
  );
}

/**
 * Answers a review (E06, R16). An output is checked by the action's output schema before anything is stored; the
 * decider checks who may say it, the quarantine and the evidence. Transaction: opens its own.
 * @throws PAWL_RUN_PRUNED, PAWL_EFFECT_NOT_FOUND, PAWL_INPUT_INVALID, PAWL_VALUE_NOT_STORABLE.
 */
export async function resolveReview(engine: Engine, door: Door, run: RunIdentity, ask: ResolveAsk): Promise<Delivered> {
  const { stored } = await loadStored(engine, run);
  assertRetained(stored);
  const version = await versionOf(engine, run);
  const { incidents } = unpackSnapshot(stored.snapshot, run.digest).control;
  const effect = findEffect({ effects: stored.effects, incidents }, ask.effect);
  if (ask.output !== undefined) checkOutput(version.compiled.action(effect.action).output, ask.output);
  const { as, evidence, output, by, roles, eventId, ifRevision } = ask;
  const word = { type: 'resolve', effectKey: effect.key, as, evidence, output, by, roles } as const;
  return orderRun(engine, door, run, { ...word, eventId, ...(ifRevision === undefined ? {} : { ifRevision }) });
}
