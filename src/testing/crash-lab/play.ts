import { authorOf } from '../../machine/lane-steps.ts';
import { unpackSnapshot } from '../../decision/snapshot-envelope.ts';
import { waitingFor } from '../../engine/waiting-for.ts';
import { createVersionCache } from '../../engine/version-cache.ts';
import type { Incident, RunIdentity } from '../../model/run.ts';
import { isEnd, type RunStatus } from '../../model/statuses.ts';
import type { StoredRun } from '../../ports/store.ts';
import { Director } from './director.ts';
import { childrenOf, isMoving, labOfChild } from './family.ts';
import { giveScheduled } from './give-scheduled.ts';
import { give, type Gift, giftsFor, type Sendable, type SentEvent, surprisesFor } from './givers.ts';
import { type Lab, landsWithinMs, type Story } from './lab.ts';
import { type LabProvider, landingMs } from './lab-provider.ts';
import { patienceEndsAtMs } from './patience.ts';
import {
  codesOf,
  failureCode,
  type PlayedApproval,
  playedApprovals,
  type PlayedRow,
  playedRows,
} from './play-records.ts';
import { bookOf } from './played-book.ts';
import { LEASE_MS, Stage } from './stage.ts';
import type { Trouble } from './trouble.ts';
import { passedBy } from './var-flow.ts';

/** What one play came to. */
export interface Played {
  readonly status: RunStatus;
  readonly rows: readonly PlayedRow[];
  readonly approvals: readonly PlayedApproval[];
  /** Approvals that were skipped, and by what is stored at the end would not be. */
  readonly passedBy: ReadonlySet<string>;
  /** How often each label happened, in the provider's book. */
  readonly happened: ReadonlyMap<string, number>;
  /** The place of the last time of each label in the provider's book. */
  readonly lastAt: ReadonlyMap<string, number>;
  /** Labels of what another run asked for, too, to the byte and under another key. */
  readonly asOthers: ReadonlySet<string>;
  /** By step, the code with which it failed. */
  readonly codes: ReadonlyMap<string, string>;
  /** Whether what it was given came when nobody waited for it any more. */
  readonly cameLate: boolean;
  readonly incidents: readonly Incident[];
  /** What it says that it waits for; kinds, in order. */
  readonly waitsFor: readonly string[];
  /** Steps that the run has been in. */
  readonly steps: ReadonlySet<string>;
  /** What it was given, in order. */
  readonly gifts: readonly Sendable[];
  /** By label, what was shown that was not the effect's own doing: another's, by a lookup or under its key, or a row that is not done. */
  readonly shown: LabProvider['shown'];
  /** By label, why the rules of its action cannot read its yes. */
  readonly misread: LabProvider['misread'];
  /** Whether it was left while it was still under way: what it does takes too long to be played to its end. */
  readonly isUnderWay: boolean;
  readonly problems: readonly string[];
  readonly bugs: readonly string[];
  readonly failure: string | null;
}

/** What is played. */
export interface PlayAsk {
  readonly lab: Lab;
  readonly story: Story;
  readonly trouble: Trouble | null;
  /** What the run is given without trouble, for what comes too early. */
  readonly gifts?: Played['gifts'];
  readonly withNeighbour: boolean;
}

/** Something for a run, or for one of its children. */
interface Addressed {
  readonly to: RunIdentity;
  readonly gift: Gift;
}

const STEP_MS = 1_000;
/** A call that is about to be surprised is looked for this often, milliseconds. */
const LOOK_MS = 100;
/** What has come is looked at once a second, milliseconds. */
const SURPRISE_MS = 3_000;
/** Who gives something and sees that it is still waited for gives it again, milliseconds. */
const GIVE_AGAIN_MS = 5_000;
const GIVEN_MAX = 12;
/** Sleeps shorter than this are not worth it. */
const NAP_MS_MIN = 5_000;
/** Steps after which a play that moves nowhere is over. */
const STEPS_MAX = 1_200;
/** No wait of a play is longer. */
const HORIZON_MS = 800 * 24 * 3_600_000;
/** A worker dies this often while a run waits. */
const WAITING_DEATHS = 2;

/** One play: its stage, its run, and what was given so far. */
class Play {
  readonly #ask: PlayAsk;
  readonly #stage: Stage;
  readonly #givenAtMs = new Map<string, { atMs: number; times: number }>();
  readonly #gifts: Sendable[] = [];
  readonly #steps = new Set<string>();
  /** By name, the first event that was sent. */
  readonly #firsts = new Map<string, SentEvent>();
  #deaths = 0;
  #surprisedAtMs: number | null = null;
  #lateAtMs: number | null = null;
  #isUnderWay = false;
  #restedAtMs: number | null = null;

  constructor(ask: PlayAsk) {
    this.#ask = ask;
    this.#stage = new Stage(ask.lab, ask.story, new Director(ask.trouble));
  }

  async run(): Promise<Played> {
    const { story, withNeighbour, trouble } = this.#ask;
    await this.#stage.open();
    if (withNeighbour && story.neighbour !== null) {
      await this.#untilRest(await this.#start(story.neighbour));
      this.#givenAtMs.clear();
      this.#gifts.length = 0;
    }
    const run = await this.#start(story.input);
    this.#stage.watch(run.runId);
    if (trouble?.disorder === true) this.#giveAllEarly(run);
    const send = (gift: Sendable): void => this.#send(run, gift);
    giveScheduled({ lab: this.#ask.lab, mode: trouble?.events ?? null, stage: this.#stage, send }, run);
    const stored = await this.#untilRest(run);
    return this.#result(stored);
  }

  async #start(input: PlayAsk['story']['input']): Promise<RunIdentity> {
    const { definition } = this.#ask.lab;
    const ask = { workflow: definition.workflow, version: definition.version, input, by: 'crashtest' };
    let run: RunIdentity | null = null;
    let refused: unknown = null;
    this.#stage.verbs.start(ask).then(
      (started) => {
        run = started.run;
      },
      (error: unknown) => {
        refused = error ?? new Error('the start was refused');
      },
    );
    await this.#stage.world.run(() => run !== null || refused !== null, this.#stage.world.nowMs() + LEASE_MS);
    if (run === null) throw refused;
    return run;
  }

  /** Lets the run go on until it has ended, waits for a person, or for what nobody gives. */
  async #untilRest(run: RunIdentity): Promise<StoredRun> {
    const { world } = this.#stage;
    const endMs = world.nowMs() + HORIZON_MS;
    this.#restedAtMs = null;
    for (let steps = 0; ; steps += 1) {
      await this.#stage.pass(this.#stepMs());
      const stored = await this.#load(run);
      const active = this.#look(stored);
      if (this.#stage.problems.size > 0) return stored;
      const isComing = this.#comesLate(run, active);
      const isAtRest = isEnd(stored.status) || stored.status === 'HELD';
      if (isAtRest && !isComing) {
        if (await this.#hasRested()) return stored;
        continue;
      }
      this.#restedAtMs = null;
      this.#surprise(run, stored);
      const gave = this.#giveWhatIsAwaited(run, stored, await this.#giftsForChildren(run));
      this.#isUnderWay = steps > STEPS_MAX;
      if (this.#isUnderWay || world.nowMs() > endMs) return stored;
      if (!gave && !isComing && !(await this.#sleep(stored))) return stored;
    }
  }

  async #load({ runId }: RunIdentity): Promise<StoredRun> {
    const stored = await this.#stage.load(runId);
    if (stored === null) throw new Error('a run that was started is not stored');
    return stored;
  }

  /** Lets what is still on its way to a run at rest come in. @returns whether all of it has. */
  async #hasRested(): Promise<boolean> {
    const nowMs = this.#stage.world.nowMs();
    this.#restedAtMs ??= nowMs;
    const leftMs = this.#restedAtMs + this.#afterMs() - nowMs;
    if (leftMs <= 0) return true;
    await this.#stage.pass(leftMs);
    return false;
  }

  /** What has been sent may still land, and a worker that has died or stopped comes back. */
  #afterMs(): number {
    const { lab, trouble } = this.#ask;
    if (trouble === null) return STEP_MS;
    const landings = lab.definition.actions.map((action) => Math.max(landsWithinMs(action), landingMs(lab, action)));
    const calls = trouble.calls.some(({ arrives }) => arrives === 'late') ? Math.max(...landings) : 0;
    const stops = trouble.calls.some(({ worker }) => worker === 'stops') ? 3 * LEASE_MS : 0;
    return STEP_MS + calls + stops;
  }

  /** Sleeps until something is due. @returns false when nothing ever is. */
  async #sleep(stored: StoredRun): Promise<boolean> {
    const { store, world } = this.#stage;
    const { dueAtMs, nowMs } = await this.#stage.nextDueMs();
    if (isMoving(store) || !this.#stage.isStaffed() || this.#isGiving()) return true;
    const patienceMs = patienceEndsAtMs(this.#ask, stored, store.peek());
    if (patienceMs !== null && patienceMs - nowMs > NAP_MS_MIN) {
      await this.#stage.nap(world.nowMs() + patienceMs - nowMs);
      return true;
    }
    if (dueAtMs === null) return this.#isScheduled();
    if (dueAtMs - nowMs < NAP_MS_MIN) return true;
    if (dueAtMs - nowMs > HORIZON_MS) return false;
    await this.#stage.nap(world.nowMs() + (dueAtMs - nowMs) - STEP_MS);
    return true;
  }

  /** Whether something that was given may still come through. */
  #isGiving(): boolean {
    const nowMs = this.#stage.world.nowMs();
    return [...this.#givenAtMs.values()].some(
      ({ atMs, times }) => times < GIVEN_MAX && nowMs - atMs <= 2 * GIVE_AGAIN_MS,
    );
  }

  /** Whether the scenario will still send something. */
  #isScheduled(): boolean {
    const { events, votes } = this.#ask.lab.scenario;
    return [...events, ...(votes ?? [])].some(({ atMs }) => atMs !== null && atMs > this.#stage.world.nowMs());
  }

  /** @returns the steps that are under way. */
  #look(stored: StoredRun): ReadonlySet<string> {
    const { control, snapshot } = unpackSnapshot(stored.snapshot, stored.run.digest);
    const active = Object.keys(control.activeSinceMs);
    for (const step of [...active, ...Object.keys(snapshot.data.steps)]) {
      if (snapshot.data.steps[step]?.skipped !== true) this.#steps.add(authorOf(step));
    }
    return new Set(active.map((step) => authorOf(step)));
  }

  /** What a step has waited for comes when it waits no more. @returns whether it may still be on its way. */
  #comesLate(run: RunIdentity, active: ReadonlySet<string>): boolean {
    const step = this.#ask.trouble?.late ?? null;
    if (step === null) return false;
    const nowMs = this.#stage.world.nowMs();
    if (this.#lateAtMs === null && this.#steps.has(step) && !active.has(step)) {
      this.#lateAtMs = nowMs;
      for (const gift of this.#ask.gifts ?? []) this.#send(run, gift);
    }
    return this.#lateAtMs !== null && nowMs < this.#lateAtMs + SURPRISE_MS;
  }

  /** A call that is about to be surprised is looked for more often. */
  #stepMs(): number {
    const isToSurprise = (this.#ask.trouble?.surprise ?? null) !== null && this.#surprisedAtMs === null;
    return isToSurprise ? LOOK_MS : STEP_MS;
  }

  /** What a step takes by `on` comes as soon as it is under way. */
  #surprise(run: RunIdentity, stored: StoredRun): void {
    const { lab, story, trouble } = this.#ask;
    const surprise = trouble?.surprise ?? null;
    if (surprise === null || this.#surprisedAtMs !== null) return;
    const { control } = unpackSnapshot(stored.snapshot, stored.run.digest);
    if (!Object.keys(control.activeSinceMs).some((step) => authorOf(step) === surprise.step)) return;
    this.#surprisedAtMs = this.#stage.world.nowMs();
    for (const gift of surprisesFor(lab, story, stored, surprise)) if (gift.kind !== 'cannot') this.#send(run, gift);
  }

  /** Whether what has come unasked may still be on its way: nobody gives anything else before it is there. */
  #isSurprising(): boolean {
    return this.#surprisedAtMs !== null && this.#stage.world.nowMs() < this.#surprisedAtMs + SURPRISE_MS;
  }

  /** What its children wait for comes as it should: they are in trouble in labs of their own. */
  async #giftsForChildren(run: RunIdentity): Promise<readonly Addressed[]> {
    const { lab, story } = this.#ask;
    const gifts: Addressed[] = [];
    for (const child of childrenOf(this.#stage.store, run.runId)) {
      const stored = await this.#stage.load(child.rows.run.runId);
      if (stored === null || isEnd(stored.status)) continue;
      const own = giftsFor(labOfChild(lab, child), story, stored, false);
      gifts.push(...own.map((gift) => ({ to: stored.run, gift })));
    }
    return gifts;
  }

  /** @returns whether something was given now. */
  #giveWhatIsAwaited(run: RunIdentity, stored: StoredRun, forChildren: readonly Addressed[]): boolean {
    const { lab, story, trouble } = this.#ask;
    if (this.#isSurprising()) return true;
    const own = giftsFor(lab, story, stored, trouble?.events === 'foreign').flatMap((gift) => this.#asSent(gift));
    const gifts = [...own.map((gift) => ({ to: run, gift })), ...forChildren];
    if (gifts.length === 0) return false;
    if (trouble?.waiting === true && this.#deaths < WAITING_DEATHS && this.#stage.isStaffed()) {
      this.#deaths += 1;
      this.#stage.crashWorkers();
      return true;
    }
    // Whoever dies while the run waits is followed by another before anything comes.
    if (trouble?.waiting === true && !this.#stage.isStaffed()) return true;
    return gifts.map(({ to, gift }) => this.#giveOnce(to, gift, to === run)).some((gave) => gave);
  }

  /** What comes of what is awaited, where the trouble is with the events. */
  #asSent(gift: Gift): readonly Gift[] {
    const mode = this.#ask.trouble?.events ?? null;
    if (gift.kind !== 'event' || mode === null || mode === 'foreign') return [gift];
    if (mode === 'none') return [];
    const { name, id } = gift.event;
    const first = this.#firsts.get(name) ?? gift.event;
    this.#firsts.set(name, first);
    if (first.id === id) return [gift];
    return mode === 'once' ? [] : [{ kind: 'event', event: { ...first, id: `${id}-again` } }];
  }

  #giveOnce(run: RunIdentity, gift: Gift, isOwn: boolean): boolean {
    if (gift.kind === 'cannot') {
      this.#stage.problems.add(gift.message);
      return false;
    }
    const name = JSON.stringify(isOwn ? gift : [run.runId, gift]);
    const nowMs = this.#stage.world.nowMs();
    const given = this.#givenAtMs.get(name) ?? { atMs: Number.NEGATIVE_INFINITY, times: 0 };
    if (nowMs - given.atMs < GIVE_AGAIN_MS) return false;
    if (given.times >= GIVEN_MAX) {
      this.#sayNotTaken(gift);
      return false;
    }
    if (given.times === 0 && isOwn) this.#gifts.push(gift);
    this.#givenAtMs.set(name, { atMs: nowMs, times: given.times + 1 });
    this.#send(run, gift);
    if (this.#ask.trouble?.disorder === true) this.#send(run, gift);
    return true;
  }

  /** An event that is not taken is told, unless it is played that it need not be. */
  #sayNotTaken(gift: Gift): void {
    const mode = this.#ask.trouble?.events ?? null;
    if (gift.kind === 'event' && mode === null) this.#stage.problems.add(notTaken(gift.event.name));
  }

  #send(run: RunIdentity, gift: Sendable): void {
    // What is refused or unheard is seen by what the run still waits for.
    give(this.#stage.verbs, run, gift).catch(() => undefined);
  }

  /** Everything that will be awaited comes before that, the last first. */
  #giveAllEarly(run: RunIdentity): void {
    for (const gift of [...(this.#ask.gifts ?? [])].reverse()) if (gift.kind === 'event') this.#send(run, gift);
  }

  async #result(stored: StoredRun): Promise<Played> {
    const { lab } = this.#ask;
    const { provider, problems, bugs } = this.#stage;
    const version = await createVersionCache(this.#stage.store, lab.known).byDigest(stored.run.digest);
    const envelope = unpackSnapshot(stored.snapshot, stored.run.digest);
    const { incidents } = envelope.control;
    const children = childrenOf(this.#stage.store, stored.run.runId);
    const source = { version, stored, envelope, incidents, children: new Map(), nowMs: this.#stage.nowMs() };
    return {
      status: stored.status,
      rows: playedRows(stored, incidents),
      approvals: playedApprovals(stored),
      passedBy: passedBy(lab, stored, envelope.snapshot.data),
      ...bookOf(provider, stored, children),
      codes: codesOf(envelope.snapshot.data),
      incidents,
      waitsFor: [
        ...waitingFor(source).map(({ kind }) => kind),
        ...children.flatMap(({ rows }) => (rows.head.status === 'HELD' ? ['person'] : [])),
      ],
      steps: this.#steps,
      gifts: this.#gifts,
      shown: provider.shown,
      misread: provider.misread,
      cameLate: this.#lateAtMs !== null,
      isUnderWay: this.#isUnderWay,
      problems: [...problems],
      bugs,
      failure: failureCode(stored),
    };
  }
}

function notTaken(event: string): string {
  return `the run does not take the event ${event} that the lab made: give its data in a scenario, events: [{ name: ${event}, data: … }]`;
}

/** Plays a story once, with one trouble or none. */
export function play(ask: PlayAsk): Promise<Played> {
  return new Play(ask).run();
}
