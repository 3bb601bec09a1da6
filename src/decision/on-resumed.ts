import { applySettlement, settlingOf } from './apply-settlement.ts';
import type { Draft } from './draft.ts';
import { isSentFromHere } from './hand-out.ts';
import { takeOver } from './settle-effect.ts';

/**
 * A new holder: what another fence had in flight is in doubt, never assumed (E03); reads in flight are asked again. What a
 * remote worker was handed is in that one's hands as long as its lease lasts, whoever holds the run. Rows that may be sent, and what is due of a plan, are found by every decision anyway.
 */
export function onResumed(draft: Draft): void {
  for (const effect of [...draft.effects.live()]) {
    if (!isSentFromHere(effect) || effect.fence === draft.base.fence) continue;
    applySettlement(draft, takeOver(settlingOf(draft, effect)));
  }
  const lost = Object.entries(draft.control.reads).filter(([, read]) => !read.closed && read.notBeforeMs === null);
  if (lost.length === 0) return;
  const again = lost.map(([step, read]) => [step, { ...read, notBeforeMs: draft.atMs }] as const);
  draft.setControl({ reads: { ...draft.control.reads, ...Object.fromEntries(again) } });
}
