import type { RunId, WorkerId } from '../model/ids.ts';
import type { RunCommit } from '../model/run-commit.ts';
import type { ClaimedRun, DrainedRun, StartRequest } from '../ports/store.ts';
import { commitAlone } from './commit-runs.ts';
import type { Desk } from './desk.ts';
import type { Door } from './door.ts';
import { invariant, InvariantError, StoreError, UnknownOutcomeError } from '../model/errors.ts';
import type { Engine } from './engine.ts';
import { createDatabaseClock } from './database-clock.ts';
import { type HeldRun, holdRun } from './held-run.ts';
import type { Outlet } from './outlet.ts';
import { openClaim } from './open-claim.ts';
import { releaseCommit } from './park-run.ts';
import { accepted, startRuns } from './start-runs.ts';

/** A visitor's seat has no heartbeat: it takes a new name when this share of the lease has passed. */
const SEAT_SHARE = 0.5;

const SENDS_NOTHING: Outlet = {
  ask: () => {
    throw new InvariantError('a visitor sends nothing');
  },
};

/** A door for a process without a worker in that part: it decides one run at a time, releases it and sends nothing (P17). */
export interface Visitor extends Door {
  /** Gives its seat back. */
  leave(): Promise<void>;
}

/**
 * No loop drains for a visitor: where a commit keeps the lease, what came in meanwhile is looked for at once (W02). A look that
 * fails takes nothing back of what was committed: the release finds a wake-up that it has not seen, and leaves it.
 */
async function drainAfter(
  { store, logger }: Engine,
  owner: WorkerId,
  commit: RunCommit,
): Promise<readonly DrainedRun[]> {
  const { part, runId, lease } = commit;
  if (lease.kind === 'release') return [];
  try {
    return (await store.drain(part, owner)).filter((row) => row.runId === runId);
  } catch (error) {
    if (!(error instanceof StoreError || error instanceof UnknownOutcomeError)) throw error;
    logger.warn({ runId, code: error.code }, 'run.unheard');
    return [];
  }
}

/**
 * @param part the part whose runs it decides.
 */
export function createVisitor(engine: Engine, part: number): Visitor {
  const { store, clock, logger, numbers } = engine;
  let workerId = engine.ids.newWorkerId();
  let namedAtMs = clock.monotonicMs();
  const names = new Set<WorkerId>();
  const admitted = new Set<RunId>();
  const forever = new AbortController().signal;

  const nameNow = (): WorkerId => {
    if (clock.monotonicMs() - namedAtMs > numbers.leaseMs * SEAT_SHARE) {
      workerId = engine.ids.newWorkerId();
      namedAtMs = clock.monotonicMs();
    }
    names.add(workerId);
    return workerId;
  };

  const deskFor = (claimed: ClaimedRun, owner: WorkerId, news: (row: DrainedRun) => void): Desk => {
    const time = createDatabaseClock(clock, claimed.nowMs);
    return {
      part,
      signal: forever,
      canSend: () => false,
      nowMs: () => time.nowMs(),
      gateFor: () => () => false,
      outlet: SENDS_NOTHING,
      left: () => undefined,
      commit: async (commit) => {
        const answer = await commitAlone({ store, part, workerId: owner, clock, logger, signal: forever }, commit);
        for (const row of await drainAfter(engine, owner, commit)) news(row);
        return answer;
      },
    };
  };

  const admit = async (claimed: ClaimedRun): Promise<void> => {
    const { runId } = claimed.run.run;
    admitted.add(runId);
    let held: HeldRun | null = null;
    try {
      const desk = deskFor(claimed, claimed.run.owner ?? workerId, (row) => held?.drained(row.inbox, row.wake));
      const opened = await openClaim(engine, claimed);
      if (opened.kind === 'hold') {
        held = holdRun(engine, desk, opened.start);
        await held.left;
      } else if (opened.kind === 'pruned') await desk.commit(opened.file);
      // A process that cannot decide only stores events: a worker parks the run, with the field named (P06, P07).
      else await desk.commit(releaseCommit(claimed.run, null, claimed.nowMs));
    } finally {
      admitted.delete(runId);
    }
  };

  return {
    part,
    workerId: nameNow,
    keepsStarts: () => false,
    nowMs: () => store.nowMs(),
    start: async (request: StartRequest) => {
      const [answer] = await startRuns(engine, part, [request]);
      invariant(answer !== undefined, 'a start was not answered', { runId: request.run.runId });
      return accepted(answer);
    },
    hold: () => {
      throw new InvariantError('a visitor keeps no runs', { part });
    },
    admit,
    nudge: () => undefined,
    doubt: async () => void (await store.disown(part, workerId, [...admitted], 0)),
    leave: async () => {
      for (const name of names) await store.leaveSeat(part, name);
      names.clear();
    },
  };
}
