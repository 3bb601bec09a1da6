import { createHmac, timingSafeEqual } from 'node:crypto';
import type { LinkName, RunId } from '../model/ids.ts';
import { LINK_TOKEN, type LinkTarget } from '../model/link.ts';
import type { Links } from '../ports/links.ts';
import type { Secrets } from '../ports/secrets.ts';

/** Where addresses lead, and what they are signed with. */
export interface LinksConfig {
  /** What stands before `/v1/links/`, as others reach it. */
  readonly url: string;
  /** Name of the secret that signs. */
  readonly secret: string;
  /** Name of the secret that signed before, and until when it still signs; what it has signed counts as long as it is named. */
  readonly previous?: { readonly secret: string; readonly untilMs: number };
}

/** What links are made of. */
export interface LinksOptions {
  readonly config: LinksConfig;
  readonly secrets: Secrets;
  readonly tenant: string;
}

const TOKEN = new RegExp(`^${LINK_TOKEN.source}$`);
const UUID_PARTS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
/** Names this way of signing; another one would begin otherwise, so that no signature means two things. */
const SCHEME = 'pawl-link/1';

function signatureOf(secret: string, { runId, name }: LinkTarget, tenant: string): string {
  return createHmac('sha256', secret).update([SCHEME, tenant, runId, name].join('\n')).digest('base64url');
}

/** As texts: of the last digit of base 64 some bits count for nothing, and a signature that was changed there is none. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function partsOf(token: string): (LinkTarget & { readonly signature: string }) | null {
  const [, run, name = '', signature = ''] = TOKEN.exec(token) ?? [];
  if (run === undefined) return null;
  return {
    runId: run.replace(UUID_PARTS, '$1-$2-$3-$4-$5') as RunId,
    name: name as LinkName,
    signature,
  };
}

/**
 * Signed addresses (HMAC-SHA-256 over scheme, tenant, run and wait). Secrets are read at each use and kept nowhere. While two are
 * named both count; which one signs follows from the time of the sending alone, so that all processes of a deployment agree.
 */
export function createLinks({ config, secrets, tenant }: LinksOptions): Links {
  const { url, secret, previous } = config;
  const names = previous === undefined ? [secret] : [secret, previous.secret];
  return {
    address: (runId, name, atMs) => {
      const signer = previous !== undefined && atMs < previous.untilMs ? previous.secret : secret;
      const value = secrets.read(signer);
      if (value === null)
        return {
          kind: 'missing',
          reason: `the secret ${signer} is missing here: links are signed with it, it is read from ${secrets.placeOf(signer)} at each sending`,
        };
      const token = `${runId.replaceAll('-', '')}.${name}.${signatureOf(value, { runId, name }, tenant)}`;
      return { kind: 'address', url: `${url}/v1/links/${token}`, token };
    },
    read: (token) => {
      const found = partsOf(token);
      if (found === null) return null;
      const { signature, ...target } = found;
      const keys = names.flatMap((known) => secrets.read(known) ?? []);
      const fits = keys.map((key) => isSame(signatureOf(key, target, tenant), signature));
      return fits.includes(true) ? target : null;
    },
  };
}
