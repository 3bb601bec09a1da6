import { chainAudit } from '../../model/audit-chain.ts';
import { hashJson } from '../../model/hash.ts';
import type { RunId } from '../../model/ids.ts';
import { isOutward } from '../../model/outbox.ts';
import type { Timer } from '../../model/run.ts';
import type { RunRecords, TimerRecord } from '../../model/run-records.ts';
import type { RecordsPage } from '../../ports/store.ts';
import { type Dump, dumpOf } from './dump.ts';
import { placeOf } from './locks.ts';
import { keyOf, type Statement } from './tables.ts';

/** A timer as a database keeps it: with the event that its firing will be. */
export function timerRecord(timer: Timer): TimerRecord {
  const { name, generation, dueAtMs } = timer;
  const payload = { type: 'timer', name, generation, dueAtMs };
  return { ...timer, payload, payloadHash: hashJson(payload) };
}

/** Everything that a dump says of each run, as its invariants read it: the runs of all parts, in the order of their ids. */
export function recordsOf({ runs, seats, startKeys, versions, places }: Dump): readonly RunRecords[] {
  const seatsUntil = new Map(seats.map((seat) => [keyOf(seat.part, seat.workerId), seat.leaseUntilMs]));
  const keys = new Map(startKeys.map((row) => [keyOf(row.part, row.tenant, row.workflow, row.key), row]));
  const digests = new Map(versions.map((row) => [keyOf(row.tenant, row.workflow, row.version), row.digest]));
  const placed = new Map(places.map((row) => [row.runId, { ...placeOf(row), name: row.name }]));
  return runs.map(({ run, head, lease, ...rows }) => ({
    ...rows,
    run,
    timers: rows.timers.map(timerRecord),
    audit: chainAudit(run.runId, run.tenant, rows.audit),
    outbox: rows.outbox.map((message) => ({ ...message, outward: isOutward(message.topic) })),
    head: { ...head, owner: lease?.workerId ?? null },
    // A memory store has no lease of another fence than its head's.
    lease:
      lease === null
        ? null
        : { ...lease, fence: head.fence, seatUntilMs: seatsUntil.get(keyOf(run.part, lease.workerId)) ?? null },
    place: placed.get(run.runId) ?? null,
    startKey: keys.get(keyOf(run.part, run.tenant, run.workflow, run.key)) ?? null,
    publishedDigest: digests.get(keyOf(run.tenant, run.workflow, run.version)) ?? null,
  }));
}

/** A page of them. */
export function recordsPage(statement: Statement, part: number, after: RunId | null, limit: number): RecordsPage {
  const runs = recordsOf(dumpOf(statement))
    .filter(({ run }) => run.part === part && (after === null || run.runId > after))
    .slice(0, limit);
  const next = runs.length < limit ? null : (runs.at(-1)?.run.runId ?? null);
  return { runs, next, nowMs: statement.nowMs };
}
