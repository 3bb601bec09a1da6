import { FAULT_HELD, SETTLING } from '../machine/kernel-names.ts';
import type { JsonObject } from '../model/json.ts';
import type { IssuedCommand, KernelEvent, SettledAct } from '../model/kernel.ts';
import type { RunState } from '../model/run.ts';
import type { Cause, Draft } from './draft.ts';
import { effectSettled } from './settle-step.ts';
import { stepOutcomeOf } from './settlement.ts';
import { liveRows, openSteps } from './step-effects.ts';
import { cancelEffect } from './withdraw-effect.ts';

/**
 * What a machine has taken while an act was on its way in a state that it leads out of. The act settles first, without any
 * retry, and is remembered; then the event is followed, whatever the act came to, before anything else.
 */
interface Aside {
  readonly event: KernelEvent;
  readonly cause: Cause;
  /** Steps whose acts must settle first. */
  readonly waitsFor: readonly string[];
  /** States that it leads out of: nothing new begins in them. */
  readonly left: readonly string[];
  /** What has settled since. */
  readonly settled: readonly SettledAct[];
}

/** What a transition would do, as far as it matters here. */
interface Leaving {
  readonly entered: readonly string[];
  readonly left: readonly string[];
  readonly commands: readonly IssuedCommand[];
}

function asideOf({ control }: Pick<RunState, 'control'>): readonly Aside[] {
  return (control.aside ?? []) as unknown as readonly Aside[];
}

function setAside(draft: Draft, aside: readonly Aside[]): void {
  draft.setControl({ aside: aside as unknown as readonly JsonObject[] });
}

/** Whether a run is that of a machine: its states take events, not its steps. */
export function isMachine({ ctx }: Draft): boolean {
  return ctx.compiled.machine.definition.machine !== undefined;
}

/** Whether a step is to be left as soon as its act has settled: it makes no retry. */
export function isLeaving(run: Pick<RunState, 'control'>, step: string): boolean {
  return asideOf(run).some(({ waitsFor }) => waitsFor.includes(step));
}

/** Whether something leads out of states of which another event, put aside before, leads out already. */
export function isBehindAside(draft: Draft, { left }: Pick<Leaving, 'left'>): boolean {
  return asideOf(draft).some((known) => known.left.some((state) => left.includes(state)));
}

/**
 * Puts an event aside that leads out of states whose acts are on their way, or that comes behind such a one.
 * @returns false where it can be followed now: nothing is on its way there, or the forward part ends, which awaits everything itself.
 */
export function putAside(
  draft: Draft,
  { event, cause }: { readonly event: KernelEvent; readonly cause: Cause },
  move: Leaving,
): boolean {
  if (!isMachine(draft) || draft.phase !== 'forward' || move.entered.some((id) => id === SETTLING || id === FAULT_HELD))
    return false;
  const before = 'before' in event ? event.before : undefined;
  const isNext = before !== undefined;
  const open = openSteps(draft);
  const left = move.commands.flatMap(({ command }) => (command.type === 'step.leave' ? [command.step] : []));
  const inFlight = left.filter((step) => open.includes(step));
  if (inFlight.length === 0 && (isNext || !isBehindAside(draft, move))) return false;
  const settled = before ?? [];
  const aside: Aside = { event, cause, waitsFor: [...inFlight, ...withdraw(draft, left)], left: move.left, settled };
  setAside(draft, isNext ? [aside, ...asideOf(draft)] : [...asideOf(draft), aside]);
  return true;
}

/** What waits for its next attempt in a state that is to be left is given up: nothing new begins there. */
function withdraw(draft: Draft, steps: readonly string[]): readonly string[] {
  const unsent = liveRows(draft).filter(({ step, state }) => steps.includes(step) && state === 'AUTHORIZED');
  for (const row of unsent) {
    const cancelled = cancelEffect(row, draft.atMs);
    draft.putEffect(cancelled);
    const cause = { type: 'effect', id: `${row.key}:settled`, step: row.step };
    draft.enqueue(effectSettled(draft, row.step, stepOutcomeOf(cancelled)), cause);
  }
  return unsent.map(({ step }) => step);
}

/**
 * An act has settled that something waits for: it leads nowhere itself. Once the first that waits for it waits for nothing more,
 * that is followed next.
 */
export function collectSettled(draft: Draft, event: KernelEvent, { id }: Cause): boolean {
  if (event.type !== 'effect.settled' || event.before !== undefined) return false;
  // Nobody could follow anything now; when a person lets the machine go on, its states are told again what their acts came to.
  if (draft.snapshot.value === FAULT_HELD) return false;
  const { step, outcome, atMs } = event;
  const aside = asideOf(draft);
  const first = aside.findIndex(({ waitsFor }) => waitsFor.includes(step));
  if (first === -1) return false;
  const now = aside.map(
    (one, index): Aside => ({
      ...one,
      waitsFor: one.waitsFor.filter((known) => known !== step),
      settled: index === first ? [...one.settled, { id, step, outcome, atMs }] : one.settled,
    }),
  );
  const waiting = now.findIndex(({ waitsFor }) => waitsFor.length > 0);
  const ready = waiting === -1 ? now : now.slice(0, waiting);
  setAside(draft, now.slice(ready.length));
  for (const { event: taken, cause, settled } of ready.toReversed())
    draft.enqueueFirst({ ...taken, atMs: draft.atMs, before: settled } as KernelEvent, cause);
  return true;
}

/**
 * Nobody takes any more what was put aside: the acts that settled meanwhile lead where they lead.
 * @returns steps whose act was given up for it: they are still to be done.
 */
export function giveBack(draft: Draft, event: KernelEvent): readonly string[] {
  if (!('before' in event) || event.before === undefined) return [];
  const again = event.before.filter((settled) => isGivenUp(draft, settled)).map(({ step }) => step);
  for (const { id, step, outcome } of event.before.toReversed())
    if (!again.includes(step)) draft.enqueueFirst(effectSettled(draft, step, outcome), { type: 'effect', id, step });
  return again;
}

/** Nothing of it has happened, and its state was not left after all. */
function isGivenUp({ phase, control }: Draft, { step, outcome }: SettledAct): boolean {
  const isWanted = phase === 'forward' && Object.hasOwn(control.activeSinceMs, step);
  return isWanted && !outcome.ok && outcome.failure.class === 'cancelled';
}

/** The forward part is over: what was put aside leads nowhere any more. */
export function dropAside(draft: Draft): void {
  if (draft.control.aside !== undefined) setAside(draft, []);
}
