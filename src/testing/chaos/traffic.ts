import { setTimeout as pass } from 'node:timers/promises';
import { PawlError } from '../../model/errors.ts';
import { displayRunId } from '../../model/run-id.ts';
import { isEnd, RUN_STATUSES } from '../../model/statuses.ts';
import type { RunView } from '../../engine/run-view.ts';
import type { Random } from '../random.ts';
import { answerReviews } from '../truthful-operator.ts';
import type { ChaosHouse } from './chaos-house.ts';
import type { Figures } from './figures.ts';
import type { Payment } from './worker-news.ts';

/** Runs that were started, and the people around them. */
export interface Traffic {
  /** Starts a run, or finds the one that its key already names; asks until the database answers. */
  start(payment: Payment): Promise<void>;
  /** A run that was started elsewhere, and its key. */
  add(no: string, run: string): void;
  /** Whether the run of that key is known to be started. */
  knows(no: string): boolean;
  /** Runs that have not ended, as last seen. */
  openRuns(): number;
  /** Looks until every run has ended or waits for a person by name. @returns false when `withinMs` pass before. */
  untilQuiet(withinMs: number): Promise<boolean>;
  /** Every run as it is now. */
  readAll(): Promise<readonly RunView[]>;
  stop(): Promise<void>;
}

/** Where the runs are. */
export interface TrafficPlan {
  readonly house: Pick<ChaosHouse, 'app' | 'book' | 'wasDeclined'>;
  readonly random: Random;
  readonly figures: Figures;
  /** Workflows whose runs wait for people and senders. */
  readonly attended: ReadonlySet<string>;
}

const AGAIN_MS = 150;
const REVIEW_MS = 1_000;
/** More open runs than any play has. */
const OPEN_RUNS_MAX = 2_000;
/** Runs that are read at once when all is over. */
const READ_AT_ONCE = 8;
const OPEN_STATUSES = RUN_STATUSES.filter((status) => !isEnd(status));
const ANA = { principal: 'ana', roles: ['approver'] };

/** Asks until the database answers; what is refused for good is null. */
async function persist<T>(act: () => Promise<T>): Promise<T | null> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof PawlError)) throw error;
      if (error.retry === 'never') return null;
    }
    await pass(AGAIN_MS);
  }
}

/** The line of a run that is open, as a list of runs has it. */
type OpenLine = Awaited<ReturnType<ChaosHouse['app']['list']>>[number];

class RunningTraffic implements Traffic {
  private readonly plan: TrafficPlan;
  /** Ids by key. */
  private readonly runs = new Map<string, string>();
  /** Runs that may be open, and how each was last seen; null = not seen yet. */
  private readonly open = new Map<string, OpenLine | null>();
  private isOver = false;
  private readonly loops: readonly Promise<void>[];

  constructor(plan: TrafficPlan) {
    this.plan = plan;
    this.loops = [this.lookLoop(), this.reviewLoop()];
  }

  async start({ workflow, no }: Payment): Promise<void> {
    const ask = { workflow, version: 1, input: { no }, by: 'chaos' };
    const started = await persist(() => this.plan.house.app.start(ask));
    if (started !== null) this.add(no, displayRunId(started.run.runId));
  }

  add(no: string, run: string): void {
    if (this.knows(no)) return;
    this.runs.set(no, run);
    this.open.set(run, null);
    this.plan.figures.add('runs');
  }

  knows(no: string): boolean {
    return this.runs.has(no);
  }

  openRuns(): number {
    return this.open.size;
  }

  async untilQuiet(withinMs: number): Promise<boolean> {
    const untilMs = performance.now() + withinMs;
    while (performance.now() < untilMs) {
      const isStill = [...this.open.values()].every((line) => line?.status === 'HELD');
      // Whether the operator has nothing to say about what is held.
      if (isStill && (this.open.size === 0 || (await this.review()) === 0)) return true;
      await pass(AGAIN_MS);
    }
    return false;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.loops);
  }

  async readAll(): Promise<readonly RunView[]> {
    const left = [...this.runs.values()];
    const all: RunView[] = [];
    const readOn = async (): Promise<void> => {
      for (let run = left.pop(); run !== undefined; run = left.pop()) {
        const id = run;
        const view = await persist(() => this.plan.house.app.show(id));
        if (view !== null) all.push(view);
      }
    };
    await Promise.all(Array.from({ length: READ_AT_ONCE }, readOn));
    return all;
  }

  /** Looks at every open run, and does what its people and senders do. */
  private async lookLoop(): Promise<void> {
    while (!this.isOver) {
      await this.look();
      await pass(AGAIN_MS);
    }
  }

  private async look(): Promise<void> {
    const asked = [...this.open.keys()];
    const lines = await this.listOpen().catch(() => null);
    if (lines === null) return;
    for (const id of asked) {
      const line = lines.get(id);
      if (line === undefined) this.open.delete(id);
      else this.open.set(id, line);
    }
    for (const { id, workflow } of lines.values()) if (this.plan.attended.has(workflow)) await this.attend(id);
  }

  private async listOpen(): Promise<ReadonlyMap<string, OpenLine>> {
    const filter = { workflow: null, statuses: OPEN_STATUSES, needsHuman: false, q: null, limit: OPEN_RUNS_MAX };
    return new Map((await this.plan.house.app.list(filter)).map((line) => [line.id, line]));
  }

  private async attend(id: string): Promise<void> {
    const { house, random, figures } = this.plan;
    const view = await house.app.show(id).catch(() => null);
    if (view === null) return;
    const asked = view.approvals.find(({ state }) => state === 'open');
    if (asked !== undefined) {
      const { subjectHash } = asked;
      await persist(() =>
        house.app.vote(id, { approval: null, decision: 'approve', subjectHash, comment: null, ...ANA }),
      );
    }
    if (!view.waitingFor.some(({ kind }) => kind === 'event')) return;
    const letter = {
      name: 'parcel',
      data: { no: 1 },
      source: 'carrier',
      eventId: 'parcel-1',
      by: 'carrier',
      waitMs: 0,
    };
    const times = 1 + random.below(3);
    if (times > 1) figures.add('duplicated events');
    await Promise.all(Array.from({ length: times }, () => persist(() => house.app.signal(id, letter))));
  }

  private async reviewLoop(): Promise<void> {
    while (!this.isOver) {
      await this.review();
      await pass(REVIEW_MS);
    }
  }

  private async review(): Promise<number> {
    const { house } = this.plan;
    const book = house.book();
    const desk = {
      verbs: house.app,
      entriesOf: (key: string) => book.get(key) ?? [],
      wasDeclined: (key: string) => house.wasDeclined(key),
    };
    return (await persist(() => answerReviews(desk))) ?? 0;
  }
}

/** Begins to look at runs and to answer for their people. */
export function openTraffic(plan: TrafficPlan): Traffic {
  return new RunningTraffic(plan);
}

/** How a stream of runs flows. */
export interface Flow {
  readonly random: Random;
  /** Runs under way at a time. */
  readonly inflight: number;
  /** Workflow names, each as often as it is to be drawn. */
  readonly names: readonly [string, ...string[]];
}

/** Starts one run after the other, so that always so many are under way. @returns what ends it. */
export function keepFlowing(traffic: Traffic, { random, inflight, names }: Flow): () => Promise<void> {
  let isDry = false;
  let started = 0;
  const flow = async (): Promise<void> => {
    while (!isDry) {
      if (traffic.openRuns() >= inflight) {
        await pass(20);
        continue;
      }
      started += 1;
      await traffic.start({ workflow: random.pick(names), no: `O-${started}` });
    }
  };
  const flowing = flow();
  return async () => {
    isDry = true;
    await flowing;
  };
}
