import type { Evaluator, Scope } from '../definition/evaluator.ts';
import { renderGrant, renderSecretHeaders, secretNamesOf } from '../decision/secret-headers.ts';
import type { ActionContract } from '../model/definition.ts';
import type { TokenGrant } from '../model/token-grant.ts';
import type { SecretHeaders } from '../ports/action-adapter.ts';
import type { Secrets } from '../ports/secrets.ts';

/** Headers ready to go out, or what keeps them from it. */
export type RenderedSecrets =
  | {
      readonly kind: 'headers';
      readonly headers: SecretHeaders;
      /** Whom a token is still to be asked for. */
      readonly grant: TokenGrant | null;
      /** The values that were read, so that what comes back can be freed of them. */
      readonly values: readonly string[];
    }
  | { readonly kind: 'missing'; readonly reason: string };

/** What the headers of one sending are rendered from. */
export interface SecretsAsk {
  readonly contract: ActionContract;
  readonly what: 'send' | 'query';
  /** Roots of the header templates; `secrets` is added here and nowhere else. */
  readonly scope: Scope;
  /** What else of the request must not come back into a row: of addresses what whoever holds it can act with. */
  readonly tokens?: readonly string[];
}

/**
 * Renders what only the moment of sending may know: `auth`, and headers that read `secrets.*`. Values are read now and
 * kept nowhere; a missing one is told by its name. Messages never hold a value.
 */
export function renderSecrets(evaluator: Evaluator, secrets: Secrets, ask: SecretsAsk): RenderedSecrets {
  const values: Record<string, string> = {};
  for (const name of secretNamesOf(ask.contract, ask.what)) {
    const value = secrets.read(name);
    if (value === null)
      return {
        kind: 'missing',
        reason: `the secret ${name} is missing here: it is read from ${secrets.placeOf(name)} at each sending`,
      };
    values[name] = value;
  }
  const scope: Scope = { ...ask.scope, secrets: values };
  try {
    const headers = renderSecretHeaders(evaluator, ask.contract, ask.what, scope);
    const grant = renderGrant(evaluator, ask.contract, scope);
    return { kind: 'headers', headers, grant, values: Object.values(values) };
  } catch {
    // The fault's own words might quote what it failed on.
    return {
      kind: 'missing',
      reason: `auth or headers of ${ask.contract.name} cannot be rendered with the secrets of this process`,
    };
  }
}
