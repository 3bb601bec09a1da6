import { cronTimes } from '../definition/cron-times.ts';
import { caught } from '../model/caught.ts';
import type { ScheduleDefinition } from '../model/definition.ts';
import { invariant, NotFoundError, PawlError } from '../model/errors.ts';
import { displayRunId } from '../model/run-id.ts';
import { type ScheduleAct, scheduleAddress, type ScheduleRecord } from '../model/schedule.ts';
import type { Engine } from './engine.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';
import type { LoadedVersion } from './version-cache.ts';

/** What its version says of a schedule. */
type Times = Omit<ScheduleDefinition, 'input'>;
/** The same; null where the row of that version is damaged, which `error` says. */
type ScheduleTimes = { readonly [Key in keyof Times]: Times[Key] | null };

/** A schedule as people and programs see it; times RFC 3339 UTC. */
export interface ScheduleView extends ScheduleTimes {
  readonly workflow: string;
  readonly version: number;
  readonly paused: boolean;
  /** The instant that comes next, or that is late; null = it is paused. */
  readonly next: string | null;
  /** The instant that was started last, and its run. */
  readonly lastFired: string | null;
  readonly lastRun: string | null;
  /** The last instant that was left out because the run before had not ended. */
  readonly lastSkipped: string | null;
  /** Why the instant that is due could not be started yet. */
  readonly error: string | null;
  /** What operators have done with it, newest first. */
  readonly acts: readonly (Omit<ScheduleAct, 'atMs'> & { readonly at: string })[];
}

function time(atMs: number): string {
  return new Date(atMs).toISOString();
}

function timeOrNull(atMs: number | null): string | null {
  return atMs === null ? null : time(atMs);
}

function scheduleOf(version: LoadedVersion | null): ScheduleDefinition | undefined {
  return version?.compiled.machine.definition.schedule;
}

const UNREADABLE: ScheduleTimes = { cron: null, timezone: null, overlap: null, catchUp: null };

/** One whose version is damaged keeps nobody from seeing the others. */
async function readTimes(
  { versions, tenant }: Engine,
  { workflow, version }: ScheduleRecord,
): Promise<{ readonly times: ScheduleTimes; readonly error: string | null }> {
  try {
    const schedule = scheduleOf(await versions.find(tenant, workflow, version));
    invariant(schedule !== undefined, 'a schedule whose version has none', { workflow, version });
    const { cron, timezone, overlap, catchUp } = schedule;
    return { times: { cron, timezone, overlap, catchUp }, error: null };
  } catch (error) {
    const { code, message } = caught(error, PawlError);
    if (code !== 'PAWL_VERSION_DAMAGED') throw error;
    return { times: UNREADABLE, error: message };
  }
}

async function scheduleView(engine: Engine, record: ScheduleRecord): Promise<ScheduleView> {
  const { workflow, version, isPaused, lastRunId, acts } = record;
  const { times, error } = await readTimes(engine, record);
  return {
    workflow,
    version,
    ...times,
    paused: isPaused,
    next: isPaused ? null : time(record.dueAtMs),
    lastFired: timeOrNull(record.lastFiredAtMs),
    lastRun: lastRunId === null ? null : displayRunId(lastRunId),
    lastSkipped: timeOrNull(record.lastSkippedAtMs),
    error: error ?? record.lastError,
    acts: acts.map(({ act, by, reason, atMs }) => ({ act, by, reason, at: time(atMs) })),
  };
}

/** Schedules of the highest versions, by workflow, at most `limit`. Transaction: none. */
export async function listSchedules(engine: Engine, limit: number): Promise<readonly ScheduleView[]> {
  const records = await engine.store.schedules(engine.tenant, limit);
  return Promise.all(records.map((record) => scheduleView(engine, record)));
}

/**
 * Stops the schedule of a workflow, whatever version follows, or has it go on with its next instant from now: what came
 * while it was stopped is not made up for. Recorded with who and why.
 * @returns how it stands then.
 * @throws PAWL_SCHEDULE_NOT_FOUND. Transaction: the store's own.
 */
export async function orderSchedule(
  engine: Engine,
  workflow: string,
  given: Omit<ScheduleAct, 'atMs'>,
): Promise<ScheduleView> {
  const { act, by, reason } = given;
  for (const [what, value] of Object.entries({ workflow, by, reason })) refuseUnstorable(`the ${what}`, value);
  const { store, tenant } = engine;
  const version = await engine.versions.find(tenant, workflow, null);
  const schedule = scheduleOf(version);
  if (version !== null && schedule !== undefined) {
    const of = { ...scheduleAddress(tenant, workflow, store.parts), version: version.stored.version };
    const goesOn = { act: 'resume', by, reason, dueAtMs: cronTimes(schedule).next(await store.nowMs()) } as const;
    const isThere = await store.orderSchedule(of, act === 'pause' ? { act, by, reason } : goesOn);
    const [record] = isThere ? await store.schedules(tenant, 1, workflow) : [];
    if (record !== undefined) return scheduleView(engine, record);
  }
  throw new NotFoundError('PAWL_SCHEDULE_NOT_FOUND', `${workflow} has no schedule`, { workflow });
}
