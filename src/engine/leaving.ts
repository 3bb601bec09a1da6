import type { Effect, EffectRequest } from '../model/effect.ts';
import type { RunIdentity } from '../model/run.ts';
import { hostOf } from './circuits.ts';
import type { Leaving } from './outlet.ts';

/** A sending of a run as pauses see it. */
export function leavingOf(
  { tenant, workflow }: Pick<RunIdentity, 'tenant' | 'workflow'>,
  { key, action, attempt }: Pick<Effect, 'key' | 'action' | 'attempt'>,
  request: Pick<EffectRequest, 'url' | 'function'>,
): Leaving {
  const host = request.url === null ? null : hostOf(request);
  return { act: { tenant, workflow, action, host }, seed: key, turn: attempt };
}
