import { type Pause, SEND_PAUSED } from '../../model/pause.ts';
import { noteAct } from './audit.ts';
import { inOrder, rowOf } from './row.ts';
import { keyOf, type Statement } from './tables.ts';
import { wakeNow } from './wake-ups.ts';

interface Act {
  readonly by: string;
  readonly reason: string | null;
}

function note(statement: Statement, pause: Omit<Pause, 'atMs'>, { by, reason }: Act, paused: boolean): void {
  const { tenant, kind, name } = pause;
  const detail = { before: { kind, name, paused: !paused }, after: { kind, name, paused } };
  const act = paused ? 'pause.begin' : 'pause.end';
  noteAct(statement, { tenant, actor: by, act, target: `${kind} ${name}`, reason, detail });
}

/** Nothing of something is sent. @returns false where it is paused already. */
export function beginPause(statement: Statement, pause: Omit<Pause, 'atMs'>): boolean {
  const { pauses, nowMs } = statement;
  const { tenant, kind, name, pauseId } = pause;
  const key = keyOf(tenant, kind, name);
  const isTaken = [...pauses.values()].some((known) => known.tenant === tenant && known.pauseId === pauseId);
  if (isTaken || pauses.has(key)) return false;
  pauses.set(key, rowOf({ ...pause, atMs: nowMs }));
  note(statement, pause, pause, true);
  return true;
}

/** Ends a pause and wakes what may have waited for it. @returns false where there is none. */
export function endPause(statement: Statement, of: Pick<Pause, 'tenant' | 'pauseId'>, act: Act): boolean {
  const { pauses } = statement;
  const found = [...pauses].find(([, { tenant, pauseId }]) => tenant === of.tenant && pauseId === of.pauseId);
  if (found === undefined) return false;
  const [key, pause] = found;
  pauses.delete(key);
  note(statement, pause, act, false);
  wakePaused(statement, of.tenant);
  return true;
}

/** Those of a tenant, or all; the oldest first. */
export function listPauses({ pauses }: Statement, tenant: string | null): readonly Pause[] {
  const found = [...pauses.values()].filter((row) => (tenant ?? row.tenant) === row.tenant);
  return inOrder(found, ({ atMs, pauseId }) => [atMs, pauseId]);
}

/** Wakes the runs of a tenant that have something that a pause has kept back. @throws WaitsForDelivery */
export function wakePaused(statement: Statement, tenant: string): void {
  for (const rows of [...statement.runs.values()]) {
    const { run, effects } = rows;
    const isKept = [...effects.values()].some(({ code, settledAtMs }) => code === SEND_PAUSED && settledAtMs === null);
    if (run.tenant === tenant && isKept) statement.runs.set(run.runId, wakeNow(statement, rows));
  }
}
