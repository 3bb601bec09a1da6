import type { App } from '../app/create-app.ts';
import { authenticate, type Caller } from '../app/caller.ts';
import { type ApiRight, hasRight } from '../model/api-key.ts';
import { ApiError } from './api-error.ts';
import { type Authentication, isMeantForLoopback } from './bind.ts';

/** The headers by which a caller is known, names in lower case. */
export interface Credentials {
  readonly authorization?: string | undefined;
  readonly host?: string | undefined;
}

const BEARER = /^Bearer ([\x21-\x7e]{1,200})$/i;

function refuse(message: string): never {
  throw new ApiError('PAWL_API_UNAUTHENTICATED', message, { headers: { 'www-authenticate': 'Bearer' } });
}

/**
 * Who asks. Whatever does not count, for whatever reason, is told in the same words.
 * @throws PAWL_API_UNAUTHENTICATED; PAWL_STORE_*.
 */
export async function admit(app: App, authentication: Authentication, credentials: Credentials): Promise<Caller> {
  if (authentication === 'none') {
    if (!isMeantForLoopback(credentials.host)) refuse('without keys only calls to 127.0.0.1 or localhost are answered');
    const { name, roles } = app.principal(null);
    return { name, keyId: null, roles: ['admin'], scopes: [], held: [...new Set(['admin', ...roles])].sort() };
  }
  const [, key] = BEARER.exec(credentials.authorization ?? '') ?? [];
  if (key === undefined) refuse('send an API key: Authorization: Bearer KEY');
  const sources = { store: app.engine.store, config: app.config, tenant: app.engine.tenant };
  return (await authenticate(sources, key)) ?? refuse('the API key does not count (any more)');
}

/** @throws PAWL_API_FORBIDDEN naming the right. */
export function assertMay(caller: Caller, right: ApiRight): void {
  if (hasRight(caller, right)) return;
  throw new ApiError('PAWL_API_FORBIDDEN', `this needs the right ${right}; ${caller.name}'s key does not give it`);
}
