import type { WorkflowDefinition } from './definition.ts';
import type { JsonObject } from './json.ts';

/** A named guard with plain parameters; the closed list is in `machine/kernel-names.ts`. */
export interface GuardRef {
  readonly type: string;
  readonly params: JsonObject;
}
/** A named action with plain parameters; those without implementation come back as commands. */
export interface ActionRef {
  readonly type: string;
  readonly params: JsonObject;
}
/** Why an edge exists; the picture draws each kind its own way. */
export type EdgeKind =
  | 'next'
  | 'jump'
  | 'skip'
  | 'branch'
  | 'handler'
  | 'catch'
  | 'failure'
  | 'end'
  | 'retry'
  | 'compensation'
  | 'settle';

/** The event of an edge that is taken when the states inside have come to their ends (XState `onDone`). */
export const DONE = '$done';

/** One way out of a state. `event` null = taken at once (XState `always`). `target` null = stays. */
export interface MachineEdge {
  readonly event: string | null;
  readonly guard: GuardRef | null;
  readonly target: string | null;
  /** More targets, in other regions of a parallel state; absent = none. */
  readonly also?: readonly string[];
  /** Whether a target inside is entered from outside; absent = a step that goes back to itself is, all else is not. */
  readonly reenter?: boolean;
  readonly actions: readonly ActionRef[];
  readonly kind: EdgeKind;
  /** What a person reads on the arrow; null = nothing. */
  readonly label: string | null;
}
/** A state of the intermediate machine; order is kept in arrays and is part of the digest. */
export interface MachineState {
  /** Unique in the machine. */
  readonly id: string;
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** How deep a history remembers; absent where it is none. */
  readonly history?: 'shallow' | 'deep';
  /** Id of the initial child of a compound; of a history, where it leads the first time. */
  readonly initial: string | null;
  readonly states: readonly MachineState[];
  readonly entry: readonly ActionRef[];
  readonly exit: readonly ActionRef[];
  readonly edges: readonly MachineEdge[];
  /** The step it belongs to, null for the run's own states. */
  readonly step: string | null;
  /** What it does for its step; `active` is the one a person thinks of as the step, `over` the end of a branch. */
  readonly role: 'active' | 'gate' | 'failed' | 'leaving' | 'undoing' | 'held' | 'list' | 'over' | 'run';
}
/** Where a step stands among lists; frames of effect keys are computed from it. */
export interface StepPlace {
  /** Enclosing step lists from the outermost in; the root list is `main`. */
  readonly lists: readonly string[];
  /** Enclosing steps (a choose, or the step whose catch holds it), outermost first. */
  readonly parents: readonly string[];
}
/** The compiled, immutable form of a version: everything a run needs for life, as plain JSON. */
export interface Machine {
  readonly format: 'machine/1';
  readonly definition: WorkflowDefinition;
  readonly root: MachineState;
  readonly places: readonly (readonly [string, StepPlace])[];
}
