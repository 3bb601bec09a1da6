import type { Json } from '../../model/json.ts';
import type { AttemptReport } from '../../model/outcome.ts';

/**
 * An answer as the adapter would report it.
 * @param status null for a function.
 * @param body undefined = a page that cannot be read.
 * @param retryAfterSeconds when the provider wants to be asked again.
 */
export function answered(status: number | null, body: Json | undefined, retryAfterSeconds?: number): AttemptReport {
  const bodyBytes = Buffer.from(body === undefined ? '<html></html>' : JSON.stringify(body));
  const unreadable = body === undefined ? 'not-json: the media type says JSON, the body is none' : null;
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  return { kind: 'answered', status, headers, body, bodyBytes, unreadable };
}
