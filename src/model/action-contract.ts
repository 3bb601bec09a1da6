import type { JsonObject } from './json.ts';
import type { OutcomeKind } from './statuses.ts';
import type { Expression, Template } from './template.ts';

/** A JSON Schema 2020-12 document. */
export type JsonSchema = JsonObject | boolean;

/** How often and when an action is tried again; all waits in milliseconds. */
export interface RetryPolicy {
  /** Counts the first call; `null` = forever. */
  readonly attempts: number | null;
  /** One delay, or the n-th of a list. */
  readonly delayMs: number | readonly number[];
  readonly factor: number;
  readonly capMs: number | null;
  /** Share of the wait added from a hash, 0..1. */
  readonly jitter: number;
  /** No attempt starts later than this after the first; `null` = no bound. */
  readonly withinMs: number | null;
  readonly on: readonly string[];
  readonly when: Expression | null;
}

/** What the provider promises about a repeated key. */
export type Idempotency =
  | { readonly kind: 'header'; readonly name: string; readonly remembersMs: number }
  | { readonly kind: 'field'; readonly name: string; readonly remembersMs: number }
  | { readonly kind: 'key'; readonly remembersMs: number }
  | { readonly kind: 'natural' }
  | { readonly kind: 'none' };

/** An HTTP request template. `body` null = `with`. */
export interface HttpTemplate {
  readonly kind: 'http';
  readonly method: string;
  readonly url: Template;
  readonly headers: readonly (readonly [string, Template])[];
  readonly query: readonly (readonly [string, Template])[];
  readonly body: Template | null;
}

/** A registered TypeScript function, `name@contract`. */
interface FunctionTemplate {
  readonly kind: 'function';
  readonly name: string;
}

/** A run of another workflow as an act in the world: `start` runs it, `undo` makes amends for one that completed. */
export interface ChildTemplate {
  readonly kind: 'child';
  readonly act: 'start' | 'undo';
  readonly workflow: string;
  readonly version: number;
}

/** One statement in the engine's own database, committed with the transition (E13). */
export interface SqlTemplate {
  readonly kind: 'sql';
  /** `:name` is `with.name`, bound and never pasted. */
  readonly statement: string;
  /** How many rows it must touch or give; null = any number. */
  readonly expectRows: number | null;
}

/** Attempts that remote workers pull from a queue, in whatever language they are written. */
interface WorkerTemplate {
  readonly kind: 'worker';
  readonly queue: string;
}

/** How an action is sent. */
export type Transport = HttpTemplate | FunctionTemplate | ChildTemplate | SqlTemplate | WorkerTemplate;

/** Where a secret goes; values are templates that may read `secrets.*`. */
export type Auth =
  | { readonly kind: 'bearer'; readonly token: Template }
  | { readonly kind: 'basic'; readonly user: Template; readonly password: Template }
  | { readonly kind: 'header'; readonly name: string; readonly value: Template }
  | {
      readonly kind: 'oauth2';
      readonly tokenUrl: string;
      readonly clientId: Template;
      readonly clientSecret: Template;
      /** Null = what the provider gives without asking. */
      readonly scope: string | null;
    };

/** One row of an outcome table; the first whose `when` is true wins. */
export interface OutcomeRule {
  readonly when: Expression;
  readonly is: Exclude<OutcomeKind, 'absent'> | 'absent';
  readonly code: string | null;
}

/** How to ask what happened. */
export interface ReconcileContract {
  readonly transport: Transport;
  readonly outcome: readonly OutcomeRule[];
  readonly found: Expression | null;
  readonly output: Template | null;
  readonly absent: 'final' | 'never';
  readonly everyMs: number;
  readonly giveUpMs: number;
}

/** Who decides and until when; each is computed when people are asked. */
export interface Voting {
  readonly title: Template;
  readonly from: readonly Template[];
  readonly quorum: Template;
  readonly denials: Template;
  readonly except: readonly Template[];
  readonly expires: Template | null;
}

/** The undo of an effect, on an action or a step. */
export type Compensation =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'call';
      readonly action: string;
      readonly with: Template | null;
      readonly object: Template | null;
      readonly retry: RetryPolicy | null;
      readonly timeoutMs: number | null;
      readonly onFailure: 'hold' | 'continue' | null;
      /** Steps and groups whose undo comes first, where the order is not `reverse`; absent = none. */
      readonly after?: readonly string[];
      /** People who must agree before it is requested (R23); absent = nobody is asked. */
      readonly approve?: Voting;
      readonly pointer: string;
    };

/** A contract with the world. */
export interface ActionContract {
  readonly name: string;
  readonly transport: Transport;
  readonly auth: Auth | null;
  readonly effect: 'write' | 'read';
  readonly idempotency: Idempotency | null;
  readonly settlesWithinMs: number;
  readonly outcome: readonly OutcomeRule[];
  readonly reconcile: ReconcileContract | null;
  readonly compensate: Compensation | null;
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  readonly maxResponseBytes: number;
  readonly redact: readonly string[];
  readonly contract: number;
  readonly pointer: string;
}
