import { createListener, type Listener } from './listener.ts';
import type { VersionCache } from '../../engine/version-cache.ts';
import type { EffectKey, RunId } from '../../model/ids.ts';
import { numbersFor } from '../../model/numbers.ts';
import type { CommitAnswer } from '../../model/run-commit.ts';
import type { ActionAdapter, SendOrder } from '../../ports/action-adapter.ts';
import { type MemoryStore, openMemoryStore } from '../../store/memory/memory-store.ts';
import type { ScriptWord } from '../provider/script.ts';
import { createRandom, type Random } from '../random.ts';
import { RemoteWorker } from '../remote-worker.ts';
import { providerOf, QUEUE } from './action-classes.ts';
import { createDatabaseHost, type DatabaseHost } from './database-host.ts';
import { createFaultPlan, type FaultPlan, type Trouble, withOutages } from './fault-plan.ts';
import { createFaultyStore } from './faulty-store.ts';
import { createFleet, type Fleet, type FleetSetup } from './fleet.ts';
import { createHearsay, type Hearsay } from './hearsay.ts';
import type { Violation } from './oracle.ts';
import { drawScenario } from './scenario.ts';
import type { Draw, Scenario, ScenarioAction } from './scenario-parts.ts';
import { createSimulatedActions, type Wires } from './simulated-actions.ts';
import { createSimulatedIds } from './simulated-ids.ts';
import { type ProcessSetup, type SimulatedProcess, startSimulatedProcess } from './simulated-process.ts';
import { createSimulatedProvider, type SimulatedProvider } from './simulated-provider.ts';
import { prepareVersion, sharedVersions } from './versions.ts';
import { watchSweep } from './watch-sweep.ts';
import { createWorld, type World } from './world.ts';

/** What a seed has been through. */
export interface Figures {
  events: number;
  crashes: number;
  pauses: number;
  fenced: number;
  stale: number;
  busy: number;
  lost: number;
  reviews: number;
  runs: number;
  failovers: number;
}

/** One world with everything in it. */
export interface Scene {
  readonly world: World;
  readonly plan: FaultPlan;
  readonly store: MemoryStore;
  readonly host: DatabaseHost;
  readonly listener: Listener;
  readonly provider: SimulatedProvider;
  readonly fleet: Fleet;
  readonly scenario: Scenario;
  readonly figures: Figures;
  /** What was seen to be wrong while it happened. */
  readonly violations: Violation[];
  /** What processes have heard. */
  readonly hearsay: Hearsay;
  /** Effects of which a person has said what is not true. */
  readonly misjudged: Set<string>;
  /** The versions that are stored, compiled. */
  readonly versions: VersionCache;
  /** Nobody listens at the provider's from now on, or somebody does. */
  setDown(isDown: boolean): void;
  /** Steps the database's clock, milliseconds. */
  stepClock(ms: number): void;
}

const EPOCH_MS = Date.UTC(2026, 0, 1);
const LEASE_MS = 1_500;
const NUMBERS = numbersFor(LEASE_MS);
/** How often a process is stopped when it has just sent something, at most, and for how long beyond its lease; milliseconds. */
const STUNS_MAX = 0.1;
const STUN_MS_MAX = 5_000;
/** Processes with a worker, and one more that only serves. */
const PLACES = 3;

const TROUBLE: readonly [ScriptWord, ...ScriptWord[]] = [
  { kind: 'lost-done' },
  { kind: 'lost-not-done' },
  { kind: 'late-done' },
  { kind: 'unreadable-done' },
  { kind: 'pending' },
  { kind: 'hang' },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 429 },
  { kind: 'status', status: 500 },
];

/** What the provider meets a call with. */
function wordChooser(random: Random, actionOf: (operation: string) => ScenarioAction, plan: FaultPlan) {
  const level = random.next() * 0.5;
  return ({ operation }: { readonly operation: string }): ScriptWord => {
    if (plan.comes('words', level)) return random.pick(TROUBLE);
    return random.next() < actionOf(operation).declines ? { kind: 'declined' } : { kind: 'ok' };
  };
}

function actionFinder(scenario: Scenario): (operation: string) => ScenarioAction {
  return (operation) => {
    const action = scenario.actions.find(({ name }) => name === operation);
    if (action === undefined) throw new RangeError(`the scenario ${scenario.name} has no operation ${operation}`);
    return action;
  };
}

/** Nothing has happened yet. */
export function noFigures(): Figures {
  return { events: 0, crashes: 0, pauses: 0, fenced: 0, stale: 0, busy: 0, lost: 0, reviews: 0, runs: 0, failovers: 0 };
}

/** Faults of ours: nothing outside can make them right. */
const BUGS: ReadonlySet<string> = new Set(['run.broken', 'run.dropped']);

/** Looks at each request in the instant in which its first byte leaves (E03, P14). */
function watchBytes(scene: Pick<Scene, 'world' | 'store' | 'host' | 'violations'>) {
  const { world, store, host, violations } = scene;
  return ({ run: { runId }, effect: { key, step, queue }, attempt, contract }: SendOrder): void => {
    const say = (rule: string, message: string): void => {
      violations.push({ rule, runId, subject: step, message });
    };
    const rows = [store.peek().runs.get(runId)?.effects.get(key), host.forgotten(runId, key)];
    if (!rows.some((row) => row !== null && row !== undefined && row.attempt >= attempt))
      say('no intent', 'sent before it was stored');
    const kind = contract.idempotency?.kind;
    // What was handed out before it may be begun until its lease ends.
    const withinMs = queue === undefined ? NUMBERS.sendWithinMs : contract.timeoutMs;
    const sinceMs = world.nowMs() - (host.loss()?.atMs ?? 0);
    if (host.isRecovering() && kind !== 'header' && kind !== 'field' && kind !== 'key' && sinceMs > withinMs)
      say('recovery', `sent ${Math.round(sinceMs)} ms after the database had lost commits`);
  };
}

/** The store that all processes talk to. */
function watchedStore(store: MemoryStore, host: DatabaseHost, violations: Violation[]): MemoryStore {
  return {
    ...store,
    sweep: watchSweep(store, violations),
    endRecovery: async (act) => {
      host.recovered();
      return store.endRecovery(act);
    },
  };
}

/** Reads the logs of all processes. */
function readLogs(figures: Figures, violations: Violation[], hearsay: Hearsay): ProcessSetup['onLog'] {
  return (process, event, facts, owner) => {
    const runId = facts['runId'] as RunId;
    if (event === 'commit.answer-lost') figures.lost += 1;
    if (event === 'effect.attempted' && facts['outcome'] === 'confirmed')
      hearsay.hear(runId, facts['effectKey'] as EffectKey, owner);
    if (event === 'effect.late-answer-lost') hearsay.fail(runId);
    const isMisfit = event === 'run.set-aside' && facts['why'] !== 'poison';
    if (BUGS.has(event) || isMisfit)
      violations.push({ rule: 'bug', runId: null, subject: process, message: JSON.stringify({ event, ...facts }) });
  };
}

/** What all processes of a world share. */
interface Company extends Pick<Scene, 'world' | 'plan' | 'store' | 'host' | 'figures' | 'listener'> {
  readonly watched: MemoryStore;
  readonly wires: Omit<Wires, 'owner' | 'onByte'>;
  readonly onLog: ProcessSetup['onLog'];
  /** The database's time. */
  nowMs(): number;
  /** Whether remote workers are part of it. */
  readonly hasRemotes: boolean;
  watchByte(order: SendOrder): void;
}

/** How often a remote worker keeps its word to itself until it is late, and how often it says it twice, at most. */
const LATE_MAX = 0.2;
const TWICE_MAX = 0.3;
const LATE_MS_MAX = 8_000;

/** A remote worker in that process: it dies and sleeps with it, asks a lease shorter than what it may need, is late, and says things twice. */
function openRemote(
  { world, plan, watched, store, nowMs }: Company,
  process: SimulatedProcess,
  actions: ActionAdapter,
): void {
  const { random } = world;
  const habit = () => ({
    lateMs: plan.comes('words', LATE_MAX) ? random.next() * LATE_MS_MAX : 0,
    times: plan.comes('words', TWICE_MAX) ? 2 : 1,
  });
  const { verbs } = process;
  const versions = sharedVersions(store);
  const leaseMs = 1_000 + random.below(3_000);
  const base = { world, owner: process, verbs, store: watched, versions, actions, nowMs };
  void new RemoteWorker({ ...base, queues: [QUEUE], leaseMs, habit });
}

/** Makes the process of a place. */
function processMaker(company: Company): FleetSetup['start'] {
  const { world, plan, store, host, watched, figures, listener, wires, onLog, hasRemotes, watchByte } = company;
  const { random } = world;
  const stuns = random.next() * STUNS_MAX;
  /** Stops a process while the answer is on its way: another one takes over, and this one hears it late (E08). */
  const stun = (process: SimulatedProcess): void => {
    world.after(random.next(), null, () => {
      figures.pauses += 1;
      process.pause(LEASE_MS + random.next() * STUN_MS_MAX);
    });
  };
  const onCommit = (answer: CommitAnswer): void => {
    if (answer.kind === 'fenced' || answer.kind === 'stale' || answer.kind === 'busy') figures[answer.kind] += 1;
  };
  let born = 0;
  return (place, onDeath) => {
    born += 1;
    const made: { actions: ActionAdapter | null } = { actions: null };
    const process = startSimulatedProcess({
      world,
      name: `process-${born}`,
      numbers: NUMBERS,
      ids: createSimulatedIds(random, born),
      versions: sharedVersions(store),
      hasWorker: place < PLACES,
      onDeath,
      onLog,
      publisherFor: (owner) => listener.publisherFor(owner),
      storeFor: (owner) => createFaultyStore(watched, { world, owner, plan, host, onCommit }),
      actionsFor: (owner) => {
        made.actions = createSimulatedActions({
          ...wires,
          owner,
          onByte: (order) => {
            watchByte(order);
            if (plan.comes('pauses', stuns)) stun(process);
          },
        });
        return made.actions;
      },
    });
    if (hasRemotes && made.actions !== null) openRemote(company, process, made.actions);
    return process;
  };
}

/**
 * Builds the world of a seed: database, provider, processes, and nothing in them yet but the version.
 * @param without troubles that are left out.
 * @param draw how its scenario is drawn; left out: any of the common ones.
 */
export async function openScene(
  seed: number,
  without: ReadonlySet<Trouble>,
  draw: Draw = drawScenario,
): Promise<Scene> {
  const random = createRandom(seed);
  const scenario = draw(random);
  const plan = createFaultPlan(random, without);
  const world = createWorld(random);
  const actionOf = actionFinder(scenario);
  const classOf = (operation: string) => providerOf(actionOf(operation).kind);
  const figures = noFigures();
  const violations: Violation[] = [];
  let clockOffsetMs = 0;
  const databaseNowMs = (): number => EPOCH_MS + Math.floor(world.nowMs() + clockOffsetMs);
  const store = openMemoryStore({ clock: { nowMs: databaseNowMs }, parts: 1, leaseMs: LEASE_MS });
  const { texts, children } = scenario;
  for (const [index, child] of children.entries())
    await store.publish(await prepareVersion(child, children.slice(0, index)));
  await store.publish(await prepareVersion(texts[0], children));
  const host = createDatabaseHost(world, store);
  const hearsay = createHearsay(world);
  const watched = watchedStore(store, host, violations);
  const provider = createSimulatedProvider({ world, classOf, choose: wordChooser(random, actionOf, plan) });
  const listener = createListener(world, plan);
  let isDown = false;
  const start = processMaker({
    ...{ world, plan, store, host, watched, figures, listener },
    watchByte: watchBytes({ world, store, host, violations }),
    onLog: readLogs(figures, violations, hearsay),
    nowMs: databaseNowMs,
    hasRemotes: scenario.actions.some(({ isRemote }) => isRemote === true),
    wires: { world, plan: withOutages(plan, () => isDown), provider, classOf },
  });
  return {
    world,
    plan,
    store,
    host,
    provider,
    listener,
    fleet: createFleet(world, PLACES + 1, { start, isGone: () => plan.comes('absences', 0.1) }),
    scenario,
    figures,
    violations,
    hearsay,
    misjudged: new Set(),
    versions: sharedVersions(store),
    setDown: (down) => {
      isDown = down;
    },
    stepClock: (ms) => {
      clockOffsetMs += ms;
    },
  };
}
