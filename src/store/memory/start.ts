import { InvariantError, invariant, PawlError } from '../../model/errors.ts';
import type { RunStatus } from '../../model/statuses.ts';
import type { StartAnswer, StartRequest } from '../../ports/store.ts';
import type { WorkerId } from '../../model/ids.ts';
import { toldEffects } from '../../model/run-change.ts';
import { writeChange } from './changes.ts';
import { offersAfter } from './queues.ts';
import { textOf, withNew } from './row.ts';
import {
  approvalRow,
  auditRow,
  effectRow,
  headRow,
  identityRow,
  journalRow,
  messageRow,
  receiptRow,
  timerRow,
} from './run-rows.ts';
import { keyOf, type RunRows, seatLives, type StartKey, type Statement, type WakeUp } from './tables.ts';

/** Ends after which `again: afterFailure` frees a key for the next start number. */
const FREES_KEY: readonly RunStatus[] = ['FAILED', 'COMPENSATED', 'CANCELLED'];

function startKeyOf(part: number, { run, requestHash }: StartRequest): StartKey {
  const { tenant, workflow, key, runId, startNumber } = run;
  return { part, tenant, workflow, key: textOf(key), requestHash, runId, startNumber };
}

/** Whose key it is once this start has asked for it: as it was, unless it was free. */
function keyFor(statement: Statement, asked: StartKey): StartKey {
  const stored = statement.startKeys.get(addressOf(asked));
  if (stored === undefined) return asked;
  const status = statement.runs.get(stored.runId)?.head.status;
  const frees = status !== undefined && FREES_KEY.includes(status);
  return frees && asked.startNumber === stored.startNumber + 1 ? asked : stored;
}

function addressOf({ part, tenant, workflow, key }: StartKey): string {
  return keyOf(part, tenant, workflow, key);
}

/** A run that is born free waits for its time; one whose starter lost the seat is ready at once. */
function firstWakeUp(nowMs: number, lease: StartRequest['lease'], owner: WorkerId | null): WakeUp | null {
  if (owner !== null) return null;
  const dueAtMs = lease.kind === 'keep' ? nowMs : lease.readyAtMs;
  return dueAtMs === null ? null : { dueAtMs, wake: 1 };
}

function rowsOf(statement: Statement, part: number, start: StartRequest): RunRows {
  const { nowMs } = statement;
  const { run, lease, transitions } = start;
  const starter = lease.kind === 'keep' ? lease.workerId : null;
  const fence = starter === null ? 0 : 1;
  const owner = starter !== null && seatLives(statement, part, starter) ? starter : null;
  const worker = starter ?? ('start' as WorkerId);
  const revision = transitions.at(-1)?.revision ?? 0;
  return {
    run: identityRow(part, run),
    head: { ...headRow(start.head), revision, fence, crashes: 0, suspect: false, prunedAtMs: null },
    lease: owner === null ? null : { workerId: owner, claimedAtMs: nowMs },
    wakeUp: firstWakeUp(nowMs, lease, owner),
    journal: withNew(
      'journal',
      new Map(),
      transitions.map((transition) => journalRow(transition, fence, worker)),
    ),
    effects: withNew(
      'effect',
      new Map(),
      start.effects.map(({ effect }) => effectRow(effect)),
    ),
    receipts: withNew('receipt', new Map(), start.receipts.map(receiptRow)),
    timers: withNew('timer', new Map(), start.timers.map(timerRow)),
    approvals: withNew('approval', new Map(), start.approvals.map(approvalRow)),
    votes: new Map(),
    inbox: new Map(),
    observations: new Map(),
    audit: start.audit.map(auditRow),
    outbox: new Map(start.outbox.map((message) => messageRow(message, nowMs))),
    offers: offersAfter({ offers: new Map() }, start.offers),
  };
}

function startOne(statement: Statement, part: number, start: StartRequest): StartAnswer {
  const { runId, key, startNumber } = start.run;
  invariant(start.again === 'afterFailure' || startNumber === 1, 'only again: afterFailure raises the start number', {
    runId,
  });
  const asked = key === runId ? null : startKeyOf(part, start);
  const row = asked === null ? { runId, requestHash: start.requestHash } : keyFor(statement, asked);
  const created = row.runId === runId;
  const rows = created && !statement.runs.has(runId) ? rowsOf(statement, part, start) : null;
  // From here on nothing can be refused any more: all of it is stored, or none.
  if (row === asked) statement.startKeys.set(addressOf(asked), asked);
  if (rows !== null) {
    statement.runs.set(runId, rows);
    writeChange(statement, rows, toldEffects(start.effects));
  }
  return {
    refused: null,
    runId: row.runId,
    created,
    same: row.requestHash === start.requestHash,
    requestHash: row.requestHash,
    atMs: statement.nowMs,
  };
}

/** Starts runs, each idempotent by key and run id; one that cannot be stored is refused, and touches no other (P02). */
export function startRuns(statement: Statement, part: number, starts: readonly StartRequest[]): StartAnswer[] {
  return starts.map((start) => {
    try {
      return startOne(statement, part, start);
    } catch (error) {
      if (!(error instanceof PawlError) || error instanceof InvariantError) throw error;
      const { run, requestHash } = start;
      return { refused: error, runId: run.runId, created: false, same: false, requestHash, atMs: statement.nowMs };
    }
  });
}
