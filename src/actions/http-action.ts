import { setMaxListeners } from 'node:events';
import { Client } from 'undici';
import type { Dispatcher } from 'undici';
import type { AttemptReport } from '../model/outcome.ts';
import type { SendGate } from '../ports/action-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import { createDial } from './http-dial.ts';
import type { Dial } from './http-dial.ts';
import type { PreparedRequest } from './http-request.ts';
import { readBody } from './read-body.ts';

/** One request and the bounds of its exchange. */
export interface HttpExchange {
  readonly request: PreparedRequest;
  /** Longest time from now to the last byte of the answer, milliseconds; interim answers and drips do not extend it. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly gate: SendGate;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly ca: readonly string[] | null;
}

/** How an exchange ended. */
type Ending =
  | { readonly kind: 'complete' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'lost'; readonly reason: string };

/** What has come of an answer so far. */
interface Answer {
  status: number | null;
  headers: Readonly<Record<string, string>>;
  readonly chunks: Buffer[];
  bytes: number;
}

const ERROR_CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** The code of an error, never its message: messages can hold what was sent. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'ERROR';
  const first = error instanceof AggregateError ? (error.errors as unknown[])[0] : null;
  const code: unknown = Reflect.get(error, 'code') ?? (first === null ? null : codeOf(first));
  return typeof code === 'string' && ERROR_CODE.test(code) ? code : 'ERROR';
}

/** One value per header; repeated ones are joined as RFC 9110 allows. */
function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const pairs = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
}

/** In words, for people and for the row's last error. */
function describe(
  ending: Exclude<Ending, { kind: 'complete' | 'too-large' }>,
  exchange: HttpExchange,
  dial: Dial,
): string {
  if (ending.kind === 'aborted') return 'aborted: this worker may no longer act';
  if (ending.kind === 'lost')
    return `${dial.stage() === 'connecting' ? 'not-connected' : 'connection-lost'}: ${ending.reason}`;
  return `timeout: no complete answer within ${exchange.timeoutMs} ms`;
}

/** The report of an ending; nothing is judged here. */
function reportOf(
  ending: Ending,
  exchange: HttpExchange,
  answer: Answer,
  dial: Dial & { readonly gateClosed: boolean },
): AttemptReport {
  const { status, headers } = answer;
  if (status !== null) {
    const bodyBytes = Buffer.concat(answer.chunks);
    if (ending.kind === 'complete')
      return { kind: 'answered', status, headers, bodyBytes, ...readBody(bodyBytes, headers) };
    const unreadable =
      ending.kind === 'too-large'
        ? `too-large: more than ${exchange.maxResponseBytes} bytes`
        : `cut-off: ${describe(ending, exchange, dial)}`;
    return { kind: 'answered', status, headers, body: undefined, bodyBytes, unreadable };
  }
  if (dial.gateClosed)
    return { kind: 'unsent', reason: 'gate-closed: too late to send, or the seat has no margin left' };
  const byteWritten = dial.bytesWritten() > 0;
  const reason =
    ending.kind === 'complete' || ending.kind === 'too-large' ? 'no-status' : describe(ending, exchange, dial);
  return ending.kind === 'aborted' && !byteWritten
    ? { kind: 'unsent', reason }
    : { kind: 'broken', byteWritten, reason };
}

/** Collects the answer and says when it is over. */
function collect(answer: Answer, maxBytes: number, end: (ending: Ending) => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, status, headers) => {
      answer.status = status;
      answer.headers = flatHeaders(headers);
    },
    onResponseData: (_controller, chunk) => {
      const kept = chunk.subarray(0, maxBytes - answer.bytes);
      answer.chunks.push(Buffer.from(kept));
      answer.bytes += kept.length;
      if (kept.length < chunk.length) end({ kind: 'too-large' });
    },
    onResponseEnd: () => end({ kind: 'complete' }),
    onResponseError: (_controller, error) => end({ kind: 'lost', reason: codeOf(error) }),
  };
}

/** A client for one request: no pipelining, no keep-alive, no time-outs of its own (ours count the whole). */
function clientFor(exchange: HttpExchange, dial: Dial): Client {
  return new Client(exchange.request.origin, {
    connect: dial.connect,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    pipelining: 1,
  });
}

/**
 * Sends one request over one new connection and reports what was seen. One attempt is one request on the wire at most:
 * nothing below retries, follows a redirect or takes up an old connection.
 * @returns a report; never rejects.
 */
export function exchangeHttp(exchange: HttpExchange): Promise<AttemptReport> {
  const { request, signal, clock } = exchange;
  if (signal.aborted) return Promise.resolve({ kind: 'unsent', reason: 'aborted: this worker may no longer act' });
  return new Promise((resolve) => {
    let gateClosed = false;
    const gate: SendGate = () => {
      gateClosed = !exchange.gate();
      return !gateClosed;
    };
    const dial = createDial({ gate, ca: exchange.ca });
    const client = clientFor(exchange, dial);
    const answer: Answer = { status: null, headers: {}, chunks: [], bytes: 0 };
    const timer = new AbortController();
    let isOver = false;
    const end = (ending: Ending): void => {
      if (isOver) return;
      isOver = true;
      timer.abort();
      signal.removeEventListener('abort', onAbort);
      resolve(reportOf(ending, exchange, answer, { ...dial, gateClosed }));
      dial.destroy();
      void client.destroy().catch(() => undefined);
    };
    const onAbort = (): void => end({ kind: 'aborted' });
    // A run may have more on its way at once than Node expects of one signal, and warns of.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', onAbort, { once: true });
    void clock.sleep(exchange.timeoutMs, timer.signal).then(() => end({ kind: 'timeout' }));
    try {
      const { path, headers, body } = request;
      const method = request.method as Dispatcher.HttpMethod;
      client.dispatch({ path, method, headers, body, reset: true }, collect(answer, exchange.maxResponseBytes, end));
    } catch (error) {
      end({ kind: 'lost', reason: codeOf(error) });
    }
  });
}
