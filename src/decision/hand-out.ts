import type { ActionContract } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Outcome } from '../model/outcome.ts';
import { BLANK } from './blank-outcome.ts';

/** The queue of an action that remote workers carry out; undefined for any other. */
export function queueOf({ transport }: Pick<ActionContract, 'transport'>): string | undefined {
  return transport.kind === 'worker' ? transport.queue : undefined;
}

/** Whether whoever holds the run has sent a row and waits for its answer; another holder knows nothing of it (E03). */
export function isSentFromHere({ state, queue }: Pick<Effect, 'state' | 'queue'>): boolean {
  return state === 'REQUESTED' && queue === undefined;
}

/** Whether only remote workers act on a row now: one was handed its attempt, or may pull it; what is asked about it asks the holder. */
export function isWithWorkers({ state, queue, doubt }: Pick<Effect, 'state' | 'queue' | 'doubt'>): boolean {
  if (queue === undefined) return false;
  return state === 'AUTHORIZED' || state === 'REQUESTED' || (state === 'UNKNOWN' && doubt === 'resend');
}

/** What a lease comes to that ends without a word. */
export const LEASE_LAPSED: Outcome = {
  ...BLANK,
  kind: 'unknown',
  code: 'lease-lapsed',
  message: 'the remote worker that it was handed to has not said in time what became of it',
};

const WORKER_TIME = ':worker';

/** The timer of a row with a queue: the end of a lease, or of the time in which it may be handed out. */
export function workerTimer(effectKey: EffectKey): string {
  return `${effectKey}${WORKER_TIME}`;
}

/** The row that such a timer is of; null for any other timer. */
export function rowOfTimer(name: string): EffectKey | null {
  return name.endsWith(WORKER_TIME) ? (name.slice(0, -WORKER_TIME.length) as EffectKey) : null;
}
