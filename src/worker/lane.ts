import { createDatabaseClock, type DatabaseClock } from '../engine/database-clock.ts';
import type { Door } from '../engine/door.ts';
import type { Engine } from '../engine/engine.ts';
import { forgetChanges } from '../engine/forget-changes.ts';
import type { HeldRun, HoldingStart } from '../engine/held-run.ts';
import type { Outlet } from '../engine/outlet.ts';
import { openClaim } from '../engine/open-claim.ts';
import { releaseCommit } from '../engine/park-run.ts';
import { createOverdueAlarm } from '../engine/watch-overdue.ts';
import { pruneRuns } from '../engine/prune-runs.ts';
import { relayMessages } from '../engine/relay-messages.ts';
import { sweepLocks } from '../engine/sweep-locks.ts';
import { accepted, startRuns } from '../engine/start-runs.ts';
import type { RunId, WorkerId } from '../model/ids.ts';
import { HINT_WITHIN_MS } from '../model/numbers.ts';
import type { ClaimedRun, StartAnswer, StartRequest } from '../ports/store.ts';
import type { Alone } from './alone.ts';
import { createBatcher } from './batcher.ts';
import { startLoop, type Loop } from './loop.ts';
import { createSeat } from './seat.ts';
import { beginTenure, type Tenure } from './tenure.ts';

/** Most runs of one claim. */
const CLAIM_RUNS_MAX = 50;
/** Most timers and leases of one statement. */
const FIRE_TIMERS_MAX = 200;
const SWEEP_LEASES_MAX = 100;
/** The holder looks into the inboxes of its runs at least this often (W02), milliseconds. */
const DRAIN_MS = 100;
/** Bounds of the wait between two looks at what is due, milliseconds. */
const POLL_MS_MIN = 20;
const POLL_MS_MAX = 250;
/** What is left of a stopping worker's grace for writing down how the last attempts ended. */
const LAST_WORDS_MS = 1_000;
/** How long a suspect that found busy hands waits before it is offered again, milliseconds. */
const SUSPECT_AGAIN_MS = 500;
/** Between two walks through the runs whose time may be over: so many leases, a minute with the usual one. */
const PRUNE_LEASES = 2;
/** A loop that has nothing to do until it is rung. */
const UNTIL_RUNG_MS = 60_000;

/** A worker's place in one part: it claims, holds, drains, fires and sweeps there. */
export interface Lane extends Door {
  /** Runs held now. */
  heldCount(): number;
  /** The database has been set back (P14): what is held was decided on what it has forgotten, and is dropped with the seat. */
  forsake(): void;
  /** SIGTERM: claims nothing more, finishes or releases within the grace, leaves its seat (P05). */
  stop(graceMs: number): Promise<void>;
}

/** What the lanes of one process share. */
export interface LaneCompany {
  readonly alone: Alone;
  /** Asked before anything is sent. */
  readonly outlet: Outlet;
  /** Looks whether the database is still the one it was (P14). */
  look(): Promise<void>;
  /** Wakes what was kept back for pauses that have ended. */
  tend(): Promise<void>;
  /** Whether hints come through now. */
  hears(): boolean;
}

interface LaneStart extends LaneCompany {
  readonly workerId: WorkerId;
  readonly takenAtMs: number;
  readonly nowMs: number;
}

/** The state and the rounds of a lane; `openLane` wires them to loops. */
class PartLane implements Lane {
  readonly part: number;
  private readonly engine: Engine;
  private readonly alone: Alone;
  private readonly company: LaneCompany;
  private readonly time: DatabaseClock;
  private readonly alarm;
  private readonly starts;
  private tenure: Tenure;
  /** Names of lost seats that are still to be left: this process lives, whatever was thought when they expired (P06). */
  private readonly outlived = new Set<WorkerId>();
  private stopping = false;
  private pollMs = POLL_MS_MIN;
  private loops: {
    readonly drive: Loop;
    readonly drain: Loop;
    readonly beat: Loop;
    readonly sweep: Loop;
    readonly relay: Loop;
    readonly prune: Loop;
  } | null = null;
  /** After which run pruning goes on; null = from the first, undefined = this process has just begun and has other things to do. */
  private prunedTo: RunId | null | undefined = undefined;
  private emptied: () => void = () => undefined;

  constructor(engine: Engine, part: number, first: LaneStart) {
    this.engine = engine;
    this.part = part;
    this.alone = first.alone;
    this.company = first;
    this.alarm = createOverdueAlarm(engine, part);
    this.time = createDatabaseClock(engine.clock, first.nowMs);
    this.tenure = this.begin(first.workerId, first.takenAtMs);
    this.starts = createBatcher<StartRequest, StartAnswer>({
      clock: engine.clock,
      identityOf: ({ run }) => `${run.workflow} ${run.key}`,
      send: (requests) => startRuns(engine, part, requests),
    });
  }

  run(): void {
    const { clock, logger, numbers } = this.engine;
    const loop = (name: string, round: () => Promise<number>): Loop =>
      startLoop({ name: `${name}:${this.part}`, clock, logger, round });
    this.loops = {
      drive: loop('drive', () => this.driveRound()),
      drain: loop('drain', () => this.drainRound()),
      beat: loop('beat', () => this.beatRound()),
      relay: loop('relay', () => this.relayRound()),
      prune: loop('prune', () => this.pruneRound()),
      sweep: loop('sweep', async () => ((await this.sweepRound()) ? POLL_MS_MIN : numbers.heartbeatMs)),
    };
  }

  heldCount(): number {
    return this.tenure.held.size;
  }

  workerId(): WorkerId {
    return this.tenure.seat.workerId;
  }

  keepsStarts(): boolean {
    return (
      !this.stopping &&
      this.tenure.seat.lives() &&
      this.alone.mayClaim() &&
      this.heldCount() + this.starts.size() < this.engine.numbers.heldRunsMax
    );
  }

  nowMs(): Promise<number> {
    return Promise.resolve(this.time.nowMs());
  }

  async start(request: StartRequest): Promise<StartAnswer> {
    const answer = accepted(await this.starts.submit(request));
    if (request.outbox.length > 0) this.loops?.relay.ring();
    return answer;
  }

  hold: Door['hold'] = (start, owner) => {
    // A start under a seat that was lost meanwhile: its lease is swept, whoever claims the run goes on.
    if (owner !== this.workerId() || !this.tenure.seat.lives()) return;
    this.tenure.hold(start);
    this.loops?.drain.ring();
  };

  async admit(claimed: ClaimedRun): Promise<void> {
    const run = await this.take(claimed);
    await run?.decided;
  }

  nudge(): void {
    this.loops?.drain.ring();
    this.loops?.drive.ring();
  }

  doubt(): Promise<void> {
    // The heartbeat disowns whatever this lane does not hold.
    return Promise.resolve();
  }

  forsake(): void {
    this.tenure.end();
    this.loops?.beat.ring();
  }

  async stop(graceMs: number): Promise<void> {
    const { clock } = this.engine;
    this.stopping = true;
    this.tenure.windDown();
    await Promise.all([
      this.loops?.drive.stop(),
      this.loops?.sweep.stop(),
      this.loops?.relay.stop(),
      this.loops?.prune.stop(),
    ]);
    await this.untilEmpty(Math.max(0, graceMs - LAST_WORDS_MS));
    if (this.heldCount() > 0) this.tenure.abortSends();
    await this.untilEmpty(LAST_WORDS_MS);
    await Promise.all([this.loops?.drain.stop(), this.loops?.beat.stop()]);
    this.outlived.add(this.workerId());
    this.tenure.end();
    await this.leaveOutlived();
    await clock.sleep(0);
  }

  private async leaveOutlived(): Promise<void> {
    for (const workerId of this.outlived) {
      await this.engine.store.leaveSeat(this.part, workerId);
      this.outlived.delete(workerId);
    }
  }

  private begin(workerId: WorkerId, takenAtMs: number): Tenure {
    const { engine, part, time } = this;
    return beginTenure({
      engine,
      part,
      time,
      seat: createSeat(workerId, takenAtMs, engine.clock, engine.numbers),
      outlet: this.company.outlet,
      committed: () => this.loops?.drain.ring(),
      written: () => this.loops?.relay.ring(),
      left: () => {
        if (this.tenure.held.size === 0) this.emptied();
        this.loops?.drive.ring();
      },
    });
  }

  /** Waits until nothing is held here, at most `ms`. */
  private async untilEmpty(ms: number): Promise<void> {
    if (this.heldCount() === 0) return;
    const over = new AbortController();
    this.emptied = () => over.abort();
    if (this.heldCount() > 0) await this.engine.clock.sleep(ms, over.signal);
    this.emptied = () => undefined;
  }

  private async take(claimed: ClaimedRun): Promise<HeldRun | null> {
    const { tenure } = this;
    this.time.hear(claimed.nowMs);
    const opened = await openClaim(this.engine, claimed);
    if (opened.kind === 'aside') {
      this.engine.logger.error({ runId: claimed.run.run.runId, why: opened.why, field: opened.field }, 'run.set-aside');
      await tenure.commit(opened.park);
      return null;
    }
    if (opened.kind === 'pruned') {
      const { runId } = claimed.run.run;
      this.engine.logger.warn({ runId, count: opened.file.inbox.length }, 'run.late');
      await tenure.commit(opened.file);
      return null;
    }
    if (!tenure.seat.lives()) return null;
    return claimed.suspect ? this.holdSuspect(claimed, opened.start) : tenure.hold(opened.start);
  }

  /** A suspect is held while these hands are empty in every part, or given back for a while (P06). */
  private async holdSuspect(claimed: ClaimedRun, start: HoldingStart): Promise<HeldRun | null> {
    const { tenure, alone } = this;
    const { runId } = claimed.run.run;
    if (!alone.admit()) {
      await tenure.commit(releaseCommit(claimed.run, null, claimed.nowMs + SUSPECT_AGAIN_MS));
      return null;
    }
    this.engine.logger.warn({ runId, crashes: claimed.run.crashes }, 'run.suspect');
    const run = tenure.hold(start);
    void run.proven.then(() => alone.release());
    return run;
  }

  private async claimRound(): Promise<number> {
    const room = this.engine.numbers.heldRunsMax - this.heldCount();
    if (room <= 0 || this.stopping || !this.tenure.seat.lives() || !this.alone.mayClaim()) return 0;
    const claims = await this.engine.store.claim(this.part, this.workerId(), Math.min(room, CLAIM_RUNS_MAX));
    for (const claimed of claims) await this.take(claimed);
    if (claims.length > 0) this.loops?.drain.ring();
    return claims.length;
  }

  /** Looks at what is due; claims it, fires it. @returns the pause, milliseconds. */
  private async driveRound(): Promise<number> {
    const { store } = this.engine;
    const due = await store.nextDueMs(this.part);
    this.time.hear(due.nowMs);
    const untilDueMs = (due.dueAtMs ?? Number.POSITIVE_INFINITY) - due.nowMs;
    if (untilDueMs > 0) {
      this.pollMs = Math.min(this.pollMs * 2, this.company.hears() ? HINT_WITHIN_MS : POLL_MS_MAX);
      return Math.min(untilDueMs, this.pollMs);
    }
    const fired = await store.fireTimers(this.part, FIRE_TIMERS_MAX);
    const claimed = await this.claimRound();
    this.pollMs = fired + claimed > 0 ? POLL_MS_MIN : Math.min(this.pollMs * 2, POLL_MS_MAX);
    return fired + claimed > 0 ? 0 : this.pollMs;
  }

  private async drainRound(): Promise<number> {
    const { tenure } = this;
    if (tenure.held.size === 0) return UNTIL_RUNG_MS;
    for (const row of await this.engine.store.drain(this.part, tenure.seat.workerId)) {
      tenure.held.get(row.runId)?.drained(row.inbox, row.wake);
    }
    return DRAIN_MS;
  }

  /** Sends what is in the outbox; a message of this process has rung, those of others wait a heartbeat at most. */
  private async relayRound(): Promise<number> {
    const { tenure } = this;
    if (!tenure.seat.lives()) return this.engine.numbers.heartbeatMs;
    const desk = {
      part: this.part,
      signal: tenure.seat.signal,
      nowMs: () => this.time.nowMs(),
      nudge: () => this.nudge(),
    };
    return (await relayMessages(this.engine, desk)) > 0 ? 0 : this.engine.numbers.heartbeatMs;
  }

  /** Looks at one page of runs whose time may be over, and rests; after the last page for longer. */
  private async pruneRound(): Promise<number> {
    const { numbers } = this.engine;
    const restMs = numbers.leaseMs * PRUNE_LEASES;
    if (this.prunedTo === undefined) {
      this.prunedTo = null;
      return restMs;
    }
    if (!this.tenure.seat.lives()) return numbers.heartbeatMs;
    this.prunedTo = (await pruneRuns(this.engine, this.part, this.prunedTo, null)).next;
    if (this.prunedTo !== null) return POLL_MS_MAX;
    await forgetChanges(this.engine, this.part);
    return restMs;
  }

  private async sweepRound(): Promise<boolean> {
    await this.alarm.look();
    if (this.part === 0) await this.company.tend();
    await sweepLocks(this.engine, this.part);
    const swept = await this.engine.store.sweep(this.part, SWEEP_LEASES_MAX);
    if (swept.length === 0) return false;
    this.engine.logger.warn({ part: this.part, count: swept.length }, 'lease.swept');
    this.loops?.drive.ring();
    return true;
  }

  /** Renews the seat and disowns what it does not hold (P16); a lost seat ends the tenure and begins another (P03). */
  private async beatRound(): Promise<number> {
    const { store, clock, numbers } = this.engine;
    const { tenure } = this;
    const { workerId } = tenure.seat;
    const askedAtMs = clock.monotonicMs();
    if (this.part === 0) await this.company.look();
    const renewed = tenure.seat.signal.aborted ? null : await store.beat(this.part, workerId, numbers.leaseMs);
    if (renewed === null) {
      await this.loseSeat();
      return 0;
    }
    tenure.seat.extend(askedAtMs);
    await this.leaveOutlived();
    tenure.dropIdle();
    await store.disown(this.part, workerId, [...tenure.held.keys()], numbers.statementTimeoutMs);
    return numbers.heartbeatMs;
  }

  private async loseSeat(): Promise<void> {
    const { engine, tenure } = this;
    engine.logger.error({ part: this.part, workerId: tenure.seat.workerId, held: tenure.held.size }, 'seat.lost');
    tenure.end();
    this.outlived.add(tenure.seat.workerId);
    const workerId = engine.ids.newWorkerId();
    const takenAtMs = engine.clock.monotonicMs();
    await engine.store.takeSeat(this.part, workerId, engine.numbers.leaseMs);
    this.tenure = this.begin(workerId, takenAtMs);
  }
}

/** Takes a seat in a part and begins to work there. Transaction: the store's own. */
export async function openLane(engine: Engine, part: number, company: LaneCompany): Promise<Lane> {
  const workerId = engine.ids.newWorkerId();
  const nowMs = await engine.store.nowMs();
  const takenAtMs = engine.clock.monotonicMs();
  await engine.store.takeSeat(part, workerId, engine.numbers.leaseMs);
  const lane = new PartLane(engine, part, { workerId, takenAtMs, nowMs, ...company });
  lane.run();
  return lane;
}
