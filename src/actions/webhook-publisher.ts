import { createHmac } from 'node:crypto';
import type { AttemptReport } from '../model/outcome.ts';
import type { Clock } from '../ports/clock.ts';
import type { OutgoingMessage, Publisher } from '../ports/publisher.ts';
import type { Secrets } from '../ports/secrets.ts';
import { exchangeHttp } from './http-action.ts';
import { isRefusal, prepareRequest } from './http-request.ts';

/** Where messages go, and what they are signed with. */
export interface WebhookOptions {
  readonly url: string;
  /** Name of the secret; read at each sending. */
  readonly secret: string;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** Certificates of private authorities (PEM); left out: those of Node. */
  readonly ca?: readonly string[];
}

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** Marks a secret that is base64, as Standard Webhooks has it. */
const BASE64_MARK = 'whsec_';

/**
 * The headers by which a receiver knows who has sent a message and that nobody has changed it: HMAC-SHA256 over id, time
 * and body, as Standard Webhooks has them.
 * @param secret `whsec_` and base64, or any other text as it is.
 */
export function signatureHeaders(
  secret: string,
  { id, body, atMs }: OutgoingMessage,
): Readonly<Record<string, string>> {
  const key = secret.startsWith(BASE64_MARK)
    ? Buffer.from(secret.slice(BASE64_MARK.length), 'base64')
    : Buffer.from(secret, 'utf8');
  const seconds = String(Math.floor(atMs / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
}

function faultOf(report: AttemptReport): string | null {
  switch (report.kind) {
    case 'answered':
      return report.status !== null && report.status >= 200 && report.status < 300
        ? null
        : `the receiver answered ${report.status}`;
    case 'declared':
      return report.outcome;
    default:
      return report.reason;
  }
}

/** Sends messages to one address, signed; one attempt is one request. */
export function createWebhookPublisher(options: WebhookOptions): Publisher {
  const { url, secret, secrets, clock } = options;
  return {
    send: async (message, signal) => {
      const value = secrets.read(secret);
      if (value === null) return `not sent: the secret ${secret} is missing (${secrets.placeOf(secret)})`;
      const headers = { 'content-type': 'application/cloudevents+json', ...signatureHeaders(value, message) };
      const prepared = prepareRequest({
        request: {
          action: 'publish',
          contract: 1,
          method: 'POST',
          url,
          headers,
          function: null,
          with: null,
          body: null,
        },
        secrets: {},
        marks: {},
        key: null,
      });
      if (isRefusal(prepared)) return `not sent: ${prepared.refusal}`;
      const report = await exchangeHttp({
        request: { ...prepared, body: Buffer.from(message.body, 'utf8') },
        timeoutMs: TIMEOUT_MS,
        maxResponseBytes: ANSWER_BYTES_MAX,
        gate: () => true,
        signal,
        clock,
        ca: options.ca ?? null,
      });
      return faultOf(report);
    },
  };
}
