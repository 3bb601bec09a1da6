import { setTimeout as pass } from 'node:timers/promises';
import { PawlError } from '../../model/errors.ts';
import { displayRunId } from '../../model/run-id.ts';
import { isEnd } from '../../model/statuses.ts';
import type { RunView } from '../demo/compare-book.ts';
import type { Random } from '../random.ts';
import { answerReviews } from '../truthful-operator.ts';
import type { ChaosHouse } from './chaos-house.ts';
import type { Figures } from './figures.ts';

/** Runs that are started one after the other, and the people around them. */
export interface Traffic {
  /** Every run that was started, by id. */
  readonly runs: ReadonlySet<string>;
  /** Runs that have not ended, as last seen. */
  openRuns(): number;
  /** Starts no more. */
  dry(): void;
  /** Looks at every run until all have ended or wait for a person by name. @returns the runs as they are at last, or null after `withinMs`. */
  untilQuiet(withinMs: number): Promise<readonly RunView[] | null>;
  stop(): Promise<void>;
}

/** How much goes on. */
export interface TrafficPlan {
  readonly house: ChaosHouse;
  readonly random: Random;
  readonly figures: Figures;
  /** Runs under way at a time. */
  readonly inflight: number;
  /** Workflow names, each as often as it is to be drawn. */
  readonly names: readonly [string, ...string[]];
}

const AGAIN_MS = 150;
const REVIEW_MS = 1_000;
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

class RunningTraffic implements Traffic {
  readonly runs = new Set<string>();
  private readonly plan: TrafficPlan;
  private readonly open = new Map<string, RunView | null>();
  private isDry = false;
  private isOver = false;
  private started = 0;
  private readonly loops: readonly Promise<void>[];

  constructor(plan: TrafficPlan) {
    this.plan = plan;
    this.loops = [this.startLoop(), this.lookLoop(), this.reviewLoop()];
  }

  openRuns(): number {
    return this.open.size;
  }

  dry(): void {
    this.isDry = true;
  }

  async untilQuiet(withinMs: number): Promise<readonly RunView[] | null> {
    const untilMs = performance.now() + withinMs;
    while (performance.now() < untilMs) {
      const views = [...this.open.values()];
      if (views.every((view) => view?.status === 'HELD' && view.incidents.length > 0) && (await this.isStill())) {
        return this.showAll();
      }
      await pass(REVIEW_MS);
    }
    return null;
  }

  async stop(): Promise<void> {
    this.isDry = true;
    this.isOver = true;
    await Promise.all(this.loops);
  }

  private async showAll(): Promise<readonly RunView[]> {
    const all: RunView[] = [];
    for (const run of this.runs) {
      const view = await persist(() => this.plan.house.app.show(run));
      if (view !== null) all.push(view);
    }
    return all;
  }

  /** Whether the operator has nothing to say about what is held. */
  private async isStill(): Promise<boolean> {
    return this.open.size === 0 || (await this.review()) === 0;
  }

  private async startLoop(): Promise<void> {
    const { house, random, inflight, names, figures } = this.plan;
    while (!this.isDry) {
      if (this.open.size >= inflight) {
        await pass(20);
        continue;
      }
      this.started += 1;
      const ask = { workflow: random.pick(names), version: 1, input: { no: `O-${this.started}` }, by: 'chaos' };
      const started = await persist(() => house.app.start(ask));
      if (started === null) continue;
      const id = displayRunId(started.run.runId);
      this.runs.add(id);
      this.open.set(id, null);
      figures.add('runs');
    }
  }

  /** Looks at every open run, and does what its people and senders do. */
  private async lookLoop(): Promise<void> {
    const { house } = this.plan;
    while (!this.isOver) {
      for (const id of this.open.keys()) {
        const view = await house.app.show(id).catch(() => null);
        if (view === null) continue;
        if (isEnd(view.status)) this.open.delete(id);
        else {
          this.open.set(id, view);
          await this.attend(view);
        }
      }
      await pass(AGAIN_MS);
    }
  }

  private async attend({ id, approvals, waitingFor }: RunView): Promise<void> {
    const { house, random, figures } = this.plan;
    const asked = approvals.find(({ state }) => state === 'open');
    if (asked !== undefined) {
      const { subjectHash } = asked;
      await persist(() =>
        house.app.vote(id, { approval: null, decision: 'approve', subjectHash, comment: null, ...ANA }),
      );
    }
    if (!waitingFor.some(({ kind }) => kind === 'event')) return;
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

/** Begins to start runs. */
export function openTraffic(plan: TrafficPlan): Traffic {
  return new RunningTraffic(plan);
}
