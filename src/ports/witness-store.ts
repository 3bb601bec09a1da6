import type { ActOfTenant } from '../model/tenant-act.ts';

/** Which history of which database this is: another one may have forgotten commits that were acknowledged (P14). */
export interface DatabaseIdentity {
  readonly systemIdentifier: string;
  readonly timeline: number;
}

/** What the database's own witness row says of it (P14). */
export interface Witness {
  readonly identity: DatabaseIdentity;
  /** Recovery mode: another database than the one last seen, until an operator has reconciled the window; null = none. */
  readonly recovery: {
    readonly sinceMs: number;
    /** The identity before, and when it was last seen: what was done after that may be forgotten. */
    readonly was: DatabaseIdentity;
    readonly lastSeenMs: number;
  } | null;
  /** The windows that were reconciled, as one: what runs from before its end did in it may be forgotten; null = none was. */
  readonly window: ForgottenWindow | null;
}

/** What was done between these database times may be forgotten (P14). */
export interface ForgottenWindow {
  /** When a database was last seen as it was before; of several windows the earliest. */
  readonly lastSeenMs: number;
  /** When the one that had lost commits was found; of several windows the latest. */
  readonly sinceMs: number;
}

/** What a store knows of the database that it is in. */
export interface WitnessStore {
  /**
   * P14: compares the database with what was last seen of it, and remembers it. Another identity opens recovery mode for
   * every process. A store that finds itself on another database than before does nothing else until its worker has
   * asked this; a reader of the same process changes nothing of that, or the worker would send before it knows.
   */
  witness(by: 'worker' | 'reader'): Promise<Witness>;
  /**
   * P14: opens recovery mode by an operator's word: an older copy of the database was put back, which has the identity that it
   * always had; recorded. @param sinceMs when the copy was made; null = when a worker was last seen. @returns false when it is open.
   */
  beginRecovery(sinceMs: number | null, act: ActOfTenant): Promise<boolean>;
  /** Ends recovery mode: an operator has reconciled the window; recorded. @returns false when there was none. */
  endRecovery(act: ActOfTenant & { readonly reason: string }): Promise<boolean>;
}
