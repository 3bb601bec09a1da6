import type { Evaluator, Scope, Site } from '../definition/evaluator.ts';
import type { ActionContract, Auth, Template } from '../model/definition.ts';
import type { TokenGrant } from '../model/token-grant.ts';
import { assertNever } from '../model/errors.ts';
import { headerText } from './render-request.ts';
import { readsSecrets, secretsIn } from './roots-of.ts';

/** Templates that only the moment of sending may render: `auth`, and headers that read `secrets.*`. */
export interface SecretTemplates {
  readonly auth: Auth | null;
  readonly headers: readonly (readonly [string, Template])[];
}

/** What `renderRequest` (`send`) or `renderQuery` (`query`) left out of a request. */
export function secretTemplatesOf(contract: ActionContract, what: 'send' | 'query'): SecretTemplates {
  const transport = what === 'send' ? contract.transport : contract.reconcile?.transport;
  const headers = transport?.kind === 'http' ? transport.headers : [];
  return { auth: contract.auth, headers: headers.filter(([, template]) => readsSecrets(template)) };
}

/** Names of the secrets that a sending or a query of the action needs, sorted, each once. */
export function secretNamesOf(contract: ActionContract, what: 'send' | 'query'): readonly string[] {
  const { auth, headers } = secretTemplatesOf(contract, what);
  const templates = [...headers.map(([, template]) => template), ...authTemplates(auth)];
  return [...new Set(templates.flatMap((template) => secretsIn(template)))].sort();
}

function authTemplates(auth: Auth | null): readonly Template[] {
  if (auth === null) return [];
  if (auth.kind === 'bearer') return [auth.token];
  if (auth.kind === 'header') return [auth.value];
  return auth.kind === 'basic' ? [auth.user, auth.password] : [auth.clientId, auth.clientSecret];
}

/**
 * Renders the headers that carry secrets; the result is for the adapter alone and is never stored, hashed or logged.
 * @param scope the roots of the sending (`with`, `effect`, …) and `secrets`, with every name of `secretNamesOf`.
 * @throws PAWL_EXPRESSION_FAULT when a template fails or is no header text.
 */
export function renderSecretHeaders(
  evaluator: Evaluator,
  contract: ActionContract,
  what: 'send' | 'query',
  scope: Scope,
): Readonly<Record<string, string>> {
  const { auth, headers } = secretTemplatesOf(contract, what);
  const site: Site = { kind: 'headers', action: contract.name };
  const text = (template: Template): string => headerText(evaluator.render(template, site, scope), template);
  const own = headers.map(([name, template]) => [name.toLowerCase(), text(template)] as const);
  return Object.fromEntries([...own, ...(auth === null ? [] : authHeaders(auth, text))]);
}

/**
 * Renders whom a token is asked for; null where the action needs none. The result is for the adapter alone, like the headers.
 * @throws PAWL_EXPRESSION_FAULT when a template fails or is no text.
 */
export function renderGrant(evaluator: Evaluator, contract: ActionContract, scope: Scope): TokenGrant | null {
  const { auth, name } = contract;
  if (auth?.kind !== 'oauth2') return null;
  const site: Site = { kind: 'headers', action: name };
  const text = (template: Template): string => headerText(evaluator.render(template, site, scope), template);
  const { tokenUrl } = auth;
  return { tokenUrl, clientId: text(auth.clientId), clientSecret: text(auth.clientSecret), scope: auth.scope };
}

/** A token's header is not here: it is asked for when the rest is ready. */
function authHeaders(auth: Auth, text: (template: Template) => string): readonly (readonly [string, string])[] {
  return auth.kind === 'oauth2' ? [] : [authHeader(auth, text)];
}

function authHeader(
  auth: Exclude<Auth, { kind: 'oauth2' }>,
  text: (template: Template) => string,
): readonly [string, string] {
  switch (auth.kind) {
    case 'bearer':
      return ['authorization', `Bearer ${text(auth.token)}`];
    case 'basic':
      return ['authorization', `Basic ${Buffer.from(`${text(auth.user)}:${text(auth.password)}`).toString('base64')}`];
    case 'header':
      return [auth.name.toLowerCase(), text(auth.value)];
    default:
      return assertNever(auth);
  }
}
