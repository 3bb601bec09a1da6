import type { Json } from './json.ts';
import type { Problem } from './problem.ts';

/** What a caller should do: never again, later again, or ask the world first. */
export type RetryAdvice = 'never' | 'later' | 'reconcile';

/** Every error code with its advice and HTTP status; `docs/reference/errors.md` lists the same, and a test compares both ways. */
export const ERROR_CODES = {
  PAWL_DEFINITION_INVALID: { retry: 'never', httpStatus: 422 },
  PAWL_VERSION_CONFLICT: { retry: 'never', httpStatus: 409 },
  PAWL_VERSION_NOT_FOUND: { retry: 'never', httpStatus: 404 },
  PAWL_VERSION_DEPRECATED: { retry: 'never', httpStatus: 409 },
  PAWL_VERSION_NOT_DEPRECATED: { retry: 'never', httpStatus: 409 },
  PAWL_VERSION_DAMAGED: { retry: 'never', httpStatus: 500 },
  PAWL_RUN_NOT_FOUND: { retry: 'never', httpStatus: 404 },
  PAWL_REVISION_NOT_FOUND: { retry: 'never', httpStatus: 404 },
  PAWL_LIST_TOO_WIDE: { retry: 'never', httpStatus: 422 },
  PAWL_RUN_PRUNED: { retry: 'never', httpStatus: 410 },
  PAWL_MESSAGE_NOT_FOUND: { retry: 'never', httpStatus: 404 },
  PAWL_SCHEDULE_NOT_FOUND: { retry: 'never', httpStatus: 404 },
  PAWL_APPROVAL_NOT_FOUND: { retry: 'never', httpStatus: 404 },
  PAWL_EFFECT_NOT_FOUND: { retry: 'never', httpStatus: 404 },
  PAWL_RUN_AMBIGUOUS: { retry: 'never', httpStatus: 409 },
  PAWL_RUN_KEY_CONFLICT: { retry: 'never', httpStatus: 409 },
  PAWL_INPUT_INVALID: { retry: 'never', httpStatus: 422 },
  PAWL_VALUE_NOT_STORABLE: { retry: 'never', httpStatus: 400 },
  PAWL_EFFECT_CONFLICT: { retry: 'never', httpStatus: 409 },
  PAWL_EXPRESSION_FAULT: { retry: 'never', httpStatus: 422 },
  PAWL_DURATION_INVALID: { retry: 'never', httpStatus: 400 },
  PAWL_USAGE: { retry: 'never', httpStatus: 400 },
  PAWL_SQL_OFF: { retry: 'never', httpStatus: 409 },
  PAWL_LINKS_OFF: { retry: 'never', httpStatus: 409 },
  PAWL_CONFIG_INVALID: { retry: 'never', httpStatus: 400 },
  PAWL_EVENT_REFUSED: { retry: 'never', httpStatus: 409 },
  PAWL_EVENT_CONFLICT: { retry: 'never', httpStatus: 409 },
  PAWL_EVENT_UNDECLARED: { retry: 'never', httpStatus: 409 },
  PAWL_STORE_UNAVAILABLE: { retry: 'later', httpStatus: 503 },
  PAWL_STORE_ANSWER_LOST: { retry: 'reconcile', httpStatus: 503 },
  PAWL_STORE_FAILED: { retry: 'later', httpStatus: 503 },
  PAWL_STORE_REFUSED: { retry: 'never', httpStatus: 503 },
  PAWL_STORE_CONFLICT: { retry: 'never', httpStatus: 409 },
  PAWL_DATABASE_MISSING: { retry: 'never', httpStatus: 503 },
  PAWL_DATABASE_VERSION: { retry: 'never', httpStatus: 503 },
  PAWL_MIGRATION_MISMATCH: { retry: 'never', httpStatus: 503 },
  PAWL_KEY_NOT_FOUND: { retry: 'never', httpStatus: 404 },
  PAWL_PAUSE_NOT_FOUND: { retry: 'never', httpStatus: 404 },
  PAWL_PAUSED_ALREADY: { retry: 'never', httpStatus: 409 },
  PAWL_BATCH_NOT_FOUND: { retry: 'never', httpStatus: 404 },
  PAWL_BATCH_REFUSED: { retry: 'never', httpStatus: 422 },
  PAWL_BATCH_CONFLICT: { retry: 'never', httpStatus: 409 },
  PAWL_API_MALFORMED: { retry: 'never', httpStatus: 400 },
  PAWL_API_UNAUTHENTICATED: { retry: 'never', httpStatus: 401 },
  PAWL_API_FORBIDDEN: { retry: 'never', httpStatus: 403 },
  PAWL_API_NO_ROUTE: { retry: 'never', httpStatus: 404 },
  PAWL_API_METHOD: { retry: 'never', httpStatus: 405 },
  PAWL_API_TOO_LARGE: { retry: 'never', httpStatus: 413 },
  PAWL_API_MEDIA_TYPE: { retry: 'never', httpStatus: 415 },
  PAWL_API_UNCONDITIONAL: { retry: 'never', httpStatus: 428 },
  PAWL_API_RATE: { retry: 'later', httpStatus: 429 },
  PAWL_API_STREAMS: { retry: 'later', httpStatus: 429 },
  PAWL_API_OVERLOADED: { retry: 'later', httpStatus: 503 },
  PAWL_RUN_MOVED: { retry: 'never', httpStatus: 412 },
  PAWL_SERVER_UNREACHABLE: { retry: 'later', httpStatus: 503 },
  PAWL_SERVER_ANSWER_LOST: { retry: 'reconcile', httpStatus: 503 },
  PAWL_SERVER_UNREADABLE: { retry: 'never', httpStatus: 503 },
  PAWL_SNAPSHOT_INVALID: { retry: 'never', httpStatus: 500 },
  PAWL_INVARIANT: { retry: 'never', httpStatus: 500 },
} as const satisfies Record<string, { readonly retry: RetryAdvice; readonly httpStatus: number }>;

/** A stable error code. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The root of every error that Pawl throws: a code, advice, and facts that hold no secret. */
export abstract class PawlError extends Error {
  readonly code: ErrorCode;
  readonly retry: RetryAdvice;
  readonly httpStatus: number;
  readonly details: Readonly<Record<string, Json>>;

  constructor(code: ErrorCode, message: string, details: Readonly<Record<string, Json>> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.retry = ERROR_CODES[code].retry;
    this.httpStatus = ERROR_CODES[code].httpStatus;
    this.details = details;
  }
}

/** A definition with problems; each says what, where and the mend. */
export class DefinitionError extends PawlError {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super('PAWL_DEFINITION_INVALID', problems[0]?.message ?? 'the definition is invalid', { count: problems.length });
    this.problems = problems;
  }
}
/** The same key with other content, or a second answer to a decided question. */
export class ConflictError extends PawlError {}
/** The run has moved on: decide again on the reloaded run, or you are no longer its holder. */
export class StaleError extends PawlError {}
/** There is nothing under that name. */
export class NotFoundError extends PawlError {}
/** Understood and not done. */
export class RefusedError extends PawlError {}
/** The answer was lost: ask before acting again. */
export class UnknownOutcomeError extends PawlError {}
/** The store did not do it; nothing of the statement is there. */
export class StoreError extends PawlError {}

/** A bug: park the run, log, never swallow. */
export class InvariantError extends PawlError {
  constructor(message: string, details: Readonly<Record<string, Json>> = {}, cause?: unknown) {
    super('PAWL_INVARIANT', message, details, cause);
  }
}

/**
 * Holds in production too.
 * @throws PAWL_INVARIANT with the facts when the condition is false.
 */
export function invariant(
  condition: unknown,
  message: string,
  facts: Readonly<Record<string, Json>> = {},
): asserts condition {
  if (!condition) throw new InvariantError(message, facts);
}

/** Closes an exhaustive switch. */
export function assertNever(value: never): never {
  throw new InvariantError(`unexpected value ${JSON.stringify(value)}`);
}
