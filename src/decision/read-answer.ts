import type { ActionContract } from '../model/definition.ts';
import { sha256Bytes } from '../model/hash.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { AttemptReport } from '../model/outcome.ts';
import { findUnstorable } from '../model/storable.ts';
import { redactBody, resultBytesOf } from './redact.ts';
import { parseRetryAfter } from './retry.ts';

/** Of an answer's bytes, at most this many are kept in a receipt. */
export const RESULT_BYTES_MAX = 256 * 1024;

/** A report that an answer came. */
export type AnsweredReport = Extract<AttemptReport, { kind: 'answered' }>;

/** An answer as it may be judged and kept. */
export interface Answer {
  readonly status: number | null;
  /** The root `response`: `{status, headers, body}` of http, `{body}` of a function; redacted values are not in it. */
  readonly response: JsonObject;
  /** The body as it came, for the output schema alone; undefined when unreadable. */
  readonly whole: Json | undefined;
  /** The body without redacted values; undefined when unreadable. */
  readonly body: Json | undefined;
  /** Why there is no body; null when it was read. */
  readonly unreadable: string | null;
  readonly resultBase64: string;
  readonly retryAfterMs: number | null;
}

/**
 * Reads an answer: takes redacted values out before anything is kept, bounds the bytes, reads Retry-After.
 * @param nowMs database time, for a Retry-After date without a Date header.
 */
export function readAnswer(report: AnsweredReport, contract: ActionContract, nowMs: number): Answer {
  const headers = lowerCase(report.headers);
  const unreadable = report.unreadable ?? whyUnstorable(report.body);
  const whole = unreadable === null ? report.body : undefined;
  const redacted = whole === undefined ? undefined : redactBody(whole, contract.redact);
  return {
    status: report.status,
    response: responseRoot(report.status, headers, redacted?.value),
    whole,
    body: redacted?.value,
    unreadable,
    resultBase64: keptBytes(report, contract, redacted?.proof),
    retryAfterMs: parseRetryAfter(headers['retry-after'] ?? null, headers['date'] ?? null, nowMs),
  };
}

/** http: `{status, headers, body}`; a function: `{body}`; without `body` where there is none to read. */
function responseRoot(
  status: number | null,
  headers: Readonly<Record<string, string>>,
  body: Json | undefined,
): JsonObject {
  const seen: JsonObject = body === undefined ? {} : { body };
  return status === null ? seen : { status, headers, ...seen };
}

function whyUnstorable(body: Json | undefined): string | null {
  if (body === undefined) return null;
  const found = findUnstorable(body);
  return found === null ? null : `${found.reason} at "${found.pointer}"`;
}

/**
 * The bytes as they came; where the contract redacts, the canonical redacted body. Bytes that could not be read may hold
 * what must not be kept, so of those only their hash stays then.
 */
function keptBytes(report: AnsweredReport, contract: ActionContract, proof: Json | undefined): string {
  if (contract.redact.length === 0) return base64Of(report.bodyBytes.subarray(0, RESULT_BYTES_MAX));
  return proof === undefined ? hashedBytes(report) : resultBytesOf(proof);
}

/** In place of bytes that must not be kept: `sha256:<hex>` of them, base64. */
export function hashedBytes(report: AnsweredReport): string {
  return base64Of(Buffer.from(`sha256:${sha256Bytes(report.bodyBytes)}`));
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
