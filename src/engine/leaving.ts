import type { Effect, EffectRequest } from '../model/effect.ts';
import type { SendingAct } from '../model/pause.ts';
import type { RunIdentity } from '../model/run.ts';
import { hostOf } from './circuits.ts';

/** A sending as a pause sees it, and what spreads those that wait. */
export interface Leaving {
  readonly act: SendingAct;
  readonly seed: string;
  readonly turn: number;
}

/** A sending of a run as pauses see it. */
export function leavingOf(
  { tenant, workflow }: Pick<RunIdentity, 'tenant' | 'workflow'>,
  { key, action, attempt }: Pick<Effect, 'key' | 'action' | 'attempt'>,
  request: Pick<EffectRequest, 'url' | 'function'>,
): Leaving {
  const host = request.url === null ? null : hostOf(request);
  return { act: { tenant, workflow, action, host }, seed: key, turn: attempt };
}
