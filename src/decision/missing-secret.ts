import type { RetryPolicy } from '../model/definition.ts';
import { invariant } from '../model/errors.ts';
import type { Incident } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { touchEffect } from './effect-lifecycle.ts';
import { OPERATORS } from './hold-step.ts';
import { SECRET_MISSING } from './judge-outcome.ts';
import { nextWaitMs } from './retry.ts';

/** Once the policy's attempts are used up, a missing secret is looked for this often, until a person has given it. */
export const SECRET_LOOK_MS = 5 * 60_000;

/**
 * How long to wait before a missing secret is looked for again: the policy's own waits as long as it has attempts, then
 * `SECRET_LOOK_MS`. A wait is never longer than that.
 * @param tries sendings in a row that found none, from 1.
 * @returns milliseconds.
 */
export function nextLookMs(policy: RetryPolicy, tries: number, seed: string): number {
  if (policy.attempts !== null && tries >= policy.attempts) return SECRET_LOOK_MS;
  return Math.min(nextWaitMs(policy, tries, seed, null), SECRET_LOOK_MS);
}

type Lack = Pick<Incident, 'id' | 'step' | 'effectKey' | 'message'>;

/**
 * Opens an incident for every row and read that a secret keeps from being sent, and closes those of all others, however
 * they came to be: sent, withdrawn or left.
 */
export function checkSecrets(draft: Draft): void {
  const lacks = draft.phase === 'ended' ? [] : [...lackingRows(draft), ...lackingReads(draft)];
  draft.closeIncidents(({ kind, id }) => kind === 'authorization' && !lacks.some((lack) => lack.id === id));
  for (const lack of lacks) {
    const isKnown = draft.control.incidents.some(({ id, message }) => id === lack.id && message === lack.message);
    if (!isKnown) draft.openIncident({ ...lack, kind: 'authorization', from: OPERATORS, acts: ['retry', 'terminate'] });
  }
}

function lackingRows(draft: Draft): readonly Lack[] {
  const rows = [...draft.effects.live()].filter((row) => row.code === SECRET_MISSING);
  return rows.map(({ key, step, lastError }) => {
    invariant(lastError !== null, 'a row lacks something and does not say what', { key });
    return { id: `authorization:${key}`, step, effectKey: key, message: lastError };
  });
}

function lackingReads(draft: Draft): readonly Lack[] {
  return Object.entries(draft.control.reads).flatMap(([step, { closed, lacks }]) =>
    closed || lacks === undefined
      ? []
      : [{ id: `authorization:${step}`, step, effectKey: null, message: lacks.message }],
  );
}

/** A person says that the secret is there: it is looked for now. What is being looked for in this moment is left alone. */
export function lookNow(draft: Draft, { effectKey, step }: Incident): void {
  const effect = effectKey === null ? undefined : draft.effects.get(effectKey);
  if (effect !== undefined) {
    if (effect.state !== 'REQUESTED') draft.putEffect(touchEffect(effect, { notBeforeMs: draft.atMs }));
    return;
  }
  const { reads } = draft.control;
  const again = Object.entries(reads).map(([id, read]) =>
    id === step && read.notBeforeMs !== null ? [id, { ...read, notBeforeMs: draft.atMs }] : [id, read],
  );
  draft.setControl({ reads: Object.fromEntries(again) });
}
