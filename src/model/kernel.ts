import type { LinkName } from './ids.ts';
import type { Json } from './json.ts';
import type { Ending, Failure, RunData, RunEnd } from './run.ts';

/** The kernel that moves runs and writes their snapshots; another one needs the journals replayed first (P07, P08). */
export const KERNEL = 'xstate@5.33.3';

/** What an outcome means to the machine: attempts, queries and reviews stay in the ledger (rule E09). */
export type StepOutcome =
  | { readonly ok: true; readonly output: Json; readonly attempts: number }
  | { readonly ok: false; readonly failure: Failure; readonly attempts: number };

/** An event as handlers and `await` see it. */
export interface EventView {
  readonly id: string;
  readonly name: string;
  readonly data: Json;
  readonly source: string;
  readonly receivedAtMs: number;
  readonly sequence: number | null;
  /** The one wait that it came for, by its address; absent = it is whoever's that takes it. */
  readonly link?: LinkName;
}

/** An act of a machine that settled while what leads out of its state was put aside: it is remembered, and leads nowhere. */
export interface SettledAct {
  /** `<effectKey>:settled`. */
  readonly id: string;
  readonly step: string;
  readonly outcome: StepOutcome;
  readonly atMs: number;
}

/** What an event of a machine says that was put aside until acts had settled: these; absent = it was not. */
export interface PutAside {
  readonly before?: readonly SettledAct[];
}

/** The closed list of events that the kernel knows. Types never carry ids (XState memoises each type for ever). */
export type KernelEvent =
  /** A call's effect is settled. `hold`: an unhandled failure keeps the step (after the pivot, or `onFailure: hold`). */
  | (PutAside & {
      readonly type: 'effect.settled';
      readonly step: string;
      readonly outcome: StepOutcome;
      readonly atMs: number;
      readonly hold: boolean;
    })
  /** Any other step is done or failed: wait fired, await matched, approval decided, a fault at entry. */
  | (PutAside & {
      readonly type: 'step.settled';
      readonly step: string;
      readonly outcome: StepOutcome;
      readonly atMs: number;
      readonly hold: boolean;
    })
  /** A handler takes an event. `step` null = the document's. `open`: the step has an effect that must settle first. */
  | {
      readonly type: 'handler.taken';
      readonly step: string | null;
      readonly handler: number;
      readonly event: EventView;
      readonly open: boolean;
      readonly atMs: number;
      readonly hold: boolean;
    }
  /** A machine takes an event from outside, or one that it raised itself. */
  | (PutAside & {
      readonly type: 'event.received';
      readonly event: EventView;
      /** States that do not take it, because they became active after it was received (rule V13); absent = none. */
      readonly early?: readonly string[];
      readonly atMs: number;
      readonly hold: boolean;
    })
  /** The time of a group is over. `open`: steps inside it that have something on its way, which must settle first. */
  | { readonly type: 'group.expired'; readonly step: string; readonly open: readonly string[]; readonly atMs: number }
  /** The branches of a parallel step that are under way are not wanted any more. `open`: as above. */
  | {
      readonly type: 'branches.stopped';
      readonly step: string;
      readonly open: readonly string[];
      readonly atMs: number;
    }
  /** What a clause with `undo`, or a race, had to compensate is settled: its list begins, or what follows the race. */
  | { readonly type: 'group.undone'; readonly step: string; readonly atMs: number }
  /** What the losers of races had on its way is settled: the run may end (R08). */
  | { readonly type: 'run.kept'; readonly atMs: number }
  /** The run has its lock: it begins. */
  | { readonly type: 'run.granted'; readonly atMs: number }
  /** Forward work stops: deadline, accepted cancel, terminate, an operator's order. */
  | { readonly type: 'run.stopped'; readonly ending: Ending; readonly atMs: number }
  /** No effect is open any more: compensation may begin. */
  | { readonly type: 'run.settled'; readonly atMs: number }
  /** The last compensation is settled (or there was none). */
  | { readonly type: 'run.undone'; readonly atMs: number }
  /** What `finally` is told of the end: its steps begin. */
  | { readonly type: 'run.closing'; readonly end: RunEnd; readonly atMs: number }
  /** A person lets a held step go on; it is entered again. */
  | { readonly type: 'step.retried'; readonly step: string; readonly atMs: number }
  /** An ended run is to be compensated by order (R24). */
  | { readonly type: 'run.reopened'; readonly ending: Ending; readonly atMs: number };

/** What the machine asks of the decision; comes back as inert action data, in order. */
export type KernelCommand =
  | { readonly type: 'step.enter'; readonly step: string }
  | { readonly type: 'step.leave'; readonly step: string }
  /** A handler has taken an event while an effect is open: retries stop, what is in flight settles. */
  | { readonly type: 'step.drain'; readonly step: string }
  /** The step failed, nothing catches it, and it may not be undone: open an incident. */
  | { readonly type: 'step.held'; readonly step: string }
  /** The body of a group with a timeout is entered, and left. */
  | { readonly type: 'group.enter'; readonly step: string }
  | { readonly type: 'group.leave'; readonly step: string }
  /** What is under way in the branches is not wanted any more. `retries`: whether a call that waits for its next attempt makes it; null = as it is. */
  | { readonly type: 'branches.stop'; readonly step: string; readonly retries: boolean | null }
  /** A race is decided and all is settled: compensate the confirmed effects of those that lost it. */
  | { readonly type: 'losers.undo'; readonly step: string }
  /** A race is decided: what those that lost it have on its way settles while the run goes on. */
  | { readonly type: 'losers.keep'; readonly step: string }
  /** A clause with `undo` has taken a failure: compensate the confirmed effects of this step or group. */
  | { readonly type: 'group.undo'; readonly step: string; readonly clause: number }
  /** An item of a map has failed and the map goes on: compensate what that item has done; `list`: that of its lane. */
  | { readonly type: 'item.undo'; readonly step: string; readonly list?: string }
  | { readonly type: 'run.settle' }
  | { readonly type: 'run.compensate' }
  /** The end is reached and `finally` is to run: say what the end is. */
  | { readonly type: 'run.close' }
  | { readonly type: 'run.end' };

/** A command with the data as it was at that point of the macrostep. */
export interface IssuedCommand {
  readonly command: KernelCommand;
  readonly data: RunData;
}
