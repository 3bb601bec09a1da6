import { invariant } from '../../model/errors.ts';
import type { Digest, RunId, WorkerId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { RunIdentity } from '../../model/run.ts';
import { RUN_STATUSES, type RunStatus } from '../../model/statuses.ts';
import type { RunLine, StoredRun, StoredVersion } from '../../ports/store.ts';
import type { Row } from './connections.ts';
import {
  approvalFromRow,
  effectAsStored,
  effectFromRow,
  inboxFromRow,
  parse,
  parseOptional,
  textOf,
  timerFromRow,
  type Travelling,
} from './rows.ts';
import { unpackSnapshot } from './snapshot-codec.ts';
import type { RUN } from './sql/columns.ts';

/** What never changes in a run's life, as stored. */
export function runToRow(run: RunIdentity): Travelling<typeof RUN> {
  return {
    run_id: run.runId,
    part: run.part,
    tenant: run.tenant,
    workflow: run.workflow,
    version: run.version,
    digest: run.digest,
    run_key: run.key,
    start_number: run.startNumber,
    input: textOf(run.input),
    started_at: run.startedAtMs,
    started_by: run.startedBy,
    lock_name: run.lock?.name ?? null,
    lock_limit: run.lock?.limit ?? null,
    traceparent: run.traceparent ?? null,
  };
}

/** Reads what never changes in a run's life. */
export function runFromRow(row: Row): RunIdentity {
  return {
    runId: row['run_id'] as RunId,
    part: row['part'] as number,
    tenant: row['tenant'] as string,
    workflow: row['workflow'] as string,
    version: row['version'] as number,
    digest: row['digest'] as Digest,
    key: row['run_key'] as string,
    startNumber: row['start_number'] as number,
    input: parse<Json>(row['input']),
    startedAtMs: row['started_at'] as number,
    startedBy: row['started_by'] as string,
    ...(row['lock_name'] === null
      ? {}
      : { lock: { name: row['lock_name'] as string, limit: row['lock_limit'] as number } }),
    ...(row['traceparent'] === null ? {} : { traceparent: row['traceparent'] as string }),
  };
}

function statusOf(row: Row): RunStatus {
  invariant((RUN_STATUSES as readonly unknown[]).includes(row['status']), 'a stored run has no known status', {
    status: String(row['status']),
  });
  return row['status'] as RunStatus;
}

/** Reads a run with all its rows. */
export function storedRunFromRow(row: Row): StoredRun {
  const votes = row['votes'] as readonly Row[];
  return {
    run: runFromRow(row),
    revision: row['revision'] as number,
    fence: row['fence'] as number,
    owner: row['owner'] as WorkerId | null,
    status: statusOf(row),
    suspect: row['suspect'] as boolean,
    crashes: row['crashes'] as number,
    snapshot: unpackSnapshot({ codec: row['codec'] as number, bytes: row['snapshot'] as Buffer }),
    endedAtMs: row['ended_at'] as number | null,
    prunedAtMs: row['pruned_at'] as number | null,
    output: parseOptional(row['output']),
    failure: parseOptional(row['failure']),
    effects: (row['effects'] as readonly Row[]).map(row['pruned_at'] === null ? effectFromRow : effectAsStored),
    timers: (row['timers'] as readonly Row[]).map(timerFromRow),
    approvals: (row['approvals'] as readonly Row[]).map((approval) => approvalFromRow(approval, votes)),
    inbox: (row['inbox'] as readonly Row[]).map(inboxFromRow),
    lastReceiptNo: (row['receipt_no'] as number | null) ?? 0,
    lastReceiptHash: (row['integrity'] as string | null) ?? '0'.repeat(64),
  };
}

/** Reads one line of a list. */
export function runLineFromRow(row: Row): RunLine {
  return {
    run: runFromRow(row),
    status: statusOf(row),
    revision: row['revision'] as number,
    needs: parse<readonly string[]>(row['needs']),
    endedAtMs: row['ended_at'] as number | null,
    failure: parseOptional(row['failure']),
  };
}

/** Reads a version. */
export function versionFromRow(row: Row): StoredVersion {
  return {
    tenant: row['tenant'] as string,
    workflow: row['workflow'] as string,
    version: row['version'] as number,
    digest: row['digest'] as Digest,
    digests: parse<Readonly<Record<string, string>>>(row['digests']),
    source: row['source'] as string,
    machine: row['machine'] as string,
    publishedBy: row['published_by'] as string,
    publishedAtMs: row['published_at'] as number,
  };
}
