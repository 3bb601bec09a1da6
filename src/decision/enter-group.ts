import { invariant } from '../model/errors.ts';
import type { Draft } from './draft.ts';

/** The body of a group with a timeout begins: its time runs (V06). */
export function enterGroup(draft: Draft, id: string): void {
  const { timeoutMs } = draft.ctx.compiled.step(id);
  invariant(timeoutMs !== null, 'only a group with a timeout tells that it begins', { step: id });
  draft.setTimer(`${id}:timeout`, draft.atMs + timeoutMs);
}

/** The body is left, however: its time is over. */
export function leaveGroup(draft: Draft, id: string): void {
  const name = `${id}:timeout`;
  if (draft.timers.has(name)) draft.clearTimer(name);
}
