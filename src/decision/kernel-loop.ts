import { advance } from '../machine/advance.ts';
import type { Json } from '../model/json.ts';
import type { IssuedCommand, KernelEvent } from '../model/kernel.ts';
import type { KernelSnapshot } from '../model/run.ts';
import { isGroup } from '../model/step-lists.ts';
import type { Cause, Draft } from './draft.ts';
import { handleCommand } from './handle-command.ts';
import { openSteps } from './step-effects.ts';
import { holdsFailures } from './pivot.ts';

/** What the kernel made of an event; the same shape for the first entry. */
interface Move {
  readonly snapshot: KernelSnapshot;
  readonly commands: readonly IssuedCommand[];
  readonly entered: readonly string[];
  readonly left: readonly string[];
}

/**
 * Gives one event to the kernel and carries out what it asks for, in order.
 * @returns false when the event changed nothing: then there is no transition.
 */
export function feed(draft: Draft, event: KernelEvent, cause: Cause): boolean {
  const holds = holdsFailures(draft);
  const moved = advance(draft.ctx.compiled, draft.snapshot, event, { run: draft.base.run, nowMs: draft.atMs, holds });
  if (!moved.changed) return false;
  // All that a replay needs (P08); the time is the transition's own.
  recordMove(draft, moved, { ...cause, detail: { ...event, holds } as unknown as Json });
  return true;
}

/** Writes a move down as one transition and carries out its commands. */
export function recordMove(draft: Draft, move: Move, event: Cause & { readonly detail: Json }): void {
  draft.addTransition(move.snapshot, {
    event: { type: event.type, id: event.id, step: event.step, detail: event.detail },
    delta: { left: move.left, entered: move.entered },
    commands: move.commands.map((issued) => issued.command as unknown as Json),
  });
  noteGroups(draft, move.entered);
  for (const issued of move.commands) handleCommand(draft, issued);
}

/** A group gives no command when it is entered, yet its handlers must not take what was received before (V13). */
function noteGroups(draft: Draft, entered: readonly string[]): void {
  const groups = entered.filter((id) => {
    const step = draft.ctx.compiled.steps.get(id);
    return step !== undefined && isGroup(step);
  });
  if (groups.length === 0) return;
  const times = Object.fromEntries(groups.map((id) => [id, draft.atMs]));
  draft.setControl({ activeSinceMs: { ...draft.control.activeSinceMs, ...times } });
}

/** What is on its way when branches are told to stop is known only then: the commit before may have sent more. */
function asOfNow(draft: Draft, event: KernelEvent): KernelEvent {
  return event.type === 'branches.stopped' ? { ...event, open: openSteps(draft) } : event;
}

/** Works off the events that follow from what was decided, until nothing is queued or the commit is full (P02c). */
export function pump(draft: Draft): void {
  while (draft.hasRoom) {
    const queued = draft.queue.shift();
    if (queued === undefined) return;
    draft.atMs = queued.atMs;
    feed(draft, asOfNow(draft, queued.event), queued.cause);
  }
}
