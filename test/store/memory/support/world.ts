import { sha256 } from '../../../../src/model/hash.ts';
import type { RunId, WorkerId } from '../../../../src/model/ids.ts';
import type { Dump, RunDump } from '../../../../src/store/memory/dump.ts';
import { openMemoryStore, type MemoryStore } from '../../../../src/store/memory/memory-store.ts';
import { inOrder } from '../../../../src/store/memory/row.ts';
import { PARTS, type RawRows } from './pinned-postgres.ts';

/** The lease of both stores, milliseconds. */
export const LEASE_MS = 1_000;

/** One sequence's world: the store in memory, whose rows the next command is made from. */
export interface World {
  readonly part: number;
  readonly tenant: string;
  readonly workers: readonly [WorkerId, ...WorkerId[]];
  readonly store: MemoryStore;
  nowMs: number;
  newRunId(): RunId;
  dump(): Dump;
}

/** A world of its own for the sequence of this number. */
export function createWorld(number: number): World {
  const part = number % PARTS;
  const tenant = `t${number}`;
  let made = 0;
  const world: World = {
    part,
    tenant,
    workers: ['w0', 'w1', 'w2', 'w3', 'w4'] as unknown as World['workers'],
    store: openMemoryStore({ clock: { nowMs: () => world.nowMs }, parts: PARTS, leaseMs: LEASE_MS }),
    nowMs: 1_800_000_000_000,
    newRunId: () => {
      made += 1;
      // The order of ids says nothing of the order of starts.
      const bits = sha256(`${number}/${made}`);
      return `${bits.slice(0, 8)}-0000-7${part.toString(16).padStart(3, '0')}-8000-${bits.slice(8, 20)}` as RunId;
    },
    dump: () => world.store.dump(),
  };
  return world;
}

/** Free runs whose wake-up is due at an instant. */
export function dueRuns(
  { runs }: Dump,
  atMs: number,
): (RunDump & { readonly wakeUp: NonNullable<RunDump['wakeUp']> })[] {
  return runs.flatMap((run) => {
    const { wakeUp } = run;
    return wakeUp !== null && run.lease === null && wakeUp.dueAtMs <= atMs ? [{ ...run, wakeUp }] : [];
  });
}

/** Whether two of some instants are one: then PostgreSQL may take either first. */
export function hasTies(instants: readonly number[]): boolean {
  return new Set(instants).size < instants.length;
}

/** The rows of the store in memory as `rawRows` tells them of PostgreSQL. */
export function rawRowsOf({ runs, seats, startKeys }: Dump): RawRows {
  const each = <R extends object>(rows: (run: RunDump) => readonly R[]): unknown[] =>
    runs.flatMap((run) => rows(run).map((row) => ({ run_id: run.run.runId, ...row })));
  const text = (value: unknown): string => JSON.stringify(value);
  return {
    ready: each(({ wakeUp }) => (wakeUp === null ? [] : [{ due: wakeUp.dueAtMs, wake: wakeUp.wake }])),
    lease: each(({ head: { fence, suspect }, lease }) =>
      lease === null ? [] : [{ worker: lease.workerId, fence, suspect, claimed: lease.claimedAtMs }],
    ),
    run_head: each(({ head: { revision, fence, phase, needs, crashes, suspect }, lease }) => [
      { revision, fence, owner: lease?.workerId ?? null, phase, needs: text(needs), crashes, suspect },
    ]),
    seat: seats.map(({ workerId, leaseUntilMs, visitor, crashed }) => ({
      worker: workerId,
      until: leaseUntilMs,
      visitor,
      crashed,
    })),
    start_key: startKeys.map(({ workflow, key, requestHash, runId, startNumber }) => ({
      workflow,
      key,
      hash: requestHash,
      run_id: runId,
      number: startNumber,
    })),
    journal: each(({ journal }) =>
      journal.map(({ revision, event, delta, commands, fence, workerId }) => ({
        revision,
        event_id: event.id,
        detail: text(event.detail),
        delta: text(delta),
        commands: text(commands),
        fence,
        worker: workerId,
      })),
    ),
    receipt: each(({ receipts }) =>
      receipts.map(({ receiptNo, evidence, resultBase64 }) => ({
        no: receiptNo,
        evidence: text(evidence),
        result: resultBase64,
      })),
    ),
    observation: each(({ observations }) =>
      inOrder(observations, (row) => [row.sourceId, row.source]).map(({ sourceId, source, detail, observedAtMs }) => ({
        source_id: sourceId,
        source,
        detail: text(detail),
        at: observedAtMs,
      })),
    ),
    audit: each(({ audit }) => audit.map(({ act, detail }, index) => ({ no: index + 1, act, detail: text(detail) }))),
    inbox: each(({ inbox }) =>
      inOrder(inbox, (row) => [row.source, row.eventId]).map((row) => ({
        source: row.source,
        event: row.eventId,
        payload: text(row.payload),
        detail: text(row.detail),
        outcome: row.outcome,
        revision: row.consumedRevision,
      })),
    ),
  };
}
