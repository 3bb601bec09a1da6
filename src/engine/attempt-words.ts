import { isUnsent } from '../decision/judge-outcome.ts';
import { policyOf } from '../decision/row-policy.ts';
import { callsOf } from '../decision/settlement.ts';
import type { Effect } from '../model/effect.ts';
import type { LoadedVersion } from './version-cache.ts';

/** `attempt 2 of 5`; of one in doubt and of a retry without end only which it was. */
function whichOf(version: LoadedVersion | null, effect: Effect): string {
  const which = `attempt ${callsOf(effect)}`;
  if (version === null || effect.state !== 'AUTHORIZED') return which;
  const { attempts } = policyOf({ ctx: version }, effect).retry;
  // What is sent again under its key beside the policy counts towards no attempt of it.
  return attempts === null ? which : `attempt ${effect.countedAttempts} of ${attempts}`;
}

/**
 * What the last attempt of an open row has met, or what was last heard of it: `attempt 2 of 5 met unreachable: not reached: …`; null
 * where none was made.
 */
export function attemptWords(version: LoadedVersion | null, effect: Effect): string | null {
  const { code, lastError, state, doubt, queries } = effect;
  if (lastError === null || callsOf(effect) === 0) return lastError;
  if (isUnsent(code)) return lastError;
  // A question that has been put may have no answer yet: then the last word is still that of the attempt.
  if (state === 'UNKNOWN' && doubt === 'query' && queries > 0) return `asked ${queries}x, last heard: ${lastError}`;
  return `${whichOf(version, effect)} met ${code ?? 'nothing'}: ${lastError}`;
}
