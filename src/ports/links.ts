import type { LinkName, RunId } from '../model/ids.ts';
import type { LinkTarget } from '../model/link.ts';

/** An address, or why there is none. */
export type LinkAddress =
  | {
      readonly kind: 'address';
      readonly url: string;
      /** What of it whoever holds it can act with: nothing that is stored or logged may hold it (P12). */
      readonly token: string;
    }
  | { readonly kind: 'missing'; readonly reason: string };

/** Makes and reads signed addresses of the waits of runs. */
export interface Links {
  /**
   * The address of a wait: the same for the same wait at the same time, so that a resend has the bytes of the first sending (E06).
   * @param atMs when the request that carries it was first sent, epoch milliseconds: it says which secret signs.
   */
  address(runId: RunId, name: LinkName, atMs: number): LinkAddress;
  /** The wait to which a token leads; null for everything else, in the same time. */
  read(token: string): LinkTarget | null;
}
