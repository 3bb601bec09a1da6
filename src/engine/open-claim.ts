import { isQueued } from '../decision/on-lock.ts';
import { fileForPruned } from '../decision/on-pruned.ts';
import type { SnapshotEnvelope } from '../decision/snapshot-envelope.ts';
import type { InboxPayload } from '../model/inbox-event.ts';
import type { RunCommit } from '../model/run-commit.ts';
import type { ClaimedRun, StoredRun } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import type { HoldingStart } from './held-run.ts';
import { joinLock } from './hold-lock.ts';
import { loadRun, type LoadedRun, readEnvelope } from './load-run.ts';
import { CRASHES, CRASHES_MAX, crashWords, parkRun, releaseCommit } from './park-run.ts';

/**
 * A claimed run, ready to be held; or one that is set aside, with the commit that does so: it does not fit this process
 * (P07, `pin` and the field), or it has crashed too many workers (P06, `poison`). One whose state was pruned files what has come (P10).
 */
export type OpenedClaim =
  | { readonly kind: 'hold'; readonly start: HoldingStart }
  | { readonly kind: 'aside'; readonly why: 'pin' | 'poison'; readonly field: string; readonly park: RunCommit }
  | { readonly kind: 'pruned'; readonly file: RunCommit };

type Loaded = Extract<LoadedRun, { kind: 'run' }>;

/** What a person may say to a run that is parked as poison; anything else waits in its inbox. */
const LETS_GO: readonly InboxPayload['type'][] = ['retry', 'terminate', 'cancel'];

/** Nothing of a poison run is sent before a person has said so: not even an event is decided with it. */
function poisonOf(claimed: ClaimedRun, loaded: Loaded): OpenedClaim | null {
  const { run: stored, nowMs } = claimed;
  if (stored.crashes < CRASHES_MAX) return null;
  const isParked = loaded.state.control.incidents.some((incident) => incident.kind === 'poison');
  if (!isParked) {
    const message = crashWords(stored.crashes);
    const park = parkRun(stored, loaded.envelope, {
      kind: 'poison',
      subject: CRASHES,
      message,
      nowMs,
      wakeSeen: null,
    });
    return { kind: 'aside', why: 'poison', field: CRASHES, park };
  }
  if (loaded.open.some((event) => LETS_GO.includes(event.payload.type))) return null;
  return { kind: 'aside', why: 'poison', field: CRASHES, park: releaseCommit(stored, null, null) };
}

/** A run whose version nobody can read here; its position can be, so that what is to be done is noted beside it (P07). */
function versionMisfit({ run }: StoredRun, envelope: SnapshotEnvelope | null): Extract<LoadedRun, { kind: 'misfit' }> {
  const name = `${run.workflow}@${run.version}`;
  const message = `no version with digest ${run.digest.slice(0, 12)} of ${name} can be used here: where its row is damaged remove that, publish ${name} again from its source, then retry`;
  return { kind: 'misfit', field: 'digest', message, envelope };
}

function misfit(claimed: ClaimedRun, found: Extract<LoadedRun, { kind: 'misfit' }>): OpenedClaim {
  const reason = {
    kind: 'pin',
    subject: found.field,
    message: found.message,
    nowMs: claimed.nowMs,
    wakeSeen: null,
  } as const;
  return { kind: 'aside', why: 'pin', field: found.field, park: parkRun(claimed.run, found.envelope, reason) };
}

/**
 * Opens a run that was just claimed: finds its version, checks the pin, and lists what is to be decided first: that it
 * was taken over, then its inbox. A run that has not begun takes its place with its lock first. Transaction: none, but for a lock's own.
 */
export async function openClaim(engine: Engine, claimed: ClaimedRun): Promise<OpenedClaim> {
  const { run: stored } = claimed;
  if (stored.prunedAtMs !== null) {
    const file = { ...releaseCommit(stored, null, null), ...fileForPruned(stored.run, stored.inbox) };
    return { kind: 'pruned', file };
  }
  const version = await engine.versions.readable(stored.run.digest);
  if (version === null) return misfit(claimed, versionMisfit(stored, readEnvelope(stored)));
  const loaded = loadRun(version, stored);
  if (loaded.kind === 'misfit') return misfit(claimed, loaded);
  const poison = poisonOf(claimed, loaded);
  if (poison !== null) return poison;
  const isTold = loaded.open.some((event) => event.payload.type === 'lock.granted');
  if (isQueued(loaded.state) && !isTold) await joinLock(engine, stored.run);
  const inputs = [{ type: 'resumed' } as const, ...loaded.open.map((event) => ({ type: 'inbox', event }) as const)];
  return {
    kind: 'hold',
    start: { version, state: loaded.state, inputs, orders: null, decidedAtMs: engine.clock.monotonicMs() },
  };
}
