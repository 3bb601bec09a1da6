import type { Pause } from '../model/pause.ts';

/** What a store keeps of pauses while they last; what was done with them is in the acts of the tenant. */
export interface PauseStore {
  /** Recorded. @returns false where the same is paused already, by this pause or another. */
  beginPause(pause: Omit<Pause, 'atMs'>): Promise<boolean>;
  /** Ends a pause and wakes what may have waited for it, in one; recorded. @returns false where there is none. */
  endPause(
    of: Pick<Pause, 'tenant' | 'pauseId'>,
    act: { readonly by: string; readonly reason: string | null },
  ): Promise<boolean>;
  /** Those of a tenant, or of all (null), the oldest first. */
  pauses(tenant: string | null): Promise<readonly Pause[]>;
  /** Wakes the runs of a tenant that have something that a pause has kept back, whether or not it lasts. */
  wakePaused(tenant: string): Promise<void>;
}
