import type { Frame } from './effect.ts';
import { hashJson, sha256 } from './hash.ts';
import type { LinkName, RunId } from './ids.ts';

/** A wait of a run. */
export interface LinkTarget {
  readonly runId: RunId;
  readonly name: LinkName;
}

/** The source of an event that came by an address, as `from` and `source` name it. */
export const LINK_SOURCE = 'link';

/**
 * What of an address whoever holds it can act with: run, step, digest of the wait, signature. Nothing in it needs to be escaped, in a
 * URL or anywhere.
 */
export const LINK_TOKEN = /([0-9a-f]{32})\.([a-z][A-Za-z0-9_]{0,63}\.[0-9a-f]{32})\.([A-Za-z0-9_-]{43})/;

const DIGEST_CHARS = 32;
const NAME = /^([a-z][A-Za-z0-9_]{0,63})\.[0-9a-f]{32}$/;

/** Where no request ever arrives (RFC 2606): what stands in the ledger instead of an address can be read as one. */
const PLACE = 'https://links.pawl.invalid/';

function named(step: string, digest: string): LinkName {
  return `${step}.${digest.slice(0, DIGEST_CHARS)}` as LinkName;
}

/** The name of the wait of an `await`, in one repetition of its step. @param step as its author named it. */
export function awaitLink(step: string, frames: readonly Frame[]): LinkName {
  return named(step, hashJson(['await', step, frames]));
}

/** The name of the wait of an `approve`. @param step as its author named it. @param approvalId of its repetition. */
export function approvalLink(step: string, approvalId: string): LinkName {
  return named(step, sha256(`approve ${approvalId}`));
}

/** The step that a name leads to; null for what is no name. */
export function stepOfLink(name: string): string | null {
  return NAME.exec(name)?.[1] ?? null;
}

/**
 * What stands in a request for an address until it is sent: the same for every run, so that no hash depends on who signs. It looks
 * like an address because a schema may ask for one, and leads nowhere.
 */
export function linkPlaceholder(name: LinkName): string {
  return `${PLACE}${name}`;
}
