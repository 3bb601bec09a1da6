import type { Effect } from '../model/effect.ts';
import { mayStart } from './apply-settlement.ts';
import { type Acting, blockOf } from './dispatch-block.ts';

/** Whether a row may be sent, or sent again, once its not-before is reached: by whoever holds the run, or whoever pulls it. */
export function maySend(draft: Acting, effect: Effect): boolean {
  const block = blockOf(draft);
  if (effect.state === 'AUTHORIZED') return block === null && mayStart(draft, effect);
  return effect.state === 'UNKNOWN' && effect.doubt === 'resend' && block !== 'all' && draft.phase !== 'ended';
}
