import type { Effect, Receipt } from '../../model/effect.ts';
import type { ApiKey } from '../../model/api-key.ts';
import type { Deprecation } from '../../model/deprecation.ts';
import type { RunIdentity, Timer } from '../../model/run.ts';
import type { Approval } from '../../model/approval.ts';
import type { OutboxRecord } from '../../model/outbox.ts';
import type { Pause } from '../../model/pause.ts';
import type { SharedEffect } from '../../model/shared-effect.ts';
import type { AuditEntry } from '../../model/run-commit.ts';
import type { StoredVersion } from '../../ports/store.ts';
import { approvalsOf, inboxOf, journalOf, receiptsOf } from './run-reads.ts';
import { messagesOf } from './outbox.ts';
import { inOrder } from './row.ts';
import type {
  BatchRow,
  Head,
  InboxRow,
  JournalRow,
  Lease,
  LockRow,
  ObservationRow,
  OfferRow,
  PlaceRow,
  QueueRow,
  RunRows,
  ScheduleRow,
  Seat,
  StartKey,
  Tables,
  WakeUp,
} from './tables.ts';

/** All rows of a run, each table in the order of its key. */
export interface RunDump {
  readonly run: RunIdentity;
  readonly head: Head;
  readonly lease: Lease | null;
  readonly wakeUp: WakeUp | null;
  readonly journal: readonly JournalRow[];
  readonly effects: readonly Effect[];
  readonly receipts: readonly Receipt[];
  readonly timers: readonly Timer[];
  /** With their votes. */
  readonly approvals: readonly Approval[];
  readonly inbox: readonly InboxRow[];
  readonly observations: readonly ObservationRow[];
  readonly audit: readonly AuditEntry[];
  readonly outbox: readonly OutboxRecord[];
  readonly offers: readonly OfferRow[];
}

/** All rows of a store in canonical order, as plain data. */
export interface Dump {
  readonly versions: readonly StoredVersion[];
  readonly deprecations: readonly Deprecation[];
  readonly pauses: readonly Pause[];
  readonly seats: readonly Seat[];
  readonly startKeys: readonly StartKey[];
  readonly locks: readonly LockRow[];
  readonly places: readonly PlaceRow[];
  readonly schedules: readonly ScheduleRow[];
  readonly shares: readonly SharedEffect[];
  readonly queues: readonly QueueRow[];
  readonly keys: readonly ApiKey[];
  readonly batches: readonly BatchRow[];
  /** Acts about no run, by tenant. */
  readonly acts: readonly (readonly [tenant: string, acts: readonly AuditEntry[]])[];
  readonly runs: readonly RunDump[];
}

function runDump(rows: RunRows): RunDump {
  return {
    run: rows.run,
    head: rows.head,
    lease: rows.lease,
    wakeUp: rows.wakeUp,
    journal: journalOf(rows),
    effects: inOrder(rows.effects.values(), (effect) => [effect.key]),
    receipts: receiptsOf(rows),
    timers: inOrder(rows.timers.values(), (timer) => [timer.name]),
    approvals: approvalsOf(rows),
    inbox: inboxOf(rows),
    observations: inOrder(rows.observations.values(), (row) => [row.effectKey, row.source, row.sourceId]),
    audit: rows.audit,
    outbox: messagesOf(rows),
    offers: inOrder(rows.offers.values(), ({ effectKey }) => [effectKey]),
  };
}

/** All rows in canonical order: by key, runs by id. */
export function dumpOf(tables: Tables): Dump {
  const {
    versions,
    deprecations,
    pauses,
    seats,
    startKeys,
    locks,
    places,
    schedules,
    shares,
    queues,
    keys,
    batches,
    acts,
    runs,
  } = tables;
  return {
    versions: inOrder(versions.values(), (row) => [row.tenant, row.workflow, row.version]),
    deprecations: inOrder(deprecations.values(), (row) => [row.tenant, row.workflow, row.version]),
    pauses: inOrder(pauses.values(), (row) => [row.tenant, row.kind, row.name]),
    seats: inOrder(seats.values(), (seat) => [seat.part, seat.workerId]),
    startKeys: inOrder(startKeys.values(), (row) => [row.part, row.tenant, row.workflow, row.key]),
    locks: inOrder(locks.values(), (row) => [row.tenant, row.name]),
    places: inOrder(places.values(), (row) => [row.tenant, row.name, row.runId]),
    schedules: inOrder(schedules.values(), (row) => [row.part, row.tenant, row.workflow]),
    shares: inOrder(shares.values(), (row) => [row.part, row.effectKey]),
    queues: inOrder(queues.values(), (row) => [row.part, row.tenant, row.queue]),
    keys: inOrder(keys.values(), (row) => [row.keyId]),
    batches: inOrder(batches.values(), ({ batch }) => [batch.tenant, batch.batchId]),
    acts: inOrder(acts, ([tenant]) => [tenant]),
    runs: inOrder(runs.values(), ({ run }) => [run.runId]).map(runDump),
  };
}
