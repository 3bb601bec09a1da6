import { readRequest } from '../decision/effect-key.ts';
import type { Effect, EffectRequest } from '../model/effect.ts';
import type { LinkName, RunId } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import { linkPlaceholder } from '../model/link.ts';
import type { Engine } from './engine.ts';

/** A request as it goes out, or what it lacks. */
export type LinkedRequest =
  | {
      readonly kind: 'linked';
      readonly request: EffectRequest;
      /** What must not come back into a row. */
      readonly tokens: readonly string[];
    }
  | { readonly kind: 'missing'; readonly reason: string };

/** The part of an engine that makes addresses. */
type LinkMaker = Pick<Engine, 'links'>;

/** Said wherever a link would be needed and none can be made. */
export const LINKS_MISSING =
  'links are not set up here: name their address and secret in pawl.config.yaml (links: { url: …, secret: … })';

/** What leaves, for which row, and when. */
export interface Leaving {
  readonly runId: RunId;
  /** The row that is sent or asked about. */
  readonly effect: Effect;
  readonly request: EffectRequest;
  /** The database's time, epoch milliseconds. */
  readonly nowMs: number;
}

interface Address {
  readonly name: LinkName;
  readonly url: string;
  readonly token: string;
}

function addressesOf(
  engine: LinkMaker,
  { runId, effect, nowMs }: Leaving,
): readonly Address[] | { readonly reason: string } {
  const found: Address[] = [];
  for (const name of readRequest(effect).links ?? []) {
    const made = engine.links?.address(runId, name, effect.firstRequestedAtMs ?? nowMs);
    if (made?.kind !== 'address') return { reason: made?.reason ?? LINKS_MISSING };
    found.push({ name, url: made.url, token: made.token });
  }
  return found;
}

/** Puts addresses where something stood for them: as it is, and as data of a URL. */
function linked<Value extends Json>(value: Value, addresses: readonly Address[]): Value;
function linked(value: Json, addresses: readonly Address[]): Json {
  if (typeof value === 'string')
    return addresses.reduce((text, { name, url }) => {
      const blank = linkPlaceholder(name);
      return text.replaceAll(blank, url).replaceAll(encodeURIComponent(blank), encodeURIComponent(url));
    }, value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => linked(item, addresses));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, linked(item as Json, addresses)]));
}

/**
 * A request, or a question about one, with the addresses of the waits that it names: only now, when it leaves, and nowhere but in what
 * leaves (P12). What names none is returned as it is.
 */
export function linkRequest(engine: LinkMaker, leaving: Leaving): LinkedRequest {
  const { request } = leaving;
  const addresses = addressesOf(engine, leaving);
  if ('reason' in addresses) return { kind: 'missing', reason: addresses.reason };
  if (addresses.length === 0) return { kind: 'linked', request, tokens: [] };
  const { with: given, body, url, headers } = request;
  return {
    kind: 'linked',
    request: {
      ...request,
      with: linked(given, addresses),
      body: linked(body, addresses),
      url: linked(url, addresses),
      headers: linked(headers, addresses) as EffectRequest['headers'],
    },
    tokens: addresses.map(({ token }) => token),
  };
}
