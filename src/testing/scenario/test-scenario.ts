import type { Json, JsonObject } from '../../model/json.ts';
import type { ReviewAnswer } from '../../model/statuses.ts';
import type { ScriptWord } from '../provider/script.ts';
import type { EffectPattern } from './effects-text.ts';
import type { StatusWord } from './status-words.ts';

/** What the provider does with the calls of one action. */
export interface OperationScript {
  /** In the order of the calls; the last one repeats. */
  readonly words: readonly ScriptWord[];
  /** What a yes says; undefined = made from the action's output. */
  readonly answer: Json | undefined;
  readonly isKeyIgnored: boolean;
  /** It cannot be asked what happened. */
  readonly isBlind: boolean;
  /** How long its answers take, milliseconds. */
  readonly takesMs: number;
}

/** Something that somebody outside does. */
export type OutsideAct =
  | {
      readonly kind: 'signal';
      readonly name: string;
      readonly data: Json;
      readonly id: string | null;
      readonly source: string;
      readonly by: string;
    }
  | {
      readonly kind: 'vote';
      /** null = it is not said which. */
      readonly step: string | null;
      readonly decision: 'approve' | 'deny';
      readonly by: string;
      readonly roles: readonly string[];
      /** undefined = nothing is filled in. */
      readonly form: Json | undefined;
    }
  | {
      readonly kind: 'order';
      readonly order: 'cancel' | 'terminate' | 'compensate';
      readonly reason: string;
      readonly by: string;
    }
  | { readonly kind: 'retry'; readonly step: string; readonly by: string }
  | {
      readonly kind: 'resolve';
      readonly step: string;
      readonly as: ReviewAnswer;
      readonly evidence: string;
      readonly output: Json | undefined;
      readonly by: string;
      readonly roles: readonly string[];
    }
  | { readonly kind: 'start'; readonly input: Json }
  | { readonly kind: 'worker'; readonly isUp: boolean };

/** An act at its time. */
export interface OutsideEvent {
  readonly pointer: string;
  /** From the start, milliseconds. */
  readonly atMs: number;
  readonly act: OutsideAct;
  /** The step whose child it is for, as its effect is called; null = it is for the run. */
  readonly child: string | null;
  /** What its sender is told: an outcome, an answer code or an error code; null = it must be taken. */
  readonly answer: string | null;
}

/** From and to, milliseconds. */
export type Span = readonly [fromMs: number, toMs: number];

/** What must have come of a scenario; undefined or null = nothing is said. */
export interface Expectation {
  readonly pointer: string;
  readonly effects: {
    readonly text: string;
    readonly pattern: EffectPattern;
    readonly names: readonly string[];
  } | null;
  /** Any of these. */
  readonly statuses: readonly StatusWord[];
  readonly outcome: string | null;
  /** Its code, or what it holds at least. */
  readonly failure: string | JsonObject | null;
  /** null = it has not failed. */
  readonly finallyFailed: string | null;
  readonly output: Json | undefined;
  readonly wholeOutput: Json | undefined;
  readonly steps: readonly string[] | null;
  readonly incidents: readonly string[] | null;
  readonly open: readonly string[] | null;
  /** By action, what the calls that did something carried at least, in order. */
  readonly sent: ReadonlyMap<string, readonly Json[]>;
  /** By event, what its messages said at least, in order. */
  readonly published: ReadonlyMap<string, readonly Json[]>;
  readonly calls: ReadonlyMap<string, number>;
  /** By action, the planned waits between its calls, in order. */
  readonly waits: ReadonlyMap<string, readonly Span[]>;
  /** By name, from the start, milliseconds. */
  readonly at: ReadonlyMap<string, number>;
}

/** One scenario of a test file. */
export interface TestScenario {
  readonly name: string;
  readonly pointer: string;
  readonly input: Json;
  readonly by: string;
  /** When it is started, epoch milliseconds. */
  readonly startsAtMs: number;
  readonly provider: ReadonlyMap<string, OperationScript>;
  /** In the order of their times. */
  readonly events: readonly OutsideEvent[];
  /** How long it is played; null = until nothing moves by itself. */
  readonly untilMs: number | null;
  readonly expect: Expectation;
  /** Any of them may be met instead where a worker has died. */
  readonly crashed: readonly Expectation[];
}
