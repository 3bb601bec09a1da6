import type { PastOrder } from '../model/run.ts';
import type { Draft } from './draft.ts';

/** A person's order becomes the one that the run follows; the one before it is remembered. */
export function followOrder(draft: Draft, order: Pick<PastOrder, 'act' | 'by' | 'reason'>): void {
  const before = draft.control.order;
  if (before?.act !== undefined && before.atMs !== undefined) {
    const { act, by, reason, atMs } = before;
    rememberOrder(draft, { act, by, reason, atMs, end: 'followed' });
  }
  const { act, by, reason } = order;
  draft.setControl({ order: { act, by, reason, atMs: draft.atMs } });
}

/** Keeps an order that the run does not follow any more, for whoever looks at the run later. */
export function rememberOrder(draft: Draft, past: Omit<PastOrder, 'endedAtMs'>): void {
  const { pastOrders = [] } = draft.control;
  draft.setControl({ pastOrders: [...pastOrders, { ...past, endedAtMs: draft.atMs }] });
}
