import type { Json } from '../model/json.ts';
import type { OutcomeKind } from '../model/statuses.ts';

/** Shared by every copy of the package in a process, so that `instanceof` is never needed. */
const BRAND = Symbol.for('pawl.function-outcome');

/** The facts a thrown outcome carries. */
export interface DeclaredFacts {
  readonly outcome: OutcomeKind;
  readonly code: string | null;
  readonly afterMs: number | null;
  readonly data: Json;
}

/** The root of what a function throws to say what happened, instead of leaving it unknown. */
abstract class FunctionOutcome extends Error {
  readonly [BRAND]: DeclaredFacts;

  constructor(message: string, facts: DeclaredFacts) {
    super(message);
    this.name = new.target.name;
    this[BRAND] = facts;
  }
}

/**
 * The provider refused for good: it has not happened and a retry cannot help.
 * @example throw new Rejected('card-declined')
 */
export class Rejected extends FunctionOutcome {
  /**
   * @param code free kebab-case text; a `catch` can name it.
   * @param data what a `catch` may read as `failure.data`.
   */
  constructor(code: string, data: Json = null) {
    super(`rejected: ${code}`, { outcome: 'rejected', code, afterMs: null, data });
  }
}

/** It has definitely not happened and may work later: no connection, a 503. Never throw it when the request may have arrived. */
export class Unavailable extends FunctionOutcome {
  constructor(reason = 'unavailable') {
    super(reason, { outcome: 'unavailable', code: null, afterMs: null, data: null });
  }
}

/** It has definitely not happened because we ask too often. */
export class Throttled extends FunctionOutcome {
  /** @param afterMs not again before so many milliseconds; left out: the retry policy's own wait. */
  constructor(afterMs: number | null = null) {
    super('throttled', { outcome: 'throttled', code: null, afterMs, data: null });
  }
}

/** The provider accepted it and is not done: asked about by `reconcile`, or settled by an event, never sent again. */
export class Pending extends FunctionOutcome {
  constructor(data: Json = null) {
    super('pending', { outcome: 'pending', code: null, afterMs: null, data });
  }
}

/** The facts of a thrown outcome, or null when it was any other throw. */
export function declaredBy(thrown: unknown): DeclaredFacts | null {
  if (typeof thrown !== 'object' || thrown === null) return null;
  return (thrown as Partial<FunctionOutcome>)[BRAND] ?? null;
}
