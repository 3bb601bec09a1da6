import { isZone } from '../definition/expression/calendar.ts';
import { caught } from '../model/caught.ts';
import { invariant, PawlError } from '../model/errors.ts';
import type { RunId } from '../model/ids.ts';
import { type DueSchedule, type Firing, instantKey } from '../model/schedule.ts';
import { partOf } from '../model/virtual-shard.ts';
import type { Door } from './door.ts';
import type { Engine } from './engine.ts';
import { planFiring } from './plan-firing.ts';
import { type StartAsk, startRun } from './start-run.ts';

/** Schedules taken at once; each has one instant started, so that one with many missed ones keeps nobody waiting. */
const SCHEDULES_MAX = 20;
/** Who starts the runs of schedules. */
const STARTER = 'schedule';

type DoorOf = (part: number) => Door;

/**
 * Starts what schedules of a part say is due. The instant is taken first: who comes second gets nothing. Then its run is
 * started under the instant as its key, and only then the schedule moves on: whoever dies in between leaves the
 * instant due, and who takes it when the claim is over finds the run by its key.
 * Transaction: one for the claims, the start's, one per schedule.
 * @returns how long nothing is to be done here, milliseconds.
 */
export async function fireSchedules(engine: Engine, doorOf: DoorOf, part: number): Promise<number> {
  const { store, numbers, tenant } = engine;
  const ask = { tenant, limit: SCHEDULES_MAX, forMs: numbers.leaseMs };
  const { due, nextAtMs, nowMs } = await store.claimSchedules(part, ask);
  const fired = await Promise.allSettled(due.map((one) => fireOne(engine, doorOf, one)));
  for (const one of fired) if (one.status === 'rejected') throw one.reason;
  if (due.length > 0) return 0;
  return Math.min(numbers.heartbeatMs, (nextAtMs ?? Number.POSITIVE_INFINITY) - nowMs);
}

async function fireOne(engine: Engine, doorOf: DoorOf, due: DueSchedule): Promise<void> {
  const firing = await decideFiring(engine, doorOf, due);
  const { workflow } = due.address;
  const { version } = due;
  const facts = { workflow, version, ...firing };
  if (firing.kind === 'failed') engine.logger.error(facts, 'schedule.failed');
  else if (firing.kind === 'fired') engine.logger.info(facts, 'schedule.fired');
  else if (firing.kind === 'skipped') engine.logger.warn(facts, 'schedule.skipped');
  else engine.logger.warn(facts, 'schedule.passed');
  await engine.store.settleSchedule(due, firing);
}

/** What cannot be done for good is noted with the schedule, and the others go on. @throws what may go better later. */
async function decideFiring(engine: Engine, doorOf: DoorOf, due: DueSchedule): Promise<Firing> {
  try {
    return await tryFiring(engine, doorOf, due);
  } catch (error) {
    const { retry, message } = caught(error, PawlError);
    if (retry !== 'never') throw error;
    return { kind: 'failed', error: message };
  }
}

async function tryFiring(engine: Engine, doorOf: DoorOf, due: DueSchedule): Promise<Firing> {
  const { workflow } = due.address;
  const version = await engine.versions.find(engine.tenant, workflow, due.version);
  invariant(version !== null, 'a schedule without its version', { workflow, version: due.version });
  const { schedule, constants } = version.compiled.machine.definition;
  invariant(schedule !== undefined, 'a schedule whose version has none', { workflow, version: due.version });
  const { timezone } = schedule;
  // It was known where the version was published; time zones come with the runtime.
  if (!isZone(timezone))
    return { kind: 'failed', error: `this worker knows no time zone "${timezone}": run it on a newer Node.js` };
  const { fireAtMs, nextAtMs } = planFiring(schedule, due, engine.numbers.leaseMs);
  if (fireAtMs === null) return { kind: 'passed', nextAtMs };
  if (schedule.overlap === 'skip' && (await isUnfinished(engine, due.lastRunId)))
    return { kind: 'skipped', atMs: fireAtMs, nextAtMs };
  const input = version.compiled.evaluator.render(schedule.input, { kind: 'flow' }, { constants });
  const ask = { workflow, version: due.version, input, by: STARTER, key: instantKey(fireAtMs) };
  return { kind: 'fired', atMs: fireAtMs, runId: await startOnce(engine, doorOf, ask), nextAtMs };
}

/** The run of an instant, started now or before. */
async function startOnce(engine: Engine, doorOf: DoorOf, ask: StartAsk): Promise<RunId> {
  try {
    return (await startRun(engine, doorOf, ask)).run.runId;
  } catch (error) {
    // A lower version has started this instant with its own input: it has its run.
    const { code, details } = caught(error, PawlError);
    if (code === 'PAWL_RUN_KEY_CONFLICT') return details['runId'] as RunId;
    throw error;
  }
}

async function isUnfinished({ store }: Engine, runId: RunId | null): Promise<boolean> {
  if (runId === null) return false;
  const [head] = await store.heads(partOf(runId, store.parts), [runId]);
  return head !== undefined && head.endedAtMs === null;
}
