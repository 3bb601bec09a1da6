import type { RunId } from '../../model/ids.ts';
import { type Firing, SCHEDULE_ACTS_MAX, type ScheduleAct, type ScheduleRecord } from '../../model/schedule.ts';
import type { Store } from '../../ports/store.ts';
import type { Connections, Row } from './connections.ts';
import { CLAIM_SCHEDULES, LIST_SCHEDULES, ORDER_SCHEDULE, SETTLE_SCHEDULE } from './sql/schedule.ts';

function actFromRow(row: Row): ScheduleAct {
  return {
    act: row['act'] as ScheduleAct['act'],
    by: row['actor'] as string,
    reason: row['reason'] as string,
    atMs: row['at'] as number,
  };
}

function recordFromRow(row: Row): ScheduleRecord {
  return {
    part: row['part'] as number,
    tenant: row['tenant'] as string,
    workflow: row['workflow'] as string,
    version: row['version'] as number,
    dueAtMs: row['due_at'] as number,
    isPaused: row['paused'] as boolean,
    lastFiredAtMs: row['last_fired_at'] as number | null,
    lastRunId: row['last_run_id'] as RunId | null,
    lastSkippedAtMs: row['last_skipped_at'] as number | null,
    lastError: row['last_error'] as string | null,
    acts: (row['acts'] as readonly Row[]).map(actFromRow),
  };
}

/** Next instant, instant and run that were started, instant that was left out, why not. */
function settlingOf(firing: Firing): readonly unknown[] {
  switch (firing.kind) {
    case 'fired':
      return [firing.nextAtMs, firing.atMs, firing.runId, null, null];
    case 'skipped':
      return [firing.nextAtMs, null, null, firing.atMs, null];
    case 'passed':
      return [firing.nextAtMs, null, null, null, null];
    case 'failed':
      return [null, null, null, null, firing.error];
  }
}

/** The verbs of schedules. */
export function scheduleVerbs({
  run,
}: Connections): Pick<Store, 'claimSchedules' | 'settleSchedule' | 'orderSchedule' | 'schedules'> {
  return {
    claimSchedules: async (part, { tenant, limit, forMs }) => {
      const rows = await run(CLAIM_SCHEDULES, [part, tenant, limit, forMs]);
      const due = rows
        .filter((row) => row['workflow'] !== null)
        .map((row) => ({
          address: { part, tenant, workflow: row['workflow'] as string },
          version: row['version'] as number,
          dueAtMs: row['due_at'] as number,
          sinceMs: row['since_at'] as number,
          takenAtMs: row['taken_at'] as number,
          attempt: row['attempt'] as number,
          lastRunId: row['last_run_id'] as RunId | null,
        }));
      const [first] = rows;
      return { due, nextAtMs: first?.['next_at'] as number | null, nowMs: first?.['now_ms'] as number };
    },
    settleSchedule: async ({ address: { part, tenant, workflow }, version, attempt }, firing) => {
      await run(SETTLE_SCHEDULE, [part, tenant, workflow, version, attempt, ...settlingOf(firing)]);
    },
    orderSchedule: async ({ part, tenant, workflow, version }, order) => {
      const { act, by, reason } = order;
      const nextAtMs = order.act === 'resume' ? order.dueAtMs : null;
      const rows = await run(ORDER_SCHEDULE, [part, tenant, workflow, version, act, by, reason, nextAtMs]);
      return rows.length > 0;
    },
    schedules: async (tenant, limit, workflow) =>
      (await run(LIST_SCHEDULES, [tenant, limit, SCHEDULE_ACTS_MAX, workflow ?? null])).map(recordFromRow),
  };
}
