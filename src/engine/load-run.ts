import { phaseOf, unpackSnapshot, type SnapshotEnvelope } from '../decision/snapshot-envelope.ts';
import { checkSnapshot } from '../machine/advance.ts';
import { PawlError } from '../model/errors.ts';
import type { InboxEvent } from '../model/inbox-event.ts';
import type { RunState } from '../model/run.ts';
import type { StoredRun } from '../ports/store.ts';
import { incidentsOf } from './park-run.ts';
import type { LoadedVersion } from './version-cache.ts';

/** A run ready to be decided, or the field that does not fit this process (P07). */
export type LoadedRun =
  | {
      readonly kind: 'run';
      readonly state: RunState;
      readonly open: readonly InboxEvent[];
      readonly envelope: SnapshotEnvelope;
    }
  | {
      readonly kind: 'misfit';
      readonly field: string;
      readonly message: string;
      readonly envelope: SnapshotEnvelope | null;
    };

function misfit(error: unknown, envelope: SnapshotEnvelope | null): LoadedRun {
  if (!(error instanceof PawlError)) throw error;
  const field = error.details['field'];
  return { kind: 'misfit', field: typeof field === 'string' ? field : 'snapshot', message: error.message, envelope };
}

/** What a run's snapshot says of itself, whether or not its version is there; null where it cannot be read. */
export function readEnvelope(stored: StoredRun): SnapshotEnvelope | null {
  try {
    return unpackSnapshot(stored.snapshot, stored.run.digest);
  } catch (error) {
    if (error instanceof PawlError) return null;
    throw error;
  }
}

/**
 * Turns the rows of a run into what a decision reads, after checking that they belong to this version, this kernel and
 * this layout (P07). Open inbox rows come beside it: they are what is to be decided. Transaction: none.
 */
export function loadRun(version: LoadedVersion, stored: StoredRun): LoadedRun {
  let envelope: SnapshotEnvelope | null = null;
  try {
    envelope = unpackSnapshot(stored.snapshot, version.stored.digest);
    if (envelope.revision !== stored.revision) {
      return {
        kind: 'misfit',
        field: 'revision',
        message: `the stored snapshot is of revision ${envelope.revision}, the run of ${stored.revision}`,
        envelope,
      };
    }
    const snapshot = checkSnapshot(version.compiled, envelope.snapshot);
    const control = { ...envelope.control, incidents: incidentsOf(stored, envelope.control) };
    return {
      kind: 'run',
      envelope,
      open: stored.inbox.filter((event) => event.outcome === null),
      state: {
        run: stored.run,
        revision: stored.revision,
        fence: stored.fence,
        status: stored.status,
        phase: phaseOf(snapshot),
        snapshot,
        control,
        effects: new Map(stored.effects.map((effect) => [effect.key, effect])),
        timers: new Map(stored.timers.map((timer) => [timer.name, timer])),
        approvals: new Map(stored.approvals.map((approval) => [approval.approvalId, approval])),
        kept: stored.inbox.filter((event) => event.outcome === 'kept'),
        lastReceiptNo: stored.lastReceiptNo,
        lastReceiptHash: stored.lastReceiptHash,
        crashes: stored.crashes,
        endedAtMs: stored.endedAtMs,
      },
    };
  } catch (error) {
    return misfit(error, envelope);
  }
}
