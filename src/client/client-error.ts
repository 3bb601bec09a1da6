import type { Problem } from './generated/operations.generated.ts';

/** What a caller should do: never again, later again, or ask the server first what became of it. */
type RetryAdvice = Problem['retry'];

/** The server's own word for what does not fit a route; here also for what could not be sent as it is. */
export const MALFORMED = 'PAWL_API_MALFORMED';
/** Codes of what no server has said, in the words of `docs/reference/errors.md`. */
export const NO_SERVER = 'PAWL_SERVER_UNREACHABLE';
export const ANSWER_LOST = 'PAWL_SERVER_ANSWER_LOST';
export const NOT_PAWL = 'PAWL_SERVER_UNREADABLE';

/** What is known of a call that came to nothing. */
interface ClientFacts {
  readonly code: string;
  readonly retry: RetryAdvice;
  readonly status?: number;
  readonly problem?: Problem;
  readonly requestId?: string | null;
  readonly retryAfterMs?: number | null;
  readonly idempotencyKey?: string | null;
}

/** A call that came to nothing, or of which nobody knows what it came to (`retry` is `reconcile` then). */
export class ClientError extends Error {
  /** Stable; `docs/reference/errors.md` lists them, and a newer server may have more. */
  readonly code: string;
  readonly retry: RetryAdvice;
  /** The HTTP status; null = no answer came. */
  readonly status: number | null;
  /** What the server said; null = nothing of it is Pawl's. */
  readonly problem: Problem | null;
  /** The id under which the server's log has the call. */
  readonly requestId: string | null;
  /** How long the server asks callers to wait, milliseconds. */
  readonly retryAfterMs: number | null;
  /** The name under which the act was sent: sent again under it, it is the same act. */
  readonly idempotencyKey: string | null;

  constructor(message: string, facts: ClientFacts, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClientError';
    this.code = facts.code;
    this.retry = facts.retry;
    this.status = facts.status ?? null;
    this.problem = facts.problem ?? null;
    this.requestId = facts.requestId ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.idempotencyKey = facts.idempotencyKey ?? null;
  }
}
