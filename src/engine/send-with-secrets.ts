import type { AttemptReport } from '../model/outcome.ts';
import type { TokenGrant } from '../model/token-grant.ts';
import type { SecretHeaders } from '../ports/action-adapter.ts';
import { renderSecrets, type SecretsAsk } from './render-secrets.ts';
import { scrubReport } from './scrub-report.ts';
import type { Touch } from './touch.ts';

/** A token that cannot be had is asked for again after this, milliseconds. */
const TOKEN_WAIT_MS = 10_000;
const UNAUTHORIZED = 401;

/** What goes out with the request, and whether the provider may have taken it back. */
interface Authorized {
  readonly kind: 'authorized';
  readonly headers: SecretHeaders;
  readonly values: readonly string[];
  readonly remembered: { readonly grant: TokenGrant; readonly token: string } | null;
}

async function authorize(touch: Touch, ask: SecretsAsk): Promise<Authorized | AttemptReport> {
  const { engine, version, signal } = touch;
  const secrets = renderSecrets(version.compiled.evaluator, engine.secrets, ask);
  if (secrets.kind === 'missing') return { kind: 'unsent', reason: secrets.reason, lacks: 'secret' };
  const { headers, values, grant } = secrets;
  if (grant === null) return { kind: 'authorized', headers, values, remembered: null };
  const answer = await engine.actions.token(grant, ask.contract.timeoutMs, signal);
  if (answer.kind === 'none') return { kind: 'unsent', reason: answer.reason, afterMs: TOKEN_WAIT_MS };
  return {
    kind: 'authorized',
    headers: { ...headers, authorization: `Bearer ${answer.token}` },
    values: [...values, answer.token],
    remembered: answer.isRemembered ? { grant, token: answer.token } : null,
  };
}

/**
 * Touches the world with secrets that are read now, and frees what comes back of them. A remembered token that the
 * provider does not take any more has done nothing: the next sending asks for a new one. Never throws for the world's
 * faults. Transaction: none.
 */
export async function sendWithSecrets(
  touch: Touch,
  ask: SecretsAsk,
  leave: (headers: SecretHeaders) => Promise<AttemptReport>,
): Promise<AttemptReport> {
  const ready = await authorize(touch, ask);
  if (ready.kind !== 'authorized') return ready;
  const report = await leave(ready.headers);
  const isRefused = report.kind === 'answered' && report.status === UNAUTHORIZED;
  const { tokens = [] } = ask;
  if (ready.remembered === null || !isRefused) return scrubReport(report, [...ready.values, ...tokens]);
  touch.engine.actions.forgetToken(ready.remembered.grant, ready.remembered.token);
  return {
    kind: 'unsent',
    reason: 'the provider did not take the remembered token (401): the next try asks for a new one',
  };
}
