import type { ActionRef, GuardRef } from '../model/machine.ts';
import type { ItemsVerdict } from './items.ts';

/** Waits for the run's lock; the run's own states have `$` in their names, which no author's id can have. */
export const QUEUED = '$queued';
/** Where the author's steps are. */
export const FORWARD = '$forward';
/** Evaluates the document's output; transient. */
export const FINISHING = '$finishing';
/** All is done but what the losers of a race have on its way: waits until that is settled (R08). */
export const KEEPING = '$keeping';
/** Waits until no effect is open. */
export const SETTLING = '$settling';
/** Waits until every compensation is settled. */
export const COMPENSATING = '$compensating';
/** The end is reached, and what it is is told to `finally`. */
export const CLOSING = '$closing';
/** Where the steps of `finally` are. */
export const FINALLY = '$finally';
/** `finally` is over: to the end that was reached before it; transient. */
export const CLOSED = '$closed';
/** The end of every run that did not complete. */
export const ENDED = '$ended';
/** The end of a run that is done. */
export const COMPLETED = '$completed';
/** The output could not be computed: a person is needed, nothing is undone. */
export const OUTPUT_HELD = '$outputHeld';
/** An expression of a machine could not be computed where nothing may be undone any more: a person is needed. */
export const FAULT_HELD = '$faultHeld';
/** Leads back to where a machine was. */
export const RESUME = '$resume';
/** The name under which the document's output is held and retried, where a step's id would stand. */
export const OUTPUT_STEP = '$output';
/** The id of the document's own list of steps. */
export const MAIN_LIST = 'main';
/** The id of the list of `finally`. */
export const FINALLY_LIST = 'finally';

/** What an expression in the flow belongs to; the kernel computes each at most once per advance. */
export type ComputationRef =
  | { readonly kind: 'when'; readonly step: string }
  | { readonly kind: 'branch'; readonly step: string; readonly index: number }
  | { readonly kind: 'set'; readonly step: string }
  | { readonly kind: 'while' | 'until'; readonly step: string }
  /** Of a map: what is known at its entry, the next item, and the keys of all. */
  | { readonly kind: 'items' | 'keys'; readonly step: string }
  /** `list`: the item of this lane; absent = the present one. */
  | { readonly kind: 'item'; readonly step: string; readonly list?: string }
  | { readonly kind: 'fail'; readonly step: string }
  | { readonly kind: 'count'; readonly step: string }
  /** `step` null = the document's. */
  | { readonly kind: 'handler'; readonly step: string | null; readonly index: number }
  /** A guard, an assign or a raise of a machine, by its place in the file. */
  | { readonly kind: 'guard' | 'assign' | 'raise'; readonly step: null; readonly at: string }
  /** `step` null = the document's own output. */
  | { readonly kind: 'output'; readonly step: string | null }
  /** `crossed`: steps whose running catch the failure leaves on its way out, innermost first (rule R22). */
  | { readonly kind: 'clause'; readonly step: string; readonly index: number; readonly crossed: readonly string[] };

/** The closed list of guards, with the parameters of each. */
export type GuardParams = {
  /** All of them hold. */
  all: { readonly guards: readonly { readonly type: string; readonly params: GuardRef['params'] }[] };
  /** The event settles this step; `ok` null = either way. */
  settled: { readonly step: string; readonly ok: boolean | null };
  /** The event is of this name, `prefix.*` or `*`, and none of `except`; `since`: this state was active when it was received. */
  named: { readonly name: string; readonly except: readonly string[]; readonly since: string | null };
  /** The event is taken by this handler; `open` null = whether or not an effect is open. */
  taken: { readonly step: string | null; readonly handler: number; readonly open: boolean | null };
  /**
   * The time of this group is over. `open`: only if that step has something on its way; `closed`: only if that one has not;
   * null = either way.
   */
  expired: { readonly step: string; readonly open: string | null; readonly closed: string | null };
  /** The branches of this step are not wanted any more; `open` and `closed` as above. */
  halted: { readonly step: string; readonly open: string | null; readonly closed: string | null };
  /** What this step's clause or race had to undo is settled. */
  undone: { readonly step: string };
  /** A person lets this step go on. */
  retried: { readonly step: string };
  /** The event stops the run without undo. */
  terminated: Record<string, never>;
  /** The computation gave true. */
  verdict: { readonly of: ComputationRef };
  /** The computation failed. */
  faulty: { readonly of: ComputationRef };
  /** The step may close its cycle once more. */
  jumpable: { readonly step: string; readonly max: number };
  /** There may be another turn of this list. */
  turnable: { readonly list: string; readonly max: number };
  /** Two items of this map have one key. */
  duplicated: { readonly of: ComputationRef };
  /** Whether there is another item of this map, or how it ends. */
  itemsAre: { readonly step: string; readonly list: string; readonly is: ItemsVerdict };
  /** There is an item of this map that nobody has begun, and it is wanted. */
  claimable: { readonly step: string };
  /** This lane has no item. */
  idle: { readonly list: string };
  /** A failure is being routed; `in`: in this branch. */
  failing: { readonly in?: string };
  /** How many branches must succeed: `none`, or more than there are. */
  need: { readonly step: string; readonly is: 'none' | 'impossible' };
  /** What the branches have come to: it is decided and others are under way (`stops`), or all are at their end. */
  joined: { readonly step: string; readonly as: 'stops' | 'met' | 'lost' | 'kept' };
  /** All branches are at their end, and this way leads out. */
  leaving: { readonly step: string; readonly way: number };
  /** No way leads out yet, or only one from further inside. */
  leavable: { readonly step: string; readonly way: number };
  /** No failure is being routed. */
  sound: Record<string, never>;
  /** An unhandled failure keeps its step instead of undoing the run. */
  holding: Record<string, never>;
  /** `finally` is still to run: it did not yet, the run has begun and was not terminated. */
  closable: Record<string, never>;
  /** The end that was reached is `done`. */
  completing: Record<string, never>;
};

/** Where a failure comes from. */
export type FailureSource =
  /** The settled event carries it. */
  | { readonly kind: 'event' }
  /** The computation failed; `cause`: a failure was being routed already and becomes the cause. */
  | { readonly kind: 'fault'; readonly of: ComputationRef; readonly cause: boolean }
  /** A `fail` step says so. */
  | { readonly kind: 'step'; readonly of: ComputationRef }
  /** A cycle has been closed `maxJumps` times; `caught`: inside this step's own catch. */
  | { readonly kind: 'limit'; readonly caught: boolean }
  /** No branch of a `choose` is true. */
  | { readonly kind: 'no-match' }
  /** A handler says `then: fail`. */
  | { readonly kind: 'handler' }
  /** A machine has come to a final state that says so. */
  | { readonly kind: 'state'; readonly state: string; readonly code: string }
  /** The time of a group is over. */
  | { readonly kind: 'timeout' }
  /** A repeat has used up its turns. */
  | { readonly kind: 'turns' }
  /** Two items of a map have one key. */
  | { readonly kind: 'duplicate-item'; readonly of: ComputationRef }
  /** Too many items of a map have failed. */
  | { readonly kind: 'items' }
  /** Too few branches can succeed. */
  | { readonly kind: 'join' };

/** The closed list of actions that change the data, with the parameters of each; each returns new data, none does anything else. */
export type AssignParams = {
  /** The step is settled as the event says; `ran`: the group whose output it may become. */
  'record.settled': { readonly step: string; readonly ran: string | null };
  'record.skipped': { readonly step: string };
  /** A transient step is done; its output is computed, of the last step that ran in it, of all turns or items, or absent. */
  'record.done': {
    readonly step: string;
    readonly ran: string | null;
    readonly output: 'none' | 'ran' | 'computed' | 'turns' | 'items' | 'branches';
  };
  /** Writes vars; all values were computed on the values before the transition. */
  set: { readonly of: ComputationRef };
  /** Closes a cycle: the list begins another visit (rule E01). */
  jump: { readonly step: string; readonly list: string };
  /** A list is entered from outside: visit 0. `choose`: the group of which is forgotten which step of it ran last. */
  'list.enter': { readonly list: string; readonly choose: string | null };
  /** Another turn of a repeat begins: what the turn before it has left in its steps is forgotten. */
  'turn.begin': { readonly step: string; readonly list: string; readonly first: boolean };
  /** A turn is over: its output joins those of the turns before it. */
  'turn.end': { readonly step: string; readonly list: string };
  /** A map begins: its items are counted. */
  'items.enter': { readonly step: string; readonly list: string };
  /** A lane takes the next item, if there is one left. */
  'item.claim': { readonly step: string; readonly list: string };
  /** A lane does nothing any more; what was under way in it was not wanted. */
  'lane.end': { readonly step: string; readonly list: string };
  /** The next item begins: what the item before it has left in its steps is forgotten. */
  'item.begin': { readonly step: string; readonly list: string };
  /** An item is over; `crossed`: it has failed, leaving these running catches, innermost first. */
  'item.end': { readonly step: string; readonly list: string; readonly crossed?: readonly string[] };
  /** All branches of a parallel step begin. */
  'branches.begin': { readonly step: string };
  /** A branch is at its end. */
  'branch.end': { readonly step: string; readonly branch: string; readonly as: 'succeeded' | 'failed' | 'stopped' };
  /** A failure leaves running catches on its way to the end of its branch. */
  'branch.lose': { readonly list: string; readonly crossed: readonly string[] };
  /** What is under way in the branches is not wanted any more; `way`: what leads out, null = the join. */
  'branches.leave': { readonly step: string; readonly way: number | null };
  /** A machine writes vars. */
  'machine.assign': { readonly of: ComputationRef };
  /** A state with an invoke is entered: the act is another one than at the entry before, unless it is entered through a history (rule E01). */
  visit: { readonly step: string; readonly list: string };
  /** A transition leads to a history: the invokes around it that it enters are those that were left. */
  recall: { readonly steps: readonly string[] };
  /** Raises a failure of a step. */
  fail: { readonly step: string | null; readonly source: FailureSource };
  /** A clause takes the failure. */
  catch: { readonly step: string; readonly crossed: readonly string[] };
  /** Running catches are left. */
  uncatch: { readonly steps: readonly string[] };
  /** The caught failure goes on outward. */
  raise: { readonly step: string };
  /** No failure of a step that is held is being routed any more. */
  forgive: Record<string, never>;
  /** The run is done. `step`: the `end` that says so; null = the end of the file. */
  'end.done': { readonly step: string | null };
  'end.failed': { readonly crossed: readonly string[] };
  'end.cancelled': Record<string, never>;
  /** The end that the event names. */
  'end.stopped': Record<string, never>;
  /** `finally` begins, with the end that the event tells. */
  'finally.begin': Record<string, never>;
  /** The run has not begun, so there is nothing for `finally` to do. */
  'finally.skip': Record<string, never>;
  /** A failure that nothing in `finally` catches: it is noted, and that is all. */
  'finally.failed': { readonly crossed: readonly string[] };
};

/** What a machine tells itself: an event that is taken within the same transition. */
export const RAISE = 'machine.raise';

/** The closed list of commands, with the parameters of each: actions without implementation, so XState hands them back. */
export type CommandParams = {
  'step.enter': { readonly step: string };
  'step.leave': { readonly step: string };
  'step.drain': { readonly step: string };
  'step.held': { readonly step: string };
  'group.enter': { readonly step: string };
  'group.leave': { readonly step: string };
  'group.undo': { readonly step: string; readonly clause: number };
  'item.undo': { readonly step: string; readonly list?: string };
  'branches.stop': { readonly step: string; readonly retries: boolean | null };
  'losers.undo': { readonly step: string };
  'losers.keep': { readonly step: string };
  'run.settle': Record<string, never>;
  'run.compensate': Record<string, never>;
  'run.close': Record<string, never>;
  'run.end': Record<string, never>;
};

/** A guard's name. */
export type GuardName = keyof GuardParams;
/** A data action's name. */
export type AssignName = keyof AssignParams;
/** A command's name. */
export type CommandName = keyof CommandParams;

/** A guard reference of the closed list. */
export function guard<Name extends GuardName>(type: Name, params: GuardParams[Name]): GuardRef {
  return { type, params: params as GuardRef['params'] };
}

/** A data action's reference of the closed list. */
export function assignment<Name extends AssignName>(type: Name, params: AssignParams[Name]): ActionRef {
  return { type, params: params as ActionRef['params'] };
}

/** A command's reference of the closed list. */
export function command<Name extends CommandName>(type: Name, params: CommandParams[Name]): ActionRef {
  return { type, params: params as ActionRef['params'] };
}

/** Both guards; a missing one is true. */
export function both(a: GuardRef | null, b: GuardRef | null): GuardRef | null {
  if (a === null) return b;
  if (b === null) return a;
  return guard('all', { guards: [a, b] });
}
