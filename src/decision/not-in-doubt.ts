import type { Effect } from '../model/effect.ts';
import { isSettled } from './effect-lifecycle.ts';

/** What is said to somebody who asks about an effect of which nothing is to be found out: where it stands, and since when. */
export function notInDoubt({ step, state, compensates, settledAtMs }: Effect): string {
  const name = compensates === null ? `step ${step}` : `the undo of step ${step}`;
  if (!isSettled(state)) return `${name} is ${state} and not in doubt`;
  const since = settledAtMs === null ? '' : ` since ${new Date(settledAtMs).toISOString()}`;
  return `${name} is ${state}${since}: nothing about it is in doubt any more`;
}
