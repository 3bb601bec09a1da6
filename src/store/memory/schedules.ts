import {
  type DueSchedule,
  type Firing,
  SCHEDULE_ACTS_MAX,
  type ScheduleAddress,
  type ScheduleOrder,
  type ScheduleRecord,
  type ScheduleStart,
} from '../../model/schedule.ts';
import type { StoredVersion } from '../../ports/store.ts';
import { noteAct } from './audit.ts';
import { inOrder, rowOf } from './row.ts';
import { keyOf, type ScheduleRow, type Statement } from './tables.ts';

type ScheduleKey = Pick<ScheduleAddress, 'part' | 'tenant' | 'workflow'>;

function scheduleKey({ part, tenant, workflow }: ScheduleKey): string {
  return keyOf(part, tenant, workflow);
}

/** The highest published version of a workflow; 0 = none. */
function highestOf({ versions }: Statement, { tenant, workflow }: Omit<ScheduleKey, 'part'>): number {
  const mine = [...versions.values()].filter((row) => row.tenant === tenant && row.workflow === workflow);
  return Math.max(0, ...mine.map(({ version }) => version));
}

function isLive(statement: Statement, row: ScheduleRow): boolean {
  return highestOf(statement, row) === row.version;
}

/**
 * A version that is new brings its schedule: instead of that of a lower one, whose late instant stays due, and those behind
 * it where the times are the same.
 */
export function beginSchedule(
  statement: Statement,
  { tenant, workflow, version }: StoredVersion,
  { part, dueAtMs, timesOf }: ScheduleStart,
): void {
  const { schedules, nowMs } = statement;
  const key = keyOf(part, tenant, workflow);
  const before = schedules.get(key);
  if (before === undefined) {
    const last = { lastFiredAtMs: null, lastRunId: null, lastSkippedAtMs: null, lastError: null };
    const claim = { takenAtMs: null, freeAtMs: nowMs, attempt: 0, isPaused: false, acts: [] };
    schedules.set(key, rowOf({ part, tenant, workflow, version, dueAtMs, sinceMs: nowMs, ...claim, ...last }));
    return;
  }
  if (before.version >= version) return;
  const isLate = !before.isPaused && before.dueAtMs <= nowMs && isLive(statement, before);
  const next = isLate ? before : { ...before, dueAtMs, ...nobodysClaim(before, nowMs) };
  const sinceMs = isLate && before.version === timesOf ? before.sinceMs : nowMs;
  schedules.set(key, rowOf({ ...next, version, sinceMs, lastError: null }));
}

/** Whoever has a claim on the instant before has it no longer. */
function nobodysClaim(
  { attempt }: ScheduleRow,
  nowMs: number,
): Pick<ScheduleRow, 'takenAtMs' | 'freeAtMs' | 'attempt'> {
  return { takenAtMs: null, freeAtMs: nowMs, attempt: attempt + 1 };
}

/** Schedules whose instant has come, taken for a while. */
export function claimSchedules(
  statement: Statement,
  part: number,
  ask: { readonly tenant: string; readonly limit: number; readonly forMs: number },
): { readonly due: readonly DueSchedule[]; readonly nextAtMs: number | null; readonly nowMs: number } {
  const { schedules, nowMs } = statement;
  const live = [...schedules.values()].filter(
    (row) => row.part === part && row.tenant === ask.tenant && !row.isPaused && isLive(statement, row),
  );
  const comesAtMs = ({ dueAtMs, freeAtMs }: ScheduleRow): number => Math.max(dueAtMs, freeAtMs);
  const later = live.map(comesAtMs).filter((atMs) => atMs > nowMs);
  const ready = live.filter((row) => comesAtMs(row) <= nowMs);
  const taken = inOrder(ready, (row) => [row.dueAtMs, row.workflow]).slice(0, ask.limit);
  const due = taken.map((row) => {
    const takenAtMs = row.takenAtMs ?? nowMs;
    const attempt = row.attempt + 1;
    schedules.set(scheduleKey(row), rowOf({ ...row, takenAtMs, attempt, freeAtMs: nowMs + ask.forMs }));
    const { version, dueAtMs, sinceMs, lastRunId } = row;
    const address = { part, tenant: row.tenant, workflow: row.workflow };
    return { address, version, dueAtMs, sinceMs, takenAtMs, attempt, lastRunId };
  });
  return { due, nextAtMs: later.length === 0 ? null : Math.min(...later), nowMs };
}

/** What became of an instant. */
export function settleSchedule(
  { schedules, nowMs }: Statement,
  { address, version, attempt }: Pick<DueSchedule, 'address' | 'version' | 'attempt'>,
  firing: Firing,
): void {
  const key = scheduleKey(address);
  const row = schedules.get(key);
  if (row === undefined || row.version !== version || row.attempt !== attempt || row.takenAtMs === null) return;
  if (firing.kind === 'failed') {
    schedules.set(key, rowOf({ ...row, lastError: firing.error }));
    return;
  }
  const moved = { ...row, dueAtMs: firing.nextAtMs, takenAtMs: null, freeAtMs: nowMs, lastError: null };
  if (firing.kind === 'fired')
    schedules.set(key, rowOf({ ...moved, lastFiredAtMs: firing.atMs, lastRunId: firing.runId }));
  else if (firing.kind === 'skipped') schedules.set(key, rowOf({ ...moved, lastSkippedAtMs: firing.atMs }));
  else schedules.set(key, rowOf(moved));
}

/** A person stops a schedule, or has it go on. */
export function orderSchedule(
  statement: Statement,
  of: ScheduleAddress & Pick<ScheduleRecord, 'version'>,
  order: ScheduleOrder,
): boolean {
  const { schedules, nowMs } = statement;
  const key = scheduleKey(of);
  const row = schedules.get(key);
  if (row?.version !== of.version) return false;
  const { act, by, reason } = order;
  const noted = { ...row, isPaused: act === 'pause', acts: [rowOf({ act, by, reason, atMs: nowMs }), ...row.acts] };
  const { tenant, workflow: target, version } = of;
  const detail = { before: { version, paused: row.isPaused }, after: { version, paused: act === 'pause' } };
  noteAct(statement, { tenant, actor: by, act: `schedule.${act}`, target, reason, detail });
  const goesOn = row.isPaused && order.act === 'resume';
  schedules.set(key, rowOf(goesOn ? { ...noted, dueAtMs: order.dueAtMs, ...nobodysClaim(row, nowMs) } : noted));
  return true;
}

/** Schedules of a tenant that count, or that of one workflow. */
export function listSchedules(
  statement: Statement,
  { tenant, workflow }: { readonly tenant: string; readonly workflow: string | undefined },
  limit: number,
): ScheduleRecord[] {
  const asked = [...statement.schedules.values()].filter(
    (row) => row.tenant === tenant && (workflow ?? row.workflow) === row.workflow,
  );
  const mine = asked.filter((row) => isLive(statement, row));
  return inOrder(mine, ({ workflow }) => [workflow])
    .slice(0, limit)
    .map(({ sinceMs: _since, takenAtMs: _taken, freeAtMs: _free, attempt: _attempt, acts, ...record }) => ({
      ...record,
      acts: acts.slice(0, SCHEDULE_ACTS_MAX),
    }));
}
