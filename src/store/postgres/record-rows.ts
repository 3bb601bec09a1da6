import type { Digest, RunId, WorkerId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type {
  InboxRecord,
  LeaseRecord,
  RunRecords,
  StrayRow,
  TimerRecord,
  UnreadableRun,
} from '../../model/run-records.ts';
import type { RunPhase, RunStatus } from '../../model/statuses.ts';
import type { RecordsPage } from '../../ports/store.ts';
import { auditRecord } from './audit-verbs.ts';
import type { Row } from './connections.ts';
import {
  approvalFromRow,
  effectAsStored,
  inboxFromRow,
  parse,
  parseOptional,
  receiptFromRow,
  timerFromRow,
  transitionFromRow,
} from './rows.ts';
import { runFromRow } from './run-rows.ts';
import { placeFromRow } from './lock-verbs.ts';
import { recordFromRow } from './outbox-verbs.ts';
import { unpackSnapshot } from './snapshot-codec.ts';

function headFromRow(row: Row): RunRecords['head'] {
  return {
    revision: row['revision'] as number,
    fence: row['fence'] as number,
    owner: row['owner'] as WorkerId | null,
    status: row['status'] as RunStatus,
    phase: row['phase'] as RunPhase,
    needs: parse<readonly string[]>(row['needs']),
    snapshot: unpackSnapshot({ codec: row['codec'] as number, bytes: row['snapshot'] as Buffer }),
    endedAtMs: row['ended_at'] as number | null,
    prunedAtMs: row['pruned_at'] as number | null,
    output: parseOptional(row['output']),
    failure: parseOptional(row['failure']),
  };
}

function leaseFromRow(row: Row): LeaseRecord | null {
  if (row['lease_worker'] === null) return null;
  return {
    workerId: row['lease_worker'] as WorkerId,
    fence: row['lease_fence'] as number,
    claimedAtMs: row['claimed_at'] as number,
    seatUntilMs: row['seat_until'] as number | null,
  };
}

function answeredFromRow(row: Row): InboxRecord {
  return {
    ...inboxFromRow(row),
    detail: parse<Json>(row['detail']),
    consumed: row['consumed'] as boolean,
    consumedRevision: row['consumed_revision'] as number | null,
  };
}

function timerRecord(row: Row): TimerRecord {
  const payload = parse<Json>(row['payload']);
  return { ...timerFromRow(row), payload, payloadHash: row['payload_hash'] as string };
}

function placeRecord(row: Row | null): RunRecords['place'] {
  return row === null ? null : { ...placeFromRow(row), name: row['name'] as string };
}

function recordsFromRow(row: Row): RunRecords {
  const rows = (name: string): readonly Row[] => row[name] as readonly Row[];
  return {
    run: runFromRow(row),
    head: headFromRow(row),
    lease: leaseFromRow(row),
    wakeUp: row['wake'] === null ? null : { dueAtMs: row['wake_due'] as number, wake: row['wake'] as number },
    journal: rows('journal').map(transitionFromRow),
    effects: rows('effects').map(effectAsStored),
    receipts: rows('receipts').map(receiptFromRow),
    timers: rows('timers').map(timerRecord),
    audit: rows('audit').map(auditRecord),
    approvals: rows('approvals').map((approval) => approvalFromRow(approval, rows('votes'))),
    inbox: rows('inbox').map(answeredFromRow),
    outbox: rows('outbox').map((message) => ({ ...recordFromRow(message), outward: message['outward'] as boolean })),
    place: placeRecord(row['place'] as Row | null),
    startKey:
      row['key_run_id'] === null
        ? null
        : {
            runId: row['key_run_id'] as RunId,
            requestHash: row['key_hash'] as string,
            startNumber: row['key_number'] as number,
          },
    publishedDigest: row['published_digest'] as Digest | null,
  };
}

/** A run's rows, or that they cannot be read: one damaged text must not hide all other runs. */
function readOne(part: number, row: Row): RunRecords | UnreadableRun {
  try {
    return recordsFromRow(row);
  } catch (error) {
    return { runId: row['head_id'] as RunId, part, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Reads a page of runs; a head without its run is a stray row. */
export function recordsPage(part: number, limit: number, rows: readonly Row[]): RecordsPage {
  const last = rows.at(-1);
  return {
    runs: rows.filter((row) => row['found_id'] !== null).map((row) => readOne(part, row)),
    next: last === undefined || rows.length < limit ? null : (last['head_id'] as RunId),
    nowMs: (last?.['now_ms'] as number | undefined) ?? 0,
  };
}

/** Reads a row whose run is not there. */
export function strayFromRow(part: number, row: Row): StrayRow {
  return {
    table: row['table_name'] as string,
    part,
    runId: row['run_id'] as RunId,
    row: row['row_name'] as string,
  };
}
