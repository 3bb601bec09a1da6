import type { RunId } from '../model/ids.ts';
import { displayRunId } from '../model/run-id.ts';
import type { OverdueRun } from '../ports/store.ts';
import type { Engine } from './engine.ts';

/** Most overdue runs that one look names. */
export const OVERDUE_RUNS_MAX = 100;

/** Runs that should have moved for longer than a lease and that nobody holds, part by part (P05). Transaction: none. */
export async function overdueRuns(
  { store, numbers }: Engine,
  parts: readonly number[],
): Promise<readonly OverdueRun[]> {
  const lists = await Promise.all(parts.map((part) => store.overdue(part, numbers.leaseMs, OVERDUE_RUNS_MAX)));
  return lists.flat();
}

/** What any process can see of the others and of the database. */
export interface Pulse {
  /** Runs that nobody moves. */
  readonly overdue: number;
  /** Living workers. */
  readonly workers: number;
  /** Since when the database is in recovery mode (P14), RFC 3339 UTC; null = it is not. */
  readonly recoverySince: string | null;
}

/** Feels it. Transaction: the witness's own. */
export async function takePulse(engine: Engine): Promise<Pulse> {
  const { store } = engine;
  const parts = Array.from({ length: store.parts }, (_, part) => part);
  const [late, seats, nowMs, { recovery }] = await Promise.all([
    overdueRuns(engine, parts),
    store.workers(),
    store.nowMs(),
    store.witness('reader'),
  ]);
  const living = seats.filter(({ leaseUntilMs }) => leaseUntilMs > nowMs);
  return {
    overdue: late.length,
    workers: new Set(living.map(({ workerId }) => workerId)).size,
    recoverySince: recovery === null ? null : new Date(recovery.sinceMs).toISOString(),
  };
}

/** The alarm of one part: tells each overdue run once, until it has moved (P05). */
export function createOverdueAlarm(engine: Engine, part: number): { look(): Promise<void> } {
  let told: ReadonlySet<RunId> = new Set();
  return {
    look: async () => {
      const late = await overdueRuns(engine, [part]);
      for (const { runId, sinceMs } of late) {
        if (told.has(runId)) continue;
        const since = new Date(sinceMs).toISOString();
        engine.logger.error({ runId, run: displayRunId(runId), part, since }, 'run.overdue');
      }
      told = new Set(late.map(({ runId }) => runId));
    },
  };
}
