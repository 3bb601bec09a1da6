import { canonicalJson } from '../model/canonical-json.ts';
import type { Effect, EffectRequest, Frame, KeyIngredients } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import { hashJson, sha256 } from '../model/hash.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';

/** Names this way of making keys; part of a version's pin (P07). */
export const KEY_ALGORITHM = 'ek/1 ck/1';

/** The ingredients of a forward effect's key. */
export type ForwardIngredients = Extract<KeyIngredients, { kind: 'forward' }>;
/** The ingredients of a compensation's key. */
export type CompensationIngredients = Extract<KeyIngredients, { kind: 'compensation' }>;

/** What a step says about its effect's identity; `object` is the run key and `intent` the action's name unless said. */
export interface EffectIdentity {
  readonly run: Pick<RunIdentity, 'tenant' | 'workflow' | 'key' | 'startNumber'>;
  readonly reach?: 'run' | 'workflow' | 'global';
  readonly step: string;
  readonly frames: readonly Frame[];
  readonly action: string;
  readonly object: Json | null;
  readonly intent: string | null;
  /** 0, and more only by a person's redo. */
  readonly generation: number;
}

/**
 * The ingredients of a forward key: no version, attempt, worker or time among them (rule E01).
 * The start number of a key that was freed (`again: afterFailure`) joins the run key as `[key, number]`; the first is the key alone.
 */
export function forwardIngredients(identity: EffectIdentity): ForwardIngredients {
  const { run, step, frames } = identity;
  const reach = identity.reach ?? 'run';
  const runKey: Json = run.startNumber === 1 ? run.key : [run.key, run.startNumber];
  const address: Record<typeof reach, readonly Json[]> = {
    run: [run.workflow, runKey, step, frames],
    workflow: [run.workflow, step],
    global: [],
  };
  return {
    kind: 'forward',
    tenant: run.tenant,
    reach,
    address: address[reach],
    object: identity.object ?? run.key,
    intent: identity.intent ?? identity.action,
    generation: identity.generation,
  };
}

/** The ingredients of a compensation's key (rule R13); generation rises only by R16. */
export function compensationIngredients(forwardKey: EffectKey, generation: number): CompensationIngredients {
  return { kind: 'compensation', forwardKey, generation };
}

/** The 64 hex digits that the provider sees, from the ingredients (rules E01, R13). */
export function effectKey(ingredients: KeyIngredients): EffectKey {
  invariant(Number.isSafeInteger(ingredients.generation) && ingredients.generation >= 0, 'a generation counts from 0');
  const tagged: Json =
    ingredients.kind === 'forward'
      ? [
          'ek/1',
          ingredients.tenant,
          ingredients.reach,
          ingredients.address,
          ingredients.object,
          ingredients.intent,
          ingredients.generation,
        ]
      : ['ck/1', ingredients.forwardKey, 'compensate', ingredients.generation];
  // The one place where a hash becomes an effect key.
  return hashJson(tagged) as EffectKey;
}

/** The key of the compensation of a forward effect (rule R13). */
export function compensationKey(forwardKey: EffectKey, generation = 0): EffectKey {
  return effectKey(compensationIngredients(forwardKey, generation));
}

/** The canonical text of a request: what is hashed, stored as bytes and resent. */
export function requestText(request: EffectRequest): string {
  return canonicalJson(request as unknown as Json);
}

/** sha256 of the canonical request (rule E02). */
export function requestHash(request: EffectRequest): string {
  return sha256(requestText(request));
}

/** Whether a row was made for exactly this request; if not, the key is in conflict and nothing is sent (rule E02). */
export function isSameRequest(effect: Effect, hash: string): boolean {
  return effect.requestHash === hash;
}

/**
 * Recomputes a row's key and request hash from what it keeps; run after each read and before each write of the ledger.
 * @throws PAWL_INVARIANT when either differs.
 */
export function checkIdentity(effect: Effect): void {
  invariant(effectKey(effect.ingredients) === effect.key, 'an effect key does not match its ingredients', {
    key: effect.key,
  });
  invariant(sha256(effect.request) === effect.requestHash, 'a request does not match its hash', { key: effect.key });
}

/**
 * The request that a row keeps.
 * @throws PAWL_INVARIANT when the text does not match the row's hash.
 */
export function readRequest(effect: Effect): EffectRequest {
  invariant(sha256(effect.request) === effect.requestHash, 'a request does not match its hash', { key: effect.key });
  return JSON.parse(effect.request) as EffectRequest;
}
