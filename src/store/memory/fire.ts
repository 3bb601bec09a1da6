import { hashJson } from '../../model/hash.ts';
import type { Timer } from '../../model/run.ts';
import type { Json } from '../../model/json.ts';
import type { InboxPayload } from '../../model/inbox-event.ts';
import { inOrder, withMissing } from './row.ts';
import { inboxRow } from './run-rows.ts';
import { keyOf, type RunRows, runsIn, type Statement } from './tables.ts';
import { wakeNow } from './wake-ups.ts';

/** Who vouches for the id of a timer's event. */
const SOURCE = 'timer';

function withFired(rows: RunRows, { name, generation, dueAtMs }: Timer, nowMs: number): RunRows {
  const eventId = `${name}#${generation}`;
  const payload: InboxPayload = { type: 'timer', name, generation, dueAtMs };
  const row = inboxRow({
    source: SOURCE,
    eventId,
    payload,
    payloadHash: hashJson(payload as unknown as Json),
    receivedAtMs: nowMs,
  });
  const timers = new Map(rows.timers);
  timers.delete(name);
  // A generation fires once: the row that is there wins.
  return { ...rows, timers, inbox: withMissing(rows.inbox, [[keyOf(SOURCE, eventId), row]]) };
}

/** Due timers become inbox rows with a wake-up (V06). @returns how many. @throws WaitsForDelivery */
export function fireTimers(statement: Statement, part: number, limit: number): number {
  const { runs, nowMs } = statement;
  const armed = runsIn(statement, part).flatMap((rows) =>
    [...rows.timers.values()].map((timer) => ({ before: rows, timer })),
  );
  const due = inOrder(
    armed.filter(({ timer }) => timer.dueAtMs <= nowMs),
    ({ before, timer }) => [timer.dueAtMs, before.run.runId, timer.name],
  ).slice(0, limit);
  for (const { before, timer } of due) {
    const { runId } = before.run;
    runs.set(runId, withFired(runs.get(runId) ?? before, timer, nowMs));
  }
  for (const before of new Set(due.map((fired) => fired.before))) {
    const rows = runs.get(before.run.runId) ?? before;
    if (rows.inbox.size > before.inbox.size) runs.set(before.run.runId, wakeNow(statement, rows));
  }
  return due.length;
}

/** The earliest due wake-up or timer of a part; null = none. */
export function nextDue(
  statement: Statement,
  part: number,
): { readonly dueAtMs: number | null; readonly nowMs: number } {
  const times = runsIn(statement, part).flatMap(({ wakeUp, timers }) => [
    ...(wakeUp === null ? [] : [wakeUp.dueAtMs]),
    ...[...timers.values()].map(({ dueAtMs }) => dueAtMs),
  ]);
  return { dueAtMs: times.length === 0 ? null : Math.min(...times), nowMs: statement.nowMs };
}
