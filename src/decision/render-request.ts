import type { Evaluator, Scope, Site } from '../definition/evaluator.ts';
import type { ActionContract, HttpTemplate, Template, Transport } from '../model/definition.ts';
import type { Effect, EffectRequest } from '../model/effect.ts';
import { assertNever, invariant } from '../model/errors.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import { readRequest } from './effect-key.ts';
import { effectView } from './effect-view.ts';
import { renderUrl } from './render-url.ts';
import { readsSecrets } from './roots-of.ts';
import { templateFault } from './template-fault.ts';

/** What a request is rendered from. */
export interface RequestSource {
  /** The `with` value after templates. */
  readonly with: Json;
  /** The effect's key, known before its request; null for a read. */
  readonly key: EffectKey | null;
  /** Roots that every expression may read. */
  readonly scope: Scope;
}

/**
 * The request of an action without secrets: what is hashed, stored as bytes and resent. `auth` and headers that read
 * `secrets.*` are not in it, nor is the idempotency key: header or body field get it at each sending.
 * @throws PAWL_EXPRESSION_FAULT when a template fails, a URL or header is not one, or data would change the URL's shape.
 */
export function renderRequest(evaluator: Evaluator, contract: ActionContract, source: RequestSource): EffectRequest {
  const effect: Scope = source.key === null ? {} : { effect: { key: source.key } };
  const scope: Scope = { ...source.scope, ...effect, with: source.with };
  const render = { evaluator, site: { kind: 'request', action: contract.name } as const, scope };
  return renderTransport(render, contract, contract.transport, source.with);
}

/**
 * The request of a query about an effect; roots `effect` and `with` are the recorded ones.
 * @throws PAWL_EXPRESSION_FAULT as `renderRequest`. @throws PAWL_INVARIANT when the action has no `reconcile`.
 */
export function renderQuery(
  evaluator: Evaluator,
  contract: ActionContract,
  effect: Effect,
  scope: Scope,
): EffectRequest {
  const { reconcile } = contract;
  invariant(reconcile !== null, 'only an action with reconcile can be asked', { action: contract.name });
  const recorded = readRequest(effect).with;
  const site: Site = { kind: 'reconcile', action: contract.name };
  const render = { evaluator, site, scope: { ...scope, effect: effectView(effect), with: recorded } };
  return renderTransport(render, contract, reconcile.transport, recorded);
}

interface Render {
  readonly evaluator: Evaluator;
  readonly site: Site;
  readonly scope: Scope;
}

function renderTransport(
  render: Render,
  contract: ActionContract,
  transport: Transport,
  withValue: Json,
): EffectRequest {
  const base = { action: contract.name, contract: contract.contract, with: withValue };
  switch (transport.kind) {
    case 'function':
      return { ...base, method: null, url: null, headers: {}, function: transport.name, body: withValue };
    case 'child':
    case 'sql':
    case 'worker':
      return { ...base, method: null, url: null, headers: {}, function: null, body: withValue };
    case 'http':
      return { ...base, ...renderHttp(render, contract, transport, withValue), function: null };
    default:
      return assertNever(transport);
  }
}

function renderHttp(
  render: Render,
  contract: ActionContract,
  http: HttpTemplate,
  withValue: Json,
): Pick<EffectRequest, 'method' | 'url' | 'headers' | 'body'> {
  const { evaluator, site, scope } = render;
  const method = http.method.toUpperCase();
  const headerSite: Site = { kind: 'headers', action: contract.name };
  const open = http.headers.filter(([, template]) => !readsSecrets(template));
  const headers = open.map(([name, template]) => [
    name.toLowerCase(),
    headerText(evaluator.render(template, headerSite, scope), template),
  ]);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const unsaid = hasBody ? withValue : null;
  return {
    method,
    url: renderUrl(render, http),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: http.body === null ? unsaid : evaluator.render(http.body, site, scope),
  };
}

/** The text of a header's value. @throws PAWL_EXPRESSION_FAULT for a value that is no text, or holds a control character. */
export function headerText(value: Json, template: Template): string {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those would end a header and begin another
  if (typeof text === 'string' && !/[\u0000-\u001f\u007f]/.test(text)) return text;
  throw templateFault(template, 'a header is a text on one line');
}
