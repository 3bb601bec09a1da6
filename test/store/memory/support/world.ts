import { sha256 } from '../../../../src/model/hash.ts';
import type { RunId, WorkerId } from '../../../../src/model/ids.ts';
import type { Dump, RunDump } from '../../../../src/store/memory/dump.ts';
import { openMemoryStore, type MemoryStore } from '../../../../src/store/memory/memory-store.ts';
import { inOrder } from '../../../../src/store/memory/row.ts';
import { PARTS, type HiddenRows } from './pinned-postgres.ts';

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
    workers: ['w0', 'w1', 'w2'] as unknown as World['workers'],
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

function orNull<T>(rows: readonly T[]): readonly T[] | null {
  return rows.length === 0 ? null : rows;
}

/** The rows of the store in memory that `hiddenRows` tells of PostgreSQL. */
export function hiddenRowsOf({ runs, seats, startKeys }: Dump): HiddenRows {
  return {
    ready: orNull(
      runs.flatMap(({ run, wakeUp }) =>
        wakeUp === null ? [] : [{ run_id: run.runId, due: wakeUp.dueAtMs, wake: wakeUp.wake }],
      ),
    ),
    lease: orNull(
      runs.flatMap(({ run, head, lease }) =>
        lease === null
          ? []
          : [
              {
                run_id: run.runId,
                worker: lease.workerId,
                fence: head.fence,
                suspect: head.suspect,
                claimed: lease.claimedAtMs,
              },
            ],
      ),
    ),
    head: orNull(
      runs.map(({ run, head, lease }) => ({
        run_id: run.runId,
        revision: head.revision,
        fence: head.fence,
        owner: lease?.workerId ?? null,
        phase: head.phase,
        needs: JSON.stringify(head.needs),
        crashes: head.crashes,
        suspect: head.suspect,
      })),
    ),
    seat: orNull(seats.map(({ workerId, leaseUntilMs }) => ({ worker: workerId, until: leaseUntilMs }))),
    start_key: orNull(
      startKeys.map(({ workflow, key, requestHash, runId, startNumber }) => ({
        workflow,
        key,
        hash: requestHash,
        run_id: runId,
        number: startNumber,
      })),
    ),
    consumed: orNull(
      runs.flatMap(({ run, inbox }) =>
        inOrder(
          inbox.filter((row) => row.consumed),
          (row) => [row.source, row.eventId],
        ).map((row) => ({ run_id: run.runId, source: row.source, event: row.eventId, revision: row.consumedRevision })),
      ),
    ),
  };
}
