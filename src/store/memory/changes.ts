import type { ChangePlace, RunChange, ToldEffect } from '../../model/run-change.ts';
import type { ChangePage } from '../../ports/change-store.ts';
import { type ChangeRow, type ChangeRows, runIn, type RunRows, type Statement } from './tables.ts';

/** What it is to begin with. */
export function noChanges(): ChangeRows {
  return { newest: null, next: 1, keptFrom: new Map() };
}

/** Writes down what has changed of a run. @param told null = nothing that anybody would see. */
export function writeChange({ changes, nowMs }: Statement, rows: RunRows, told: readonly ToldEffect[] | null): void {
  if (told === null) return;
  const { part, runId, tenant } = rows.run;
  const { revision, status } = rows.head;
  const position = changes.next;
  changes.newest = {
    position,
    part,
    tenant,
    runId,
    revision,
    status,
    effects: told,
    atMs: nowMs,
    before: changes.newest,
  };
  changes.next = position + 1;
}

/** Whether a change is behind a place. */
function isBehind({ position, runId }: ChangeRow, place: ChangePlace): boolean {
  return position > place.position || (position === place.position && runId > (place.runId ?? ''));
}

function changeOf(statement: Statement, { part, tenant: _tenant, before: _before, ...row }: ChangeRow): RunChange {
  const run = runIn(statement, part, row.runId)?.run;
  return { ...row, key: run?.key ?? '', workflow: run?.workflow ?? '', version: run?.version ?? 0 };
}

/** Changes of a tenant in a part behind a place, the oldest first. @param of.history of which database they are. */
export function changesIn(
  statement: Statement,
  of: { readonly tenant: string; readonly part: number; readonly history: string },
  after: ChangePlace | null,
  limit: number,
): ChangePage {
  const { newest, next: horizon, keptFrom } = statement.changes;
  const found: ChangeRow[] = [];
  for (let row = after === null ? null : newest; row !== null && isBehind(row, after as ChangePlace); row = row.before)
    if (row.part === of.part && row.tenant === of.tenant) found.push(row);
  const page = found.reverse().slice(0, limit);
  const last = page.length < limit ? undefined : page.at(-1);
  return {
    changes: page.map((row) => changeOf(statement, row)),
    next: last === undefined ? horizon : last.position + 1,
    horizon,
    keptFrom: keptFrom.get(of.part) ?? 0,
    history: of.history,
  };
}

/** Drops the oldest changes of a part, `limit` at most. @returns how many. */
export function forgetChanges({ changes, nowMs }: Statement, part: number, olderThanMs: number, limit: number): number {
  const kept: ChangeRow[] = [];
  for (let row = changes.newest; row !== null; row = row.before) kept.push(row);
  const oldest = kept.reverse();
  const gone = oldest
    .filter((row) => row.part === part)
    .slice(0, limit)
    .filter(({ atMs }) => atMs < nowMs - olderThanMs);
  const last = gone.at(-1);
  if (last === undefined) return 0;
  changes.keptFrom.set(part, last.position + 1);
  changes.newest = null;
  for (const row of oldest) if (!gone.includes(row)) changes.newest = { ...row, before: changes.newest };
  return gone.length;
}
