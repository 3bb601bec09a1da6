import type { Expression, Template } from './template.ts';

/** What a state does when it is entered or left, or a transition on its way; in order, each on the values that the one before it left. */
export type FormAction =
  | {
      readonly kind: 'assign';
      /** null = always. */
      readonly when: Expression | null;
      readonly set: readonly (readonly [string, Template])[];
      /** The event whose roots it may read; null = none. */
      readonly event: string | null;
      readonly pointer: string;
    }
  | {
      readonly kind: 'raise';
      readonly when: Expression | null;
      readonly name: string;
      readonly data: Template | null;
      readonly event: string | null;
      readonly pointer: string;
    };

/** What a transition waits for. `event`: a name, `prefix.*` or `*`. `done`: the states inside have come to their ends. */
export type FormTrigger =
  | { readonly kind: 'event'; readonly name: string; readonly pointer: string }
  | { readonly kind: 'settled'; readonly step: string; readonly ok: boolean }
  | { readonly kind: 'always' }
  | { readonly kind: 'done' };

/** One way out of a state of the author's; no targets = it stays. */
export interface FormEdge {
  readonly trigger: FormTrigger;
  readonly guard: Expression | null;
  /** Ids of states; more than one are in different regions of a parallel state. */
  readonly targets: readonly string[];
  /** Whether a target that lies inside is entered from outside. */
  readonly reenter: boolean;
  readonly actions: readonly FormAction[];
  readonly pointer: string;
}

/** A state as the author wrote it. */
export interface FormState {
  /** Its name where nothing else has it, else its path from the root, joined by colons. */
  readonly id: string;
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** Where a compound begins; where a history leads the first time. */
  readonly initial: string | null;
  /** Of a history, else null. */
  readonly history: 'shallow' | 'deep' | null;
  readonly states: readonly FormState[];
  readonly entry: readonly FormAction[];
  readonly exit: readonly FormAction[];
  readonly edges: readonly FormEdge[];
  /** Of a final state: the code with which the run fails there; null = it does not. */
  readonly fail: string | null;
  /** The step that it invokes when it is entered. */
  readonly invoke: string | null;
  /** The steps that its delays are. */
  readonly delays: readonly string[];
  readonly tags: readonly string[];
  readonly pointer: string;
}

/** A workflow that is written as a machine; its invokes and delays are the definition's steps. */
export interface MachineForm {
  readonly root: FormState;
}

/** A state with all that are inside it, each before what is in it. */
export function allStates(state: FormState): readonly FormState[] {
  return [state, ...state.states.flatMap(allStates)];
}
