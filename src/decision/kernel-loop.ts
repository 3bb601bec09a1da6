import { advance } from '../machine/advance.ts';
import type { Json } from '../model/json.ts';
import type { IssuedCommand, KernelEvent } from '../model/kernel.ts';
import type { KernelSnapshot } from '../model/run.ts';
import { isGroup } from '../model/step-lists.ts';
import { collectSettled, giveBack, putAside } from './aside.ts';
import type { Cause, Draft } from './draft.ts';
import { enterStep } from './enter-step.ts';
import { framesOf } from './frames.ts';
import { handleCommand } from './handle-command.ts';
import { itemNameOf } from './item-name.ts';
import { openSteps } from './step-effects.ts';
import { isPaused } from './on-pause.ts';
import { holdsFailures } from './pivot.ts';

/** What the kernel made of an event; the same shape for the first entry. */
export interface Move {
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
  if (collectSettled(draft, event, cause)) return true;
  const moved = moveOf(draft, event);
  if (moved === null) {
    for (const step of giveBack(draft, event)) enterStep(draft, step, draft.snapshot.data);
    return false;
  }
  if (putAside(draft, { event, cause }, moved)) return true;
  // All that a replay needs (P08); the time is the transition's own.
  const detail = { ...event, ...itemIn(draft, event), holds: holdsFailures(draft) } as unknown as Json;
  recordMove(draft, moved, { ...cause, detail });
  return true;
}

/** Lanes are known to nobody: beside the event it is told for which item a step of a lane was done. */
function itemIn({ ctx, snapshot }: Draft, event: KernelEvent): { readonly item?: string } {
  const step = 'step' in event ? event.step : null;
  if (step === null || ctx.compiled.lanesAround(step).length === 0) return {};
  const item = itemNameOf(framesOf(ctx.compiled.place(step).lists, snapshot.data));
  return item === null ? {} : { item };
}

/** What the kernel would make of an event now; null = nothing, nobody takes it. */
export function moveOf(draft: Draft, event: KernelEvent): Move | null {
  const env = { run: draft.base.run, nowMs: draft.atMs, holds: holdsFailures(draft) };
  const moved = advance(draft.ctx.compiled, draft.snapshot, event, env);
  return moved.changed ? moved : null;
}

/** Writes a move down as one transition and carries out its commands. */
export function recordMove(draft: Draft, move: Move, event: Cause & { readonly detail: Json }): void {
  draft.addTransition(move.snapshot, {
    event: { type: event.type, id: event.id, step: event.step, detail: event.detail },
    delta: { left: move.left, entered: move.entered },
    commands: move.commands.map((issued) => issued.command as unknown as Json),
  });
  noteGroups(draft, move.entered);
  noteStates(draft, move);
  for (const issued of move.commands) handleCommand(draft, issued);
}

/** A group gives no command when it is entered, yet its handlers must not take what was received before (V13). */
function noteGroups(draft: Draft, entered: readonly string[]): void {
  const groups = entered.filter((id) => {
    const step = draft.ctx.compiled.copies.get(id);
    return step !== undefined && isGroup(step);
  });
  if (groups.length === 0) return;
  const times = Object.fromEntries(groups.map((id) => [id, draft.atMs]));
  draft.setControl({ activeSinceMs: { ...draft.control.activeSinceMs, ...times } });
}

/** The states of a machine that take events as `on` of a step does take none that was received before (V13). */
function noteStates(draft: Draft, { entered, left }: Move): void {
  const { handlers } = draft.ctx.compiled;
  if (handlers.size === 0) return;
  const before = Object.entries(draft.control.statesSinceMs ?? {}).filter(([id]) => !left.includes(id));
  const now = entered.filter((id) => handlers.has(id)).map((id) => [id, draft.atMs] as const);
  draft.setControl({ statesSinceMs: Object.fromEntries([...before, ...now]) });
}

/** What is on its way when branches are told to stop is known only then: the commit before may have sent more. */
function asOfNow(draft: Draft, event: KernelEvent): KernelEvent {
  return event.type === 'branches.stopped' ? { ...event, open: openSteps(draft) } : event;
}

/** Works off the events that follow from what was decided, until nothing is queued, the commit is full (P02c) or the run is paused. */
export function pump(draft: Draft): void {
  while (draft.hasRoom && !isPaused(draft)) {
    const queued = draft.queue.shift();
    if (queued === undefined) return;
    draft.atMs = queued.atMs;
    feed(draft, asOfNow(draft, queued.event), queued.cause);
  }
}
