import type { Evaluator, Scope, Site } from '../definition/evaluator.ts';
import { headerText, secretNamesOf, secretTemplatesOf, type SecretTemplates } from '../decision/render-request.ts';
import type { ActionContract, Auth, Template } from '../model/definition.ts';
import { RefusedError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { SecretHeaders } from '../ports/action-adapter.ts';
import type { Secrets } from '../ports/secrets.ts';

/** Headers ready to go out, or what keeps them from it. */
export type RenderedSecrets =
  | { readonly kind: 'headers'; readonly headers: SecretHeaders }
  | { readonly kind: 'missing'; readonly reason: string };

/** What the headers of one sending are rendered from. */
export interface SecretsAsk {
  readonly contract: ActionContract;
  readonly what: 'send' | 'query';
  /** Roots of the header templates; `secrets` is added here and nowhere else. */
  readonly scope: Scope;
}

function textOf(name: string, value: Json): string {
  if (typeof value === 'string') return value;
  throw new RefusedError('PAWL_EXPRESSION_FAULT', `${name} is not a text`);
}

function authHeader(auth: Auth, render: (template: Template) => Json): readonly [string, string] {
  switch (auth.kind) {
    case 'bearer':
      return ['authorization', `Bearer ${textOf('the bearer token', render(auth.token))}`];
    case 'basic': {
      const pair = `${textOf('the user', render(auth.user))}:${textOf('the password', render(auth.password))}`;
      return ['authorization', `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`];
    }
    case 'header':
      return [auth.name.toLowerCase(), headerText(auth.name, render(auth.value))];
  }
}

function headersOf(templates: SecretTemplates, render: (template: Template) => Json): SecretHeaders {
  const pairs = templates.headers.map(([name, template]) => [name.toLowerCase(), headerText(name, render(template))] as const);
  const auth = templates.auth === null ? [] : [authHeader(templates.auth, render)];
  return Object.fromEntries([...pairs, ...auth]);
}

/**
 * Renders what only the moment of sending may know: `auth`, and headers that read `secrets.*`. Values are read now and
 * kept nowhere; a missing one is told by its name. Messages never hold a value.
 */
export function renderSecrets(evaluator: Evaluator, secrets: Secrets, ask: SecretsAsk): RenderedSecrets {
  const values: Record<string, Json> = {};
  for (const name of secretNamesOf(ask.contract, ask.what)) {
    const value = secrets.read(name);
    if (value === null) return { kind: 'missing', reason: `the secret ${name} is missing` };
    values[name] = value;
  }
  const site: Site = { kind: 'headers', action: ask.contract.name };
  const scope: Scope = { ...ask.scope, secrets: values };
  try {
    return { kind: 'headers', headers: headersOf(secretTemplatesOf(ask.contract, ask.what), (template) => evaluator.render(template, site, scope)) };
  } catch {
    // The fault's own words might quote what it failed on.
    return { kind: 'missing', reason: `auth or headers of ${ask.contract.name} cannot be rendered with the secrets of this process` };
  }
}
