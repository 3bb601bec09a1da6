import type { ActionContract, Idempotency } from '../../src/model/definition.ts';
import type { Effect, EffectRequest } from '../../src/model/effect.ts';
import type { Digest, EffectKey, RunId } from '../../src/model/ids.ts';
import type { RunIdentity } from '../../src/model/run.ts';
import type { QueryOrder, ReadOrder, SendOrder } from '../../src/ports/action-adapter.ts';
import type { Logger } from '../../src/ports/logger.ts';

/** The key of the effect that all orders here are for. */
export const KEY = 'ab12'.repeat(16) as EffectKey;

/** A logger that keeps what it is told. */
export function keepingLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const note = (facts: Readonly<Record<string, unknown>>, event: string): void => {
    lines.push(JSON.stringify({ event, ...facts }));
  };
  return { lines, info: note, warn: note, error: note };
}

const RUN: RunIdentity = {
  runId: '018f0000-0000-7000-8000-000000000001' as RunId,
  part: 0,
  tenant: 'default',
  workflow: 'orders',
  version: 1,
  digest: 'd'.repeat(64) as Digest,
  key: 'O-1',
  startNumber: 1,
  input: {},
  startedAtMs: 0,
  startedBy: 'user:ada',
};

/** What an order is made of; everything else is filled in. */
export interface OrderParts {
  readonly url?: string;
  readonly function?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: EffectRequest['body'];
  readonly idempotency?: Idempotency;
  readonly maxResponseBytes?: number;
  readonly timeoutMs?: number;
  readonly attempt?: number;
  readonly fence?: number;
}

/** A request with defaults. */
export function requestOf(parts: OrderParts): EffectRequest {
  const body = parts.body === undefined ? { amount: 5 } : parts.body;
  return {
    action: 'psp.charge',
    contract: 1,
    method: parts.function === undefined ? (parts.method ?? 'POST') : null,
    url: parts.url ?? null,
    headers: parts.headers ?? {},
    function: parts.function ?? null,
    with: body,
    body,
  };
}

/** A contract with defaults. */
function contractOf(parts: OrderParts): ActionContract {
  const literal = { kind: 'literal', value: '' } as const;
  return {
    name: 'psp.charge',
    transport:
      parts.function === undefined
        ? { kind: 'http', method: 'POST', url: literal, headers: [], query: [], body: null }
        : { kind: 'function', name: parts.function },
    auth: null,
    effect: 'write',
    idempotency: parts.idempotency ?? { kind: 'header', name: 'Idempotency-Key', remembersMs: 60_000 },
    settlesWithinMs: 1_000,
    outcome: [],
    reconcile: null,
    compensate: null,
    retry: { attempts: 1, delayMs: 1_000, factor: 1, capMs: null, jitter: 0, withinMs: null, on: [], when: null },
    timeoutMs: 1_000,
    input: {},
    output: {},
    maxResponseBytes: parts.maxResponseBytes ?? 1_048_576,
    redact: [],
    contract: 1,
    pointer: '/actions/psp.charge',
  };
}

/** The row that the order is for. */
function effectOf(parts: OrderParts): Effect {
  return {
    key: KEY,
    step: 'charge',
    frames: [],
    ingredients: {
      kind: 'forward',
      tenant: 'default',
      reach: 'run',
      address: [],
      object: null,
      intent: 'psp.charge',
      generation: 0,
    },
    action: 'psp.charge',
    contract: 1,
    pivot: false,
    request: '{}',
    requestHash: '0'.repeat(64),
    state: 'REQUESTED',
    attempt: parts.attempt ?? 1,
    countedAttempts: 1,
    code: null,
    failureClass: null,
    everUnknown: false,
    fence: parts.fence ?? 7,
    firstRequestedAtMs: 0,
    requestedAtMs: 0,
    sendByMs: 0,
    notBeforeMs: null,
    unknownSinceMs: null,
    doubtSinceMs: null,
    resends: 0,
    queries: 0,
    doubt: null,
    lastError: null,
    output: undefined,
    receiptNo: null,
    externalId: null,
    settledAtMs: null,
    compensates: null,
    approvalId: null,
  };
}

/** A sending. */
export function sendOrder(parts: OrderParts): SendOrder {
  return {
    run: RUN,
    effect: effectOf(parts),
    request: requestOf(parts),
    contract: contractOf(parts),
    attempt: parts.attempt ?? 1,
    fence: parts.fence ?? 7,
    timeoutMs: parts.timeoutMs ?? 5_000,
  };
}

/** A question. */
export function queryOrder(parts: OrderParts): QueryOrder {
  const { run, effect, request, contract, timeoutMs } = sendOrder({ method: 'GET', ...parts });
  return { run, effect, request, contract, query: 3, timeoutMs };
}

/** A read. */
export function readOrder(parts: OrderParts): ReadOrder {
  const { run, request, contract, attempt, timeoutMs } = sendOrder({ method: 'GET', ...parts });
  return { run, step: 'look', request, contract, attempt, timeoutMs };
}
