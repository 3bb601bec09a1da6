import { createHash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { Agent, fetch } from 'undici';
import { canonicalJson } from '../model/canonical-json.ts';
import type { TokenAnswer, TokenGrant } from '../model/token-grant.ts';
import type { Clock } from '../ports/clock.ts';

/** A token is used for this share of its time: what is on its way with it must arrive before it ends. */
const USED_SHARE = 0.9;
/** How long a token is used whose answer does not say how long it is good (RFC 6749, 5.1 leaves it open), seconds. */
const UNSAID_S = 60;
/** Of a token that is younger a provider knows what it has given: its 401 is an answer to the request. */
const NEW_FOR_MS = 30_000;
/** A longer answer is none. */
const ANSWER_BYTES_MAX = 1_048_576;
/** So many credentials are remembered; those that were asked for first go first. */
const REMEMBERED_MAX = 100;

/** What the tokens of one process need. */
export interface TokenSourceOptions {
  readonly clock: Clock;
  /** Certificates of private authorities (PEM); left out: Node's own. */
  readonly ca?: readonly string[];
}

/** The tokens of one process. */
export interface TokenSource {
  /** Never rejects. Of several that ask at once one goes, and all get its answer. */
  token(grant: TokenGrant, timeoutMs: number, signal: AbortSignal): Promise<TokenAnswer>;
  /** Another one may be there already: then that stays. */
  forget(grant: TokenGrant, token: string): void;
}

/** The secret itself is no key of a map. */
function nameOf({ tokenUrl, clientId, clientSecret, scope }: TokenGrant): string {
  return createHash('sha256')
    .update(canonicalJson([tokenUrl, clientId, clientSecret, scope]))
    .digest('hex');
}

const NO_BEARER = 'it gives no bearer token';

/** A code that stands in a standard, or the class of the fault: messages of others may hold what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError) return `it answered ${error.status} ${error.error}`;
  if (error instanceof oauth.WWWAuthenticateChallengeError) return `it answered ${error.status}`;
  if (error instanceof oauth.OperationProcessingError) return 'its answer is no token answer (RFC 6749, 5.1)';
  if (error instanceof oauth.UnsupportedOperationError) return NO_BEARER;
  return error instanceof Error && error.name === 'TimeoutError' ? 'it did not answer in time' : 'it cannot be reached';
}

async function ask(grant: TokenGrant, signal: AbortSignal, agent: Agent): Promise<oauth.TokenEndpointResponse> {
  const server: oauth.AuthorizationServer = { issuer: grant.tokenUrl, token_endpoint: grant.tokenUrl };
  const client: oauth.Client = { client_id: grant.clientId };
  const parameters = new URLSearchParams(grant.scope === null ? {} : { scope: grant.scope });
  const options = {
    signal,
    [oauth.allowInsecureRequests]: new URL(grant.tokenUrl).protocol === 'http:',
    [oauth.customFetch]: async (url: string, init: oauth.CustomFetchOptions<'POST', URLSearchParams>) => {
      const { method, headers, body, redirect } = init;
      const answer = await fetch(url, { method, headers, body: body.toString(), redirect, signal, dispatcher: agent });
      return new Response(await answer.text(), { status: answer.status, headers: [...answer.headers] });
    },
  };
  const secret = oauth.ClientSecretBasic(grant.clientSecret);
  const response = await oauth.clientCredentialsGrantRequest(server, client, secret, parameters, options);
  return oauth.processClientCredentialsResponse(server, client, response);
}

/** Asks for bearer tokens by client credentials and remembers them in this process alone. */
export function createTokenSource({ clock, ca }: TokenSourceOptions): TokenSource {
  const bounds = { maxResponseSize: ANSWER_BYTES_MAX };
  const agent = new Agent(ca === undefined ? bounds : { ...bounds, connect: { ca: [...ca] } });
  const known = new Map<string, { readonly token: string; readonly askedAtMs: number; readonly goodUntilMs: number }>();
  const asking = new Map<string, Promise<TokenAnswer>>();

  const fetchToken = async (grant: TokenGrant, name: string, signal: AbortSignal): Promise<TokenAnswer> => {
    const atMs = clock.monotonicMs();
    try {
      const { access_token: token, token_type: type, expires_in: seconds = UNSAID_S } = await ask(grant, signal, agent);
      if (type !== 'bearer') return { kind: 'none', reason: `no token from ${grant.tokenUrl}: ${NO_BEARER}` };
      known.set(name, { token, askedAtMs: atMs, goodUntilMs: atMs + seconds * 1000 * USED_SHARE });
      const [oldest] = known.keys();
      if (known.size > REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
      return { kind: 'token', token, isRemembered: false };
    } catch (error) {
      return { kind: 'none', reason: `no token from ${grant.tokenUrl}: ${reasonOf(error)}` };
    } finally {
      asking.delete(name);
    }
  };

  return {
    token: (grant, timeoutMs, signal) => {
      const name = nameOf(grant);
      const remembered = known.get(name);
      const nowMs = clock.monotonicMs();
      if (remembered !== undefined && nowMs < remembered.goodUntilMs) {
        const isRemembered = nowMs - remembered.askedAtMs >= NEW_FOR_MS;
        return Promise.resolve({ kind: 'token', token: remembered.token, isRemembered });
      }
      const running = asking.get(name);
      if (running !== undefined) return running;
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const asked = fetchToken(grant, name, bounded);
      asking.set(name, asked);
      return asked;
    },
    forget: (grant, token) => {
      const name = nameOf(grant);
      if (known.get(name)?.token === token) known.delete(name);
    },
  };
}
