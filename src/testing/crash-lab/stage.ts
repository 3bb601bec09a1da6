import { queueOf } from '../../decision/hand-out.ts';
import { LEASE_MS_MAX } from '../../engine/pull-attempts.ts';
import { createVersionCache, type VersionCache } from '../../engine/version-cache.ts';
import type { RunId } from '../../model/ids.ts';
import { numbersFor } from '../../model/numbers.ts';
import type { ActionAdapter } from '../../ports/action-adapter.ts';
import type { StoredRun } from '../../ports/store.ts';
import { type MemoryStore, openMemoryStore } from '../../store/memory/memory-store.ts';
import { createRandom } from '../random.ts';
import { RemoteWorker } from '../remote-worker.ts';
import { createSimulatedIds } from '../simulator/simulated-ids.ts';
import { type SimulatedProcess, startSimulatedProcess } from '../simulator/simulated-process.ts';
import type { Owner, World } from '../simulator/world.ts';
import { createWorld } from '../simulator/world.ts';
import { createCrashingStore, type LabWires } from './crashing-store.ts';
import type { Director } from './director.ts';
import { LabJudge } from './judge.ts';
import { createLabActions, type ReadCall, type WriteCall } from './lab-actions.ts';
import { LabProvider, memoryOf } from './lab-provider.ts';
import { actionsOf, type Lab, type Story } from './lab.ts';
import { playStatement, type StatementWires } from './lab-statement.ts';

/** When every stage begins of which nothing else is said. */
export const EPOCH_MS = Date.UTC(2026, 0, 1);
/** As in production: how long a dead worker's runs stay with it, milliseconds. */
export const LEASE_MS = 30_000;
/** A stopped worker sleeps this long: past its lease, and past its successor's first acts. */
const STOPPED_MS = 2.5 * LEASE_MS;
/** After a worker's death, another is there when its lease is over. */
const HIRE_AFTER_MS = LEASE_MS + 1_000;
const DESK_AGAIN_MS = 50;

/** A remote worker takes all the time that the action gives. */
const REMOTE_LEASE_MS = LEASE_MS_MAX;

/** Queues of the workflow and of its children. */
function queuesOf(lab: Lab): readonly string[] {
  return [...new Set(actionsOf(lab).flatMap((action) => queueOf(action) ?? []))];
}

/** The secret of every name; nobody looks at it. */
const SECRETS = { read: () => 'simulated', placeOf: (name: string) => name };

/** One world with a database, a provider, a desk that takes what comes from outside, and workers that die. */
export class Stage {
  readonly world: World;
  readonly store: MemoryStore;
  readonly provider: LabProvider;
  readonly director: Director;
  readonly problems = new Set<string>();
  /** Faults of Pawl's own. */
  readonly bugs: string[] = [];
  readonly #lab: Lab;
  readonly #story: Story;
  readonly #calls = new Map<string, number>();
  /** By what tells a call from another one: the number of its word. */
  readonly #numbers = new Map<string, number>();
  #born = 0;
  #desk: SimulatedProcess;
  #workers: SimulatedProcess[] = [];
  readonly #remotes: RemoteWorker[] = [];
  #isNapping = false;
  #hiresAtMs: number | null = null;
  readonly #epochMs: number;

  /** @param epochMs when it begins, by the database's clock. */
  constructor(lab: Lab, story: Story, director: Director, epochMs = EPOCH_MS) {
    this.#lab = lab;
    this.#epochMs = epochMs;
    this.#story = story;
    this.world = createWorld(createRandom(1));
    this.director = director;
    const nowMs = (): number => this.nowMs();
    this.store = openMemoryStore({
      clock: { nowMs },
      parts: 1,
      leaseMs: LEASE_MS,
      statements: (order) => playStatement(this.#outside(), order),
    });
    this.provider = new LabProvider(lab, this.world, new LabJudge(lab, this.store, nowMs), story.pick);
    this.#desk = this.#openDesk();
  }

  /** The database's time, epoch milliseconds. */
  nowMs(): number {
    return this.#epochMs + Math.floor(this.world.nowMs());
  }

  get verbs(): SimulatedProcess['verbs'] {
    return this.#desk.verbs;
  }

  /** Publishes, and hires the first worker. */
  async open(): Promise<void> {
    for (const { stored } of this.#lab.children) await this.store.publish(stored);
    await this.store.publish(this.#lab.version);
    this.hire();
  }

  /** From now on that run is the one that is played. */
  watch(run: RunId): void {
    this.director.watch(run);
  }

  hire(): void {
    this.#isNapping = false;
    const process: SimulatedProcess = this.#start(true, () => {
      this.#workers = this.#workers.filter((other) => other !== process);
      if (this.#isNapping) return;
      const afterMs = this.director.trouble?.awayMs ?? HIRE_AFTER_MS;
      this.#hiresAtMs = this.world.nowMs() + afterMs;
      this.world.after(afterMs, null, () => this.hire());
    });
    this.#workers.push(process);
  }

  /** Whether somebody is there who could act. */
  isStaffed(): boolean {
    return this.#workers.length > 0;
  }

  /** The workers die while nothing is to be done. */
  crashWorkers(): void {
    for (const worker of [...this.#workers]) worker.kill();
  }

  /** The workers go, and nobody follows until somebody is hired. */
  dismiss(): void {
    this.#isNapping = true;
    this.crashWorkers();
  }

  /** Nobody polls for nothing: the workers go, and one comes back in time. @param untilMs world time. */
  async nap(untilMs: number): Promise<void> {
    this.dismiss();
    await this.world.run(() => false, untilMs);
    this.hire();
  }

  /** Lets time pass; while nobody is there, until somebody is. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.world.nowMs() + ms;
    await this.world.run(() => false, this.isStaffed() ? untilMs : Math.max(untilMs, this.#hiresAtMs ?? 0));
  }

  /**
   * The earliest that something is to be done: by the store, or by remote workers, who pull what is offered and have something
   * in hand now.
   */
  async nextDueMs(): Promise<{ readonly dueAtMs: number | null; readonly nowMs: number }> {
    const { dueAtMs, nowMs } = await this.store.nextDueMs(0);
    if (this.#remotes.some((remote) => remote.isBusy())) return { dueAtMs: nowMs, nowMs };
    const offers = [...this.store.peek().runs.values()].flatMap((rows) => [...rows.offers.values()]);
    const times = [...(dueAtMs === null ? [] : [dueAtMs]), ...offers.map((offer) => offer.dueAtMs)];
    return { dueAtMs: times.length === 0 ? null : Math.min(...times), nowMs };
  }

  async load(run: RunId): Promise<StoredRun | null> {
    const { runs } = await this.store.load(0, [run]);
    return runs[0] ?? null;
  }

  /** What every call of the lab is answered by. */
  #outside(): StatementWires {
    const { director } = this;
    return {
      lab: this.#lab,
      story: this.#story,
      provider: this.provider,
      countCall: (order, isAnswer) => (director.isScripted(order.run.runId) ? this.#countCall(order, isAnswer) : 0),
      onProblem: (message) => this.problems.add(message),
    };
  }

  #openDesk(): SimulatedProcess {
    return this.#start(false, () => {
      this.world.after(DESK_AGAIN_MS, null, () => {
        this.#desk = this.#openDesk();
      });
    });
  }

  #start(hasWorker: boolean, onDeath: () => void): SimulatedProcess {
    this.#born += 1;
    const { world, director } = this;
    const process: { it: SimulatedProcess | null; actions: ActionAdapter | null } = { it: null, actions: null };
    const wiresOf = (owner: Owner): LabWires => ({ world, owner, director, kill: () => process.it?.kill() });
    const versions = createVersionCache(this.store, this.#lab.known);
    process.it = startSimulatedProcess({
      world,
      name: `process-${this.#born}`,
      numbers: numbersFor(LEASE_MS),
      ids: createSimulatedIds(world.random, this.#born),
      versions,
      secrets: SECRETS,
      hasWorker,
      onDeath,
      storeFor: (owner) => createCrashingStore(this.store, wiresOf(owner)),
      actionsFor: (owner) => {
        process.actions = createLabActions({
          ...wiresOf(owner),
          ...this.#outside(),
          countRead: (order, isAnswer) => (director.isScripted(order.run.runId) ? this.#countRead(order, isAnswer) : 0),
          stop: () => {
            process.it?.pause(STOPPED_MS);
            this.hire();
          },
        });
        return process.actions;
      },
      onLog: (name, event, facts) => {
        if (event === 'run.broken' || event === 'run.dropped')
          this.bugs.push(`${name}: ${JSON.stringify({ event, ...facts })}`);
      },
    });
    if (hasWorker && process.actions !== null) this.#open(process.it, process.actions, versions);
    return process.it;
  }

  /** Whoever is hired carries out what remote workers do, too, if the workflow has queues. */
  #open(owner: SimulatedProcess, actions: ActionAdapter, versions: VersionCache): void {
    const queues = queuesOf(this.#lab);
    if (queues.length === 0) return;
    const { world, store } = this;
    const { verbs } = owner;
    const nowMs = (): number => this.nowMs();
    const setup = { world, owner, verbs, store, versions, actions, queues, nowMs, leaseMs: REMOTE_LEASE_MS };
    this.#remotes.push(new RemoteWorker(setup));
  }

  /** A read whose answer nobody has stored is the same read again: what it asks for has not changed. */
  #countRead({ run, step, contract }: ReadCall, isAnswer: (no: number) => boolean): number {
    const revision = this.store.peek().runs.get(run.runId)?.head.revision ?? 0;
    return this.#numberOf(JSON.stringify([run.runId, step, revision]), contract.name, isAnswer);
  }

  /** A call that is known again by its key gets its first answer: what comes next in the script is for the next call. */
  #countCall({ effect, contract }: WriteCall, isAnswer: (no: number) => boolean): number {
    const isKnown = memoryOf(this.#lab, contract) !== null;
    return isKnown ? this.#numberOf(effect.key, contract.name, isAnswer) : this.#count(contract.name);
  }

  #numberOf(call: string, action: string, isAnswer: (no: number) => boolean): number {
    const before = this.#numbers.get(call);
    if (before !== undefined && isAnswer(before)) return before;
    const no = this.#count(action);
    this.#numbers.set(call, no);
    return no;
  }

  #count(action: string): number {
    const before = this.#calls.get(action) ?? 0;
    this.#calls.set(action, before + 1);
    return before;
  }
}
