import { setMaxListeners } from 'node:events';
import { canonicalJson } from '../model/canonical-json.ts';
import type { Json } from '../model/json.ts';
import type { AttemptReport } from '../model/outcome.ts';
import { STORABLE_DEPTH_MAX } from '../model/storable.ts';
import type { SendGate } from '../ports/action-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { NoteLogger } from '../ports/logger.ts';
import type { ActionFunction, FunctionCall, FunctionFinding } from './action-function.ts';
import { declaredBy } from './function-outcomes.ts';
import { checkStorable } from './read-body.ts';
import type { ReadBody } from './read-body.ts';

/** One call of a registered function and its bounds. */
export interface FunctionInvocation {
  readonly function: ActionFunction;
  readonly key: string;
  readonly request: Json;
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly gate: SendGate;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: NoteLogger;
}

/** How a call ended. */
type Ending =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly thrown: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' };

const CODE = /^[a-z][a-z0-9-]{0,63}$/;
const FINDINGS: readonly string[] = [
  'confirmed',
  'rejected',
  'pending',
  'absent',
] satisfies FunctionFinding['outcome'][];
/** Text kept of a value that cannot be stored, in bytes. */
const KEPT_BYTES_MAX = 65_536;
/** Values of a result that are looked at; more do not fit into a row anyway. */
const NODES_MAX = 300_000;

/** Calls and waits until it is over, out of time, or ours no longer; the function's signal ends with the wait. */
async function callBounded(invocation: FunctionInvocation, run: (call: FunctionCall) => unknown): Promise<Ending> {
  const { key, request, attempt, timeoutMs, signal, clock, logger } = invocation;
  const inner = new AbortController();
  const timer = new AbortController();
  const call: FunctionCall = { key, request, attempt, deadlineMs: timeoutMs, signal: inner.signal, logger };
  let onAbort = (): void => undefined;
  const aborted = new Promise<Ending>((resolve) => {
    onAbort = () => resolve({ kind: 'aborted' });
  });
  // A run may have more on its way at once than Node expects of one signal, and warns of.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', onAbort, { once: true });
  const done = Promise.resolve()
    .then(() => run(call))
    .then(
      (value): Ending => ({ kind: 'returned', value }),
      (thrown: unknown): Ending => ({ kind: 'threw', thrown }),
    );
  const late = clock.sleep(timeoutMs, timer.signal).then((): Ending => ({ kind: 'timeout' }));
  try {
    return await Promise.race([done, late, aborted]);
  } finally {
    timer.abort();
    inner.abort();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Leaves out fields that are undefined, as JSON does; everything else stays for the check of what can be stored. */
class UndefinedFields {
  #left = NODES_MAX;

  drop(value: unknown, depth = 0): unknown {
    this.#left -= 1;
    // What is this large or deep is refused by the check behind it.
    if (this.#left < 0 || depth > STORABLE_DEPTH_MAX || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.drop(item, depth + 1));
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return value;
    const given = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(given.map(([name, item]) => [name, this.drop(item, depth + 1)]));
  }
}

/** What a function gave, as far as it can be stored. */
function readValue(value: unknown): ReadBody {
  return checkStorable(value === undefined ? null : new UndefinedFields().drop(value));
}

/** Bytes of a value for the record, as far as it has any. */
function bytesOf(value: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(value) ?? '', 'utf8').subarray(0, KEPT_BYTES_MAX);
  } catch {
    return Buffer.alloc(0);
  }
}

/** A returned value as an answer; one that cannot be stored is kept as bytes and is not readable (E12). */
function answerOf(value: unknown, maxBytes: number): AttemptReport {
  const read = readValue(value);
  if (read.body === undefined) {
    return { kind: 'answered', status: null, headers: {}, bodyBytes: bytesOf(value), ...read };
  }
  const text = canonicalJson(read.body);
  const bodyBytes = Buffer.from(text, 'utf8');
  if (bodyBytes.length > maxBytes) {
    const unreadable = `too-large: more than ${maxBytes} bytes`;
    return {
      kind: 'answered',
      status: null,
      headers: {},
      body: undefined,
      bodyBytes: bodyBytes.subarray(0, maxBytes),
      unreadable,
    };
  }
  // A copy: what the function does with its object later changes nothing here.
  return { kind: 'answered', status: null, headers: {}, body: JSON.parse(text) as Json, bodyBytes, unreadable: null };
}

/** A throw as a report: one of our outcomes, or unknown, because the function had begun. */
function reportThrow(thrown: unknown): AttemptReport {
  const facts = declaredBy(thrown);
  if (facts === null)
    return {
      kind: 'broken',
      byteWritten: true,
      reason: `threw: ${thrown instanceof Error ? thrown.name : typeof thrown}`,
    };
  const code = facts.code === null || CODE.test(facts.code) ? facts.code : facts.outcome;
  const afterMs =
    facts.afterMs !== null && Number.isFinite(facts.afterMs) && facts.afterMs >= 0 ? Math.ceil(facts.afterMs) : null;
  return { kind: 'declared', outcome: facts.outcome, code, afterMs, data: readValue(facts.data).body ?? null };
}

/** The report of a call that did not come to a value. */
function reportOf(ending: Exclude<Ending, { kind: 'returned' }>, timeoutMs: number): AttemptReport {
  if (ending.kind === 'threw') return reportThrow(ending.thrown);
  const reason =
    ending.kind === 'timeout' ? `timeout: not done within ${timeoutMs} ms` : 'aborted: this worker may no longer act';
  return { kind: 'broken', byteWritten: true, reason };
}

/** Refuses to begin; null = go. */
function refusal(invocation: FunctionInvocation): AttemptReport | null {
  if (invocation.signal.aborted) return { kind: 'unsent', reason: 'aborted: this worker may no longer act' };
  if (!invocation.gate())
    return { kind: 'unsent', reason: 'gate-closed: too late to send, or the seat has no margin left' };
  return null;
}

/** Whether a returned value is a finding. */
function isFinding(value: unknown): value is FunctionFinding {
  return typeof value === 'object' && value !== null && FINDINGS.includes(String(Reflect.get(value, 'outcome')));
}

/**
 * Calls `send`. Once it has begun, everything but a value and our own outcomes leaves the effect unknown.
 * @returns a report; never rejects.
 */
export async function sendFunction(invocation: FunctionInvocation): Promise<AttemptReport> {
  const refused = refusal(invocation);
  if (refused !== null) return refused;
  const ending = await callBounded(invocation, (call) => invocation.function.send(call));
  return ending.kind === 'returned'
    ? answerOf(ending.value, invocation.maxResponseBytes)
    : reportOf(ending, invocation.timeoutMs);
}

/**
 * Calls `reconcile` to learn what became of an effect. What it returns beside its four outcomes is no answer.
 * @returns a report; never rejects.
 */
export async function queryFunction(invocation: FunctionInvocation): Promise<AttemptReport> {
  const { reconcile } = invocation.function;
  if (reconcile === undefined) return { kind: 'unsent', reason: 'the function has no reconcile', permanent: true };
  const refused = refusal(invocation);
  if (refused !== null) return refused;
  const ending = await callBounded(invocation, (call) => reconcile(call));
  if (ending.kind !== 'returned') return reportOf(ending, invocation.timeoutMs);
  if (!isFinding(ending.value)) return { kind: 'broken', byteWritten: true, reason: 'reconcile returned no outcome' };
  const { outcome, output, code } = ending.value;
  const read = readValue(output);
  if (read.body === undefined)
    return { kind: 'answered', status: null, headers: {}, bodyBytes: bytesOf(output), ...read };
  return {
    kind: 'declared',
    outcome,
    code: code !== undefined && CODE.test(code) ? code : null,
    afterMs: null,
    data: read.body,
  };
}
