import { ANSWER_LOST, ClientError, NO_SERVER, NOT_PAWL } from './client-error.ts';
import type { Problem } from './generated/operations.generated.ts';
import type { Request } from './make-request.ts';

/** Sendings of one call. */
const ATTEMPTS_MAX = 3;
/** The wait before the second sending, milliseconds; each later one is twice as long. */
const PAUSE_MS = 250;
/** The longest wait, also where the server asks for more: then the caller is told how much. */
const PAUSE_MS_MAX = 10_000;

const PROBLEM = 'application/problem+json';
/** Answers that go on for ever. */
const STREAM = 'text/event-stream';

/** Faults of a connection before which no byte of the request can have left. */
const UNSENT: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** What came back for a call. */
export interface Reply<T> {
  readonly status: number;
  readonly data: T;
  /** Of a run: to be sent as `ifMatch` with an act that is meant for what was seen. */
  readonly etag: string | null;
  /** The same act had been done before. */
  readonly isReplay: boolean;
  readonly requestId: string | null;
}

function bareMedia({ headers }: Response): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function isProblem(value: unknown): value is Problem {
  const { code, detail, retry } = (value ?? {}) as Partial<Record<keyof Problem, unknown>>;
  return typeof code === 'string' && typeof detail === 'string' && /^(?:never|later|reconcile)$/.test(String(retry));
}

/** An answer that was begun and does not come to its end, or none at all, after the request had left. */
function lost({ isRepeatable, method, idempotencyKey }: Request, words: string, cause?: unknown): ClientError {
  if (method === 'GET') return new ClientError(words, { code: NO_SERVER, retry: 'later' }, cause);
  const more = isRepeatable ? ', also when it was sent again under the same name' : '';
  const message = `${words}${more}: it may have been done`;
  return new ClientError(message, { code: ANSWER_LOST, retry: 'reconcile', idempotencyKey }, cause);
}

/** Whatever stands between here and a server may answer in its place. */
function refuseStranger(request: Request, { status }: Response): ClientError {
  const words = `the answer (HTTP ${status}) is none of a Pawl server`;
  if (status >= 500) return lost(request, words);
  return new ClientError(words, { code: NOT_PAWL, retry: 'never', status });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function problemIn(response: Response, request: Request): Promise<ClientError> {
  const problem = parse(await response.text());
  if (!isProblem(problem)) return refuseStranger(request, response);
  const { code, retry, detail, requestId } = problem;
  const seconds = response.headers.get('retry-after') ?? '';
  const retryAfterMs = /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : null;
  const { idempotencyKey } = request;
  return new ClientError(detail, {
    code,
    retry,
    status: response.status,
    problem,
    requestId,
    retryAfterMs,
    idempotencyKey,
  });
}

async function dataOf(response: Response, request: Request): Promise<unknown> {
  const media = bareMedia(response);
  if (response.status === 204) return null;
  if (!request.accepts.includes(media)) throw refuseStranger(request, response);
  if (media === STREAM) return response.body;
  const text = await response.text();
  if (media !== 'application/json') return text;
  const data = parse(text);
  if (data === undefined) throw lost(request, 'the answer was cut off');
  return data;
}

async function read(response: Response, request: Request): Promise<Reply<unknown>> {
  const { status, headers } = response;
  if (bareMedia(response) === PROBLEM) throw await problemIn(response, request);
  if (!response.ok) throw refuseStranger(request, response);
  return {
    status,
    data: await dataOf(response, request),
    etag: headers.get('etag'),
    isReplay: headers.get('idempotency-replayed') === 'true',
    requestId: headers.get('x-request-id'),
  };
}

function codeOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : undefined;
}

/** What a fault of the way to the server means for the call. */
function faultOf(error: unknown, request: Request): ClientError {
  const code = codeOf(error);
  const words = typeof code === 'string' ? `no answer came (${code})` : 'no answer came';
  if (!UNSENT.includes(code)) return lost(request, words, error);
  const { idempotencyKey } = request;
  const message = `the server cannot be reached (${String(code)})`;
  return new ClientError(message, { code: NO_SERVER, retry: 'later', idempotencyKey }, error);
}

async function sendOnce(fetcher: typeof fetch, request: Request): Promise<Reply<unknown>> {
  const { url, method, headers, body, signal, timeoutMs } = request;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const ends = signal === null ? late.signal : AbortSignal.any([signal, late.signal]);
  try {
    // A redirect would carry the act, and the key, to somebody else.
    const response = await fetcher(url, { method, headers, body, signal: ends, redirect: 'manual' });
    return await read(response, request);
  } catch (error) {
    if (signal?.aborted === true || error instanceof ClientError) throw error;
    throw late.signal.aborted ? lost(request, `no answer came within ${timeoutMs} ms`, error) : faultOf(error, request);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a call that came to nothing may be sent again: nothing of it was done, or doing it again is doing it once. */
function mayRepeat({ isRepeatable }: Request, { retry }: ClientError): boolean {
  return retry === 'later' || (retry === 'reconcile' && isRepeatable);
}

/** Waits; whoever gives the call up need not. */
async function pause(ms: number, signal: AbortSignal | null): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const giveUp = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal?.addEventListener('abort', giveUp, { once: true });
  });
  signal?.throwIfAborted();
}

/**
 * Sends a call, and again where that is safe.
 * @throws ClientError; the signal's reason when the caller has given it up.
 */
export async function send(fetcher: typeof fetch, request: Request): Promise<Reply<unknown>> {
  let doubt: ClientError | null = null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(fetcher, request);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (error.retry === 'reconcile') doubt = error;
      const ms = error.retryAfterMs ?? PAUSE_MS * 2 ** (attempt - 1);
      const isLast = attempt === ATTEMPTS_MAX || ms > PAUSE_MS_MAX || !mayRepeat(request, error);
      // That nothing was done by this sending says nothing of the one before.
      if (isLast) throw error.retry === 'later' ? (doubt ?? error) : error;
      await pause(ms, request.signal);
    }
  }
}
