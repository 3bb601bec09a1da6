import type { ActionContract } from '../model/definition.ts';
import type { EffectRequest } from '../model/effect.ts';
import type { AttemptReport } from '../model/outcome.ts';
import type { RunIdentity } from '../model/run.ts';
import type { ActionAdapter, SecretHeaders, SendGate } from '../ports/action-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger, NoteLogger } from '../ports/logger.ts';
import type { FunctionRegistry } from './action-function.ts';
import { queryFunction, sendFunction } from './function-action.ts';
import { exchangeHttp } from './http-action.ts';
import { isRefusal, prepareRequest } from './http-request.ts';
import type { RequestParts } from './http-request.ts';
import { createTokenSource } from './token-source.ts';

/** What an adapter is made of. */
export interface ActionAdapterOptions {
  readonly functions: FunctionRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Certificates of private authorities (PEM) for https; left out: Node's own (and `NODE_EXTRA_CA_CERTS`). */
  readonly ca?: readonly string[];
}

/** What sendings, queries and reads have in common. */
interface Touch {
  readonly kind: 'send' | 'query' | 'read';
  readonly request: EffectRequest;
  readonly contract: ActionContract;
  readonly number: number;
  /** The effect's key; empty for a read. */
  readonly key: string;
  readonly marks: RequestParts['marks'];
  readonly timeoutMs: number;
  readonly secrets: SecretHeaders;
  readonly gate: SendGate;
  readonly signal: AbortSignal;
}

/** Reads and questions change nothing: they may go at any time. */
const OPEN_GATE: SendGate = () => true;

/** A function's own words go under one event of ours, beside which function and effect they are about. */
function loggerFor(logger: Logger, name: string, key: string): NoteLogger {
  const about = { function: name, effectKey: key };
  return {
    info: (facts, note) => logger.info({ ...facts, ...about, note }, 'function.note'),
    warn: (facts, note) => logger.warn({ ...facts, ...about, note }, 'function.note'),
    error: (facts, note) => logger.error({ ...facts, ...about, note }, 'function.note'),
  };
}

/** Calls the registered function. */
function touchFunction(options: ActionAdapterOptions, touch: Touch, name: string): Promise<AttemptReport> {
  const registered = options.functions.get(name);
  if (registered === undefined)
    return Promise.resolve({ kind: 'unsent', reason: `the function ${name} is not registered here` });
  const invocation = {
    function: registered,
    key: touch.key,
    request: touch.kind === 'query' ? touch.request.with : touch.request.body,
    attempt: touch.number,
    timeoutMs: touch.timeoutMs,
    maxResponseBytes: touch.contract.maxResponseBytes,
    gate: touch.gate,
    signal: touch.signal,
    clock: options.clock,
    logger: loggerFor(options.logger, name, touch.key),
  };
  return touch.kind === 'query' ? queryFunction(invocation) : sendFunction(invocation);
}

/** The trace that a run was started in goes on to whoever is called. */
function traceMark({ traceparent }: RunIdentity): RequestParts['marks'] {
  return traceparent === undefined ? {} : { traceparent };
}

/** Sends the HTTP request. */
function touchHttp(options: ActionAdapterOptions, touch: Touch): Promise<AttemptReport> {
  const { request, secrets, marks } = touch;
  const key = touch.kind === 'send' ? { value: touch.key, idempotency: touch.contract.idempotency } : null;
  const prepared = prepareRequest({ request, secrets, marks, key });
  if (isRefusal(prepared)) return Promise.resolve({ kind: 'unsent', reason: prepared.refusal, permanent: true });
  return exchangeHttp({
    request: prepared,
    timeoutMs: touch.timeoutMs,
    maxResponseBytes: touch.contract.maxResponseBytes,
    gate: touch.gate,
    signal: touch.signal,
    clock: options.clock,
    ca: options.ca ?? null,
  });
}

/** Routes by transport; a fault of ours is reported as the worst that can be true. */
async function perform(options: ActionAdapterOptions, touch: Touch): Promise<AttemptReport> {
  let wasAsked = false;
  const gate: SendGate = () => {
    const isOpen = touch.gate();
    wasAsked ||= isOpen;
    return isOpen;
  };
  const guarded = { ...touch, gate };
  try {
    const name = touch.request.function;
    return await (name === null ? touchHttp(options, guarded) : touchFunction(options, guarded, name));
  } catch (error) {
    options.logger.error(
      { action: touch.contract.name, fault: error instanceof Error ? error.name : 'unknown' },
      'action.fault',
    );
    return { kind: 'broken', byteWritten: wasAsked, reason: 'fault: the adapter failed' };
  }
}

/**
 * The adapter that touches the world: http over one new connection per attempt, functions in this process.
 * Its verbs never throw and never judge.
 */
export function createActionAdapter(options: ActionAdapterOptions): ActionAdapter {
  const tokens = createTokenSource(options);
  return {
    token: (grant, timeoutMs, signal) => tokens.token(grant, timeoutMs, signal),
    forgetToken: (grant, token) => tokens.forget(grant, token),
    send: (order, secrets, gate, signal) => {
      const { request, contract, timeoutMs, attempt, effect } = order;
      const marks = {
        'pawl-effect': effect.key,
        'pawl-attempt': String(attempt),
        'pawl-fence': String(order.fence),
        ...traceMark(order.run),
      };
      return perform(options, {
        kind: 'send',
        request,
        contract,
        number: attempt,
        key: effect.key,
        marks,
        timeoutMs,
        secrets,
        gate,
        signal,
      });
    },
    query: (order, secrets, signal) => {
      const { request, contract, timeoutMs, query, effect } = order;
      const marks = { 'pawl-effect': effect.key, ...traceMark(order.run) };
      return perform(options, {
        kind: 'query',
        request,
        contract,
        number: query,
        key: effect.key,
        marks,
        timeoutMs,
        secrets,
        gate: OPEN_GATE,
        signal,
      });
    },
    read: (order, secrets, signal) => {
      const { request, contract, timeoutMs, attempt } = order;
      return perform(options, {
        kind: 'read',
        request,
        contract,
        number: attempt,
        key: '',
        marks: traceMark(order.run),
        timeoutMs,
        secrets,
        gate: OPEN_GATE,
        signal,
      });
    },
    missing: (functions) => functions.filter((name) => !options.functions.has(name)),
  };
}
