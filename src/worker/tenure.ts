import { commitRuns, type SettledAnswer } from '../engine/commit-runs.ts';
import type { DatabaseClock } from '../engine/database-clock.ts';
import type { Desk } from '../engine/desk.ts';
import type { Engine } from '../engine/engine.ts';
import { holdRun, type HeldRun, type HoldingStart } from '../engine/held-run.ts';
import type { Outlet } from '../engine/outlet.ts';
import { performStatement } from '../engine/perform-statement.ts';
import type { RunId } from '../model/ids.ts';
import type { RunCommit } from '../model/run-commit.ts';
import { createBatcher } from './batcher.ts';
import type { Seat } from './seat.ts';

/** How long a run may lie in a worker's hands with nothing to do before the worker lets go of it (P16). */
const IDLE_MS_MAX = 10_000;

/** One life of a seat with the runs held under it; it ends when the seat is lost or the worker stops. */
export interface Tenure {
  readonly seat: Seat;
  readonly held: ReadonlyMap<RunId, HeldRun>;
  hold(start: HoldingStart): HeldRun;
  commit(commit: RunCommit): Promise<SettledAnswer>;
  /** From now on nothing new is sent; what has nothing in flight is released. */
  windDown(): void;
  /** Sockets in flight are closed; their attempts settle as unknown, or unsent where no byte was written. */
  abortSends(): void;
  /** Lets go of runs that have been idle too long. */
  dropIdle(): void;
  /** The seat is lost: sockets close, every run is dropped, late results become observations. */
  end(): void;
}

/** What a tenure needs of its lane. */
export interface TenureOptions {
  readonly engine: Engine;
  readonly part: number;
  readonly seat: Seat;
  readonly time: DatabaseClock;
  /** Asked before anything is sent. */
  readonly outlet: Outlet;
  /** A batch was committed: there may be news in the inboxes of held runs (W02). */
  committed(): void;
  /** A message was written. */
  written(): void;
  /** A run has left. */
  left(): void;
}

/** Begins a tenure under a seat that was just taken. */
export function beginTenure(options: TenureOptions): Tenure {
  const { engine, part, seat, time } = options;
  const { store, clock, logger } = engine;
  const held = new Map<RunId, HeldRun>();
  let windingDown = false;

  const context = { store, part, workerId: seat.workerId, clock, logger, signal: seat.signal };

  const batcher = createBatcher<RunCommit, SettledAnswer>({
    clock,
    identityOf: (commit) => commit.runId,
    send: async (commits) => {
      const answers = await commitRuns(context, commits);
      for (const answer of answers) if (answer.kind === 'applied' && answer.atMs > 0) time.hear(answer.atMs);
      options.committed();
      if (commits.some(({ outbox }) => outbox.length > 0)) options.written();
      return answers;
    },
  });

  const act = store.act?.bind(store);
  /** Alone: a batch would wait for the statement, and its fault would be everybody's (E13). */
  const perform: Desk['perform'] =
    act === undefined
      ? undefined
      : async (ask, conclude) => {
          const answer = await performStatement(context, act, ask, conclude);
          options.committed();
          // Whether the commit that keeps it writes a message is not looked at: the relay finds out.
          if (answer.kind === 'applied') options.written();
          return answer;
        };

  const desk: Desk = {
    part,
    signal: seat.signal,
    canSend: () => !windingDown && seat.lives(),
    nowMs: () => time.nowMs(),
    gateFor: (decidedAtMs) => seat.gateFor(decidedAtMs),
    outlet: options.outlet,
    commit: (commit) => batcher.submit(commit),
    ...(perform === undefined ? {} : { perform }),
    left: (runId) => {
      held.delete(runId);
      options.left();
    },
  };

  return {
    seat,
    held,
    commit: (commit) => batcher.submit(commit),
    hold: (start) => {
      const run = holdRun(engine, desk, start);
      held.set(start.state.run.runId, run);
      return run;
    },
    windDown: () => {
      windingDown = true;
      for (const run of held.values()) run.nudge();
    },
    abortSends: () => {
      for (const run of held.values()) run.abortSends();
    },
    dropIdle: () => {
      for (const run of held.values()) {
        const sinceMs = run.idleSinceMs();
        if (sinceMs !== null && clock.monotonicMs() - sinceMs > IDLE_MS_MAX) run.abandon();
      }
    },
    end: () => {
      seat.end();
      for (const run of [...held.values()]) run.abandon();
      held.clear();
    },
  };
}
