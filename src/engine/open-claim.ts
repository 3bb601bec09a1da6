import { PawlError } from '../model/errors.ts';
import type { RunCommit } from '../model/run-commit.ts';
import type { ClaimedRun, StoredRun } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import type { HoldingStart } from './held-run.ts';
import { loadRun, type LoadedRun } from './load-run.ts';
import { parkRun } from './park-run.ts';
import type { LoadedVersion } from './version-cache.ts';

/** A claimed run, ready to be held; or one that does not fit this process, with the commit that parks it (P07). */
export type OpenedClaim =
  | { readonly kind: 'hold'; readonly start: HoldingStart }
  | { readonly kind: 'misfit'; readonly field: string; readonly park: RunCommit };

async function findVersion(engine: Engine, stored: StoredRun): Promise<LoadedVersion | null> {
  try {
    return await engine.versions.byDigest(stored.run.digest);
  } catch (error) {
    if (error instanceof PawlError && error.code === 'PAWL_INVARIANT') return null;
    throw error;
  }
}

function misfit(claimed: ClaimedRun, found: Extract<LoadedRun, { kind: 'misfit' }>): OpenedClaim {
  const reason = { kind: 'pin', subject: found.field, message: found.message, nowMs: claimed.nowMs, wakeSeen: null } as const;
  return { kind: 'misfit', field: found.field, park: parkRun(claimed.run, found.envelope, reason) };
}

/**
 * Opens a run that was just claimed: finds its version, checks the pin, and lists what is to be decided first: that it
 * was taken over, then its inbox. Transaction: none.
 */
export async function openClaim(engine: Engine, claimed: ClaimedRun): Promise<OpenedClaim> {
  const { run: stored } = claimed;
  const version = await findVersion(engine, stored);
  if (version === null) {
    const message = `no version with digest ${stored.run.digest.slice(0, 12)} of ${stored.run.workflow}@${stored.run.version} can be used here`;
    return misfit(claimed, { kind: 'misfit', field: 'digest', message, envelope: null });
  }
  const loaded = loadRun(version, stored);
  if (loaded.kind === 'misfit') return misfit(claimed, loaded);
  const inputs = [{ type: 'resumed' } as const, ...loaded.open.map((event) => ({ type: 'inbox', event }) as const)];
  return { kind: 'hold', start: { version, state: loaded.state, inputs, orders: null, sentAtMs: engine.clock.monotonicMs() } };
}
