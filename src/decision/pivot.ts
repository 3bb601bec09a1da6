import type { Effect } from '../model/effect.ts';
import type { Draft } from './draft.ts';

/** Where the point of no return stands: nobody knows yet (`open`: REQUESTED or UNKNOWN), behind us, or ahead. */
export function pivotOf(effects: Iterable<Effect>): 'ahead' | 'open' | 'behind' {
  let isOpen = false;
  for (const effect of effects) {
    if (!effect.pivot || effect.compensates !== null) continue;
    if (effect.state === 'CONFIRMED') return 'behind';
    if (effect.state === 'REQUESTED' || effect.state === 'UNKNOWN') isOpen = true;
  }
  return isOpen ? 'open' : 'ahead';
}

/** Whether an unhandled failure keeps its step for a person instead of undoing the run (R20, `onFailure: hold`). */
export function holdsFailures(draft: Draft): boolean {
  return draft.ctx.compiled.machine.definition.onFailure === 'hold' || pivotOf(draft.effects.pivots()) === 'behind';
}
