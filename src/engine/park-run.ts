import { packSnapshot, phaseOf, snapshotText, type SnapshotEnvelope } from '../decision/snapshot-envelope.ts';
import type { HeadChange, RunCommit } from '../model/run-commit.ts';
import type { Incident, RunControl } from '../model/run.ts';
import type { IncidentKind } from '../model/statuses.ts';
import type { StoredRun } from '../ports/store.ts';

/** Crashes of workers that held a run alone, after which it is parked (P06). */
export const CRASHES_MAX = 3;
/** What a run is parked for that has crashed as many. */
export const CRASHES = 'crashes';

/** What is known of crashes, and no more: that workers died, not that the run is to blame. */
export function crashWords(crashes: number): string {
  return crashes === 1
    ? 'a worker died while it held nothing else'
    : `${crashes} workers died while they held nothing else`;
}

/** Why a run that cannot be decided here is set aside for a person. */
export interface ParkReason {
  readonly kind: Extract<IncidentKind, 'pin' | 'poison'>;
  /** The field that does not fit, or what went wrong: names only, never data. */
  readonly subject: string;
  readonly message: string;
  readonly nowMs: number;
  readonly wakeSeen: number | null;
}

/** A commit that changes nothing of a run and gives it back. */
export function releaseCommit(
  run: Pick<StoredRun, 'run' | 'fence' | 'revision'>,
  wakeSeen: number | null,
  readyAtMs: number | null,
): RunCommit {
  return {
    part: run.run.part,
    runId: run.run.runId,
    fence: run.fence,
    revision: run.revision,
    transitions: [],
    head: null,
    effects: [],
    receipts: [],
    timersSet: [],
    timersCleared: [],
    approvals: [],
    votes: [],
    inbox: [],
    observations: [],
    audit: [],
    outbox: [],
    lease: { kind: 'release', wakeSeen, readyAtMs },
  };
}

/** Workers that a run was parked for have come back since: they live, and the count was taken back (P06). */
function isTakenBack(stored: StoredRun, incident: Incident): boolean {
  return incident.id === `poison:${CRASHES}` && stored.crashes < CRASHES_MAX;
}

/**
 * The incidents of a stored run, without one whose cause is gone; one that was parked by a process that could not read its snapshot has none in its notes,
 * only its status says so, and a person lets it go where it fits.
 */
export function incidentsOf(stored: StoredRun, control: RunControl): readonly Incident[] {
  if (stored.status !== 'HELD' || control.incidents.length > 0) {
    return control.incidents.filter((incident) => !isTakenBack(stored, incident));
  }
  const message = 'a process that this run does not fit has parked it; retry it where one runs that it fits';
  return [
    {
      id: 'pin:parked',
      kind: 'pin',
      sinceMs: stored.run.startedAtMs,
      step: null,
      effectKey: null,
      message,
      from: ['role:operator'],
      acts: ['retry'],
    },
  ];
}

function withIncident(control: RunControl, reason: ParkReason): RunControl {
  const id = `${reason.kind}:${reason.subject}`;
  const known = control.incidents.find((incident) => incident.id === id);
  const incident: Incident = {
    id,
    kind: reason.kind,
    sinceMs: known?.sinceMs ?? reason.nowMs,
    step: null,
    effectKey: null,
    message: reason.message,
    from: ['role:operator'],
    acts: ['retry', 'terminate'],
  };
  return { ...control, incidents: [...control.incidents.filter((other) => other.id !== id), incident] };
}

/** The snapshot as it was, with the incident in its notes where the envelope can be read; else byte for byte. */
function parkedSnapshot(stored: StoredRun, envelope: SnapshotEnvelope | null, reason: ParkReason): string {
  if (envelope === null || envelope.revision !== stored.revision) return stored.snapshot;
  return packSnapshot({
    digest: envelope.digest,
    revision: envelope.revision,
    snapshotText: snapshotText(envelope.snapshot),
    control: withIncident(envelope.control, reason),
  });
}

/**
 * Sets a run aside that this process cannot decide: HELD with the field named (P07) or the fault told; position, data
 * and ledger stay as they are. @returns the commit; its revision does not move.
 */
export function parkRun(stored: StoredRun, envelope: SnapshotEnvelope | null, reason: ParkReason): RunCommit {
  const head: HeadChange = {
    status: 'HELD',
    phase: envelope === null ? 'forward' : phaseOf(envelope.snapshot),
    needs: [`incident:${reason.kind}`],
    snapshot: parkedSnapshot(stored, envelope, reason),
    endedAtMs: stored.endedAtMs,
    output: stored.output,
    failure: stored.failure,
  };
  return { ...releaseCommit(stored, reason.wakeSeen, null), head };
}
