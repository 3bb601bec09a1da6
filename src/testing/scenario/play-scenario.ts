import { childOf } from '../../decision/child-run.ts';
import { readRequest } from '../../decision/effect-key.ts';
import { unpackSnapshot } from '../../decision/snapshot-envelope.ts';
import type { RunId } from '../../model/ids.ts';
import { invariant, PawlError } from '../../model/errors.ts';
import { isOutward } from '../../model/outbox.ts';
import type { RunIdentity } from '../../model/run.ts';
import { isEnd, type RunStatus } from '../../model/statuses.ts';
import type { StoredRun } from '../../ports/store.ts';
import type { RunRows } from '../../store/memory/tables.ts';
import { type Lab, labelOf, type Story } from '../crash-lab/lab.ts';
import { NO_SCENARIO } from '../crash-lab/scenario-file.ts';
import { LEASE_MS, Stage } from '../crash-lab/stage.ts';
import { type Looks, perform, type Told } from './perform.ts';
import { type Boundary, ScenarioDirector } from './scenario-director.ts';
import { type Progress, type Seen, seenOf, seenRejected } from './seen.ts';
import type { OutsideEvent, TestScenario } from './test-scenario.ts';

/** A crash, and what the same scenario came to without it. */
export interface Crash {
  readonly boundary: Boundary;
  readonly calm: Seen;
}

/** What a play shows, and where its worker could have died. */
export interface ScenarioPlayed {
  readonly seen: Seen;
  readonly boundaries: readonly Boundary[];
}

/** Between two looks; what has been sent when a run comes to rest may land meanwhile. */
const STEP_MS = 1_000;
/** Sleeps shorter than this are not worth it. */
const NAP_MS_MIN = 5_000;
/** Whoever hears nothing says it again. */
const SAY_AGAIN_MS = 5_000;
/** No wait of a play is longer. */
const HORIZON_MS = 800 * 24 * 3_600_000;
/** Steps after which a play that comes to no rest is over. */
const STEPS_MAX = 10_000;

/** An event of the scenario on its way. */
interface Sent {
  readonly event: OutsideEvent;
  readonly no: number;
  sentAtMs: number;
}

/** The lab as a scenario has it: its providers, and nobody who gives anything by themselves. */
function labOf(lab: Lab, { provider }: TestScenario): Lab {
  const scripts = [...provider].map(([operation, { words }]) => [operation, { operation, words }] as const);
  const answers = [...provider].flatMap(([action, { answer }]) =>
    answer === undefined ? [] : [[action, answer] as const],
  );
  const takes = [...provider].map(([action, { takesMs }]) => [action, takesMs] as const);
  const ignored = [...provider].filter(([, { isKeyIgnored }]) => isKeyIgnored);
  return {
    ...lab,
    scenario: { ...NO_SCENARIO, scripts: new Map(scripts), answers: new Map(answers), takes: new Map(takes) },
    untruths: ignored.map(([action]) => ({ lie: 'keys', action, byMs: null })),
  };
}

/** Whether a run goes no further by itself. */
function isAtEnd(status: RunStatus): boolean {
  return isEnd(status) || status === 'HELD';
}

function storyOf({ name, input }: TestScenario): Story {
  return {
    name,
    input,
    neighbour: null,
    pick: 0,
    declined: new Set(),
    away: new Set(),
    slow: new Map(),
    denied: new Set(),
  };
}

/** One play of a scenario: its stage, its run, and what was sent so far. */
class ScenarioPlay {
  readonly #scenario: TestScenario;
  readonly #crash: Crash | null;
  readonly #stage: Stage;
  readonly #director: ScenarioDirector;
  readonly #lab: Lab;
  readonly #told: (Told | null)[];
  readonly #looks: Looks = { plans: new Map(), asked: new Map() };
  #sent: Sent[] = [];
  #next = 0;
  #startMs = 0;
  #isDown = false;
  /** Without what comes next it does not come where it was when that came. */
  #isStuck = false;
  #played: RunId | null = null;
  /** The runs that are looked at: that which is played, and its children that events are for. */
  readonly #heard: readonly (string | null)[];
  /** When each of them reached each revision, world time. */
  readonly #reachedMs = new Map<string | null, number[]>();
  #failed: Error | null = null;

  constructor(lab: Lab, scenario: TestScenario, crash: Crash | null) {
    this.#scenario = scenario;
    this.#crash = crash;
    const blind = new Set([...scenario.provider].flatMap(([action, { isBlind }]) => (isBlind ? [action] : [])));
    const isOwn = (run: RunId): boolean => this.#isOwn(run);
    this.#director = new ScenarioDirector(crash?.boundary ?? null, { blind, isOwn, nowMs: () => this.#stage.nowMs() });
    this.#lab = labOf(lab, scenario);
    this.#stage = new Stage(this.#lab, storyOf(scenario), this.#director, scenario.startsAtMs);
    this.#told = scenario.events.map(() => null);
    this.#heard = [...new Set([null, ...scenario.events.map(({ child }) => child)])];
  }

  async run(): Promise<ScenarioPlayed> {
    await this.#stage.open();
    const run = await this.#start();
    if (run instanceof PawlError) return { seen: seenRejected(run), boundaries: [] };
    this.#played = run.runId;
    this.#startMs = this.#stage.world.nowMs() - (this.#stage.nowMs() - run.startedAtMs);
    const { stored, isUnderWay } = await this.#toRest(run);
    return { seen: await this.#result(stored, isUnderWay), boundaries: this.#director.boundaries };
  }

  /** Starts the run. @returns why that was refused, if it was. */
  async #start(): Promise<RunIdentity | PawlError> {
    const { world, verbs } = this.#stage;
    const { workflow, version } = this.#lab.definition;
    const { input, by } = this.#scenario;
    let answer: RunIdentity | Error | null = null;
    verbs.start({ workflow, version, input, by }).then(
      ({ run }) => {
        answer = run;
      },
      (error: Error) => {
        answer = error;
      },
    );
    await world.run(() => answer !== null, world.nowMs() + LEASE_MS);
    const started = answer as RunIdentity | Error | null;
    invariant(started !== null, 'nobody answers a start');
    if (started instanceof Error && !(started instanceof PawlError)) throw started;
    return started;
  }

  /** Lets the run go on until it rests and nothing more comes, or until the scenario's own time. */
  async #toRest(run: RunIdentity): Promise<{ readonly stored: StoredRun; readonly isUnderWay: boolean }> {
    let hasRested = false;
    for (let steps = 0; ; steps += 1) {
      await this.#step(run, this.#stepMs());
      const stored = await this.#stage.load(run.runId);
      invariant(stored !== null, 'a run that was started is not stored', { runId: run.runId });
      const isUnderWay = steps > STEPS_MAX;
      if (isUnderWay || this.#isOver() || this.#stage.problems.size > 0) return { stored, isUnderWay };
      const isAtRest = !this.#isBusyOutside() && this.#rows().every(({ head }) => isAtEnd(head.status));
      if (isAtRest && hasRested) return { stored, isUnderWay };
      hasRested = isAtRest;
      if (!isAtRest && !(await this.#goOn())) return { stored, isUnderWay };
    }
  }

  /** Sleeps until something comes. @returns false when nothing ever does. */
  async #goOn(): Promise<boolean> {
    if (!this.#isBusyOutside()) {
      if (await this.#sleep()) return true;
      // A run that goes no further by itself, as nobody is there, waits for what comes next.
      this.#isStuck = this.#next < this.#scenario.events.length;
      return this.#isStuck;
    }
    const nextMs = this.#nextAtMs();
    // Nobody polls through a long time in which nothing is due.
    if (nextMs !== null && this.#sent.length === 0) await this.#nap(nextMs);
    return true;
  }

  /** How long nothing is looked at: while nobody is there to act, until the next event. */
  #stepMs(): number {
    return this.#isDown && this.#sent.length === 0 && this.#nextAtMs() !== null ? HORIZON_MS : STEP_MS;
  }

  /** Lets at most that much time pass, and does what is due outside. */
  async #step(run: RunIdentity, ms: number): Promise<void> {
    const { world } = this.#stage;
    const untilMs = Math.min(world.nowMs() + ms, this.#nextAtMs() ?? Number.POSITIVE_INFINITY, this.#endMs());
    await world.run(() => this.#advances(), untilMs);
    if (this.#failed !== null) throw this.#failed;
    const { events } = this.#scenario;
    for (let event = events[this.#next]; event !== undefined && this.#isDue(); event = events[this.#next]) {
      const sent = { event, no: this.#next, sentAtMs: world.nowMs() };
      this.#next += 1;
      this.#send(run, sent);
    }
    for (const sent of this.#sent) if (world.nowMs() - sent.sentAtMs >= SAY_AGAIN_MS) this.#sayAgain(run, sent);
  }

  /** When it is over in any case, world time. */
  #endMs(): number {
    const { untilMs } = this.#scenario;
    return untilMs === null ? Number.POSITIVE_INFINITY : (this.#worldMs(untilMs, null) ?? Number.POSITIVE_INFINITY);
  }

  #isOver(): boolean {
    return this.#stage.world.nowMs() >= this.#endMs();
  }

  /** When the next event comes, world time; null = none does, or not before the run is over its crash. */
  #nextAtMs(): number | null {
    const event = this.#scenario.events[this.#next];
    return event === undefined ? null : this.#worldMs(event.atMs, event.child);
  }

  #isDue(): boolean {
    const atMs = this.#nextAtMs();
    return atMs !== null && atMs <= this.#stage.world.nowMs();
  }

  /**
   * A time of the scenario as world time. What a crash has cost is not the scenario's time: everything comes as long
   * after the last step before it of the run that it is for as it does without a crash; null = that run has not come there yet.
   */
  #worldMs(atMs: number, child: string | null): number | null {
    const ownMs = this.#startMs + atMs;
    const last = this.#crash?.calm.progress.get(child)?.findLast((step) => step.atMs < atMs);
    if (last === undefined) return ownMs;
    const reachedMs = this.#reachedMs.get(child)?.[last.revision];
    if (reachedMs === undefined) return this.#isStuck ? ownMs : null;
    return Math.max(ownMs, reachedMs + atMs - last.atMs);
  }

  /** Notes how far the runs have come. @returns whether that is further than before. */
  #advances(): boolean {
    return this.#heard.map((child) => this.#advancesOf(child)).includes(true);
  }

  #advancesOf(child: string | null): boolean {
    const revision = this.#runOf(child)?.head.revision;
    const reachedMs = this.#reachedMs.get(child) ?? [];
    if (revision === undefined || reachedMs.length > revision) return false;
    while (reachedMs.length <= revision) reachedMs.push(this.#stage.world.nowMs());
    this.#reachedMs.set(child, reachedMs);
    return true;
  }

  /** The run that is played, or its child of that name; undefined = there is none, or none yet. */
  #runOf(child: string | null): RunRows | undefined {
    const { runs } = this.#stage.store.peek();
    const played = this.#played === null ? undefined : runs.get(this.#played);
    if (child === null || played === undefined) return played;
    const row = [...played.effects.values()].find((effect) => labelOf(effect) === child && effect.externalId !== null);
    return row === undefined ? undefined : runs.get(childOf(row));
  }

  #isOwn(runId: RunId): boolean {
    if (runId === this.#played) return true;
    const rows = this.#stage.store.peek().runs.get(runId);
    if (rows === undefined) return false;
    const { parent } = unpackSnapshot(rows.head.snapshot, rows.run.digest).control;
    return parent !== undefined && this.#isOwn(parent.runId);
  }

  /** Every run that is stored: one that was started on the way is waited for, too. */
  #rows(): readonly RunRows[] {
    return [...this.#stage.store.peek().runs.values()];
  }

  #send(run: RunIdentity, sent: Sent): void {
    const { act } = sent.event;
    if (act.kind === 'worker') this.#setWorker(act.isUp);
    this.#sent.push(sent);
    this.#say(run, sent);
  }

  #setWorker(isUp: boolean): void {
    this.#isDown = !isUp;
    if (!isUp) this.#stage.dismiss();
    else if (!this.#stage.isStaffed()) this.#stage.hire();
  }

  #say(run: RunIdentity, sent: Sent): void {
    const { child, act } = sent.event;
    const rows = this.#runOf(child);
    const to = {
      verbs: this.#stage.verbs,
      run: child === null ? run : (rows?.run ?? null),
      approvals: [...(rows?.approvals.values() ?? [])],
      scenario: this.#scenario,
      looks: this.#looks,
    };
    perform(to, act, sent.no).then(
      (told) => {
        // Who is told nothing yet asks again: what it comes to must be the same.
        if (this.#crash !== null && told.words.includes('pending')) return;
        this.#told[sent.no] ??= told;
        this.#sent = this.#sent.filter((other) => other !== sent);
      },
      (error: Error) => {
        this.#failed = error;
      },
    );
  }

  #sayAgain(run: RunIdentity, sent: Sent): void {
    sent.sentAtMs = this.#stage.world.nowMs();
    this.#say(run, sent);
  }

  /** Whether something from outside is still to come, or on its way. */
  #isBusyOutside(): boolean {
    return this.#nextAtMs() !== null || this.#sent.length > 0;
  }

  /** Sleeps until something is due. @returns false when nothing ever is. */
  async #sleep(): Promise<boolean> {
    const { dueAtMs, nowMs } = await this.#stage.nextDueMs();
    if (!this.#isQuiet()) return !this.#isDown;
    if (this.#hasMail()) return true;
    if (dueAtMs === null || dueAtMs - nowMs > HORIZON_MS) return this.#passesToEnd();
    await this.#nap(this.#stage.world.nowMs() + (dueAtMs - nowMs));
    return true;
  }

  /** Nothing is due any more: only the scenario's own time is still to pass. */
  async #passesToEnd(): Promise<boolean> {
    if (this.#endMs() === Number.POSITIVE_INFINITY) return false;
    await this.#nap(this.#endMs());
    return true;
  }

  /** Whether one run has something to say to another that has not arrived. */
  #hasMail(): boolean {
    return this.#rows().some(({ outbox }) =>
      [...outbox.values()].some(({ topic, state }) => !isOutward(topic) && state === 'waiting'),
    );
  }

  /** Whether workers are there, and none of them holds anything. */
  #isQuiet(): boolean {
    return !this.#isDown && this.#stage.isStaffed() && this.#rows().every(({ lease }) => lease === null);
  }

  /** Passes the time until shortly before an instant without workers, if that is worth it. */
  async #nap(worldMs: number): Promise<void> {
    const { world } = this.#stage;
    const { dueAtMs, nowMs } = await this.#stage.nextDueMs();
    const dueMs = dueAtMs === null ? Number.POSITIVE_INFINITY : world.nowMs() + (dueAtMs - nowMs);
    const untilMs = Math.min(worldMs, dueMs, this.#endMs()) - STEP_MS;
    if (this.#isQuiet() && untilMs - world.nowMs() >= NAP_MS_MIN) await this.#stage.nap(untilMs);
  }

  #progressOf(child: string | null): Progress {
    const startedAtMs = this.#runOf(null)?.run.startedAtMs ?? 0;
    const steps = [...(this.#runOf(child)?.journal.values() ?? [])];
    return steps.map(({ revision, atMs }) => ({ revision, atMs: atMs - startedAtMs }));
  }

  async #result(stored: StoredRun, isUnderWay: boolean): Promise<Seen> {
    const { store, provider, problems, bugs } = this.#stage;
    const { run } = stored;
    const ledger = this.#rows().flatMap(({ effects }) => [...effects.values()]);
    const requests = new Map(ledger.map((effect) => [effect.key as string, readRequest(effect).with]));
    const happened = provider.done.map(({ action, label, effect, atMs }) => ({
      action,
      label,
      atMs: atMs - this.#startMs,
      with: requests.get(effect) ?? null,
    }));
    const endless = isUnderWay ? ['it comes to no rest: say `until`'] : [];
    return seenOf({
      run,
      stored,
      journal: await store.journal(run.part, run.runId),
      progress: new Map(this.#heard.map((child) => [child, this.#progressOf(child)])),
      receipts: await store.receipts(run.part, run.runId),
      happened,
      told: this.#told,
      waits: this.#director.waits,
      outbox: await store.outbox(run.part, run.runId),
      ledger,
      reads: this.#director.reads,
      problems: [...problems, ...bugs, ...endless],
    });
  }
}

/** Plays a scenario once. @param crash where its worker dies; null = it lives. */
export function playScenario(lab: Lab, scenario: TestScenario, crash: Crash | null): Promise<ScenarioPlayed> {
  return new ScenarioPlay(lab, scenario, crash).run();
}
