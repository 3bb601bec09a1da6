import { publishVersion, type Publisher } from '../../engine/publish-version.ts';
import { createVersionCache, type LoadedVersion, type VersionCache } from '../../engine/version-cache.ts';
import type { Digest } from '../../model/ids.ts';
import { numbersFor } from '../../model/numbers.ts';
import type { CommitAnswer } from '../../model/run-commit.ts';
import type { SendOrder } from '../../ports/action-adapter.ts';
import type { StoredVersion } from '../../ports/store.ts';
import { type MemoryStore, openMemoryStore } from '../../store/memory/memory-store.ts';
import type { ScriptWord } from '../provider/script.ts';
import { createRandom, type Random } from '../random.ts';
import { providerOf } from './action-classes.ts';
import { createFaultPlan, type FaultPlan, type Trouble } from './fault-plan.ts';
import { createFaultyStore } from './faulty-store.ts';
import { createFleet, type Fleet } from './fleet.ts';
import type { Violation } from './oracle.ts';
import { drawScenario, type Scenario, type ScenarioAction } from './scenario.ts';
import { createSimulatedActions } from './simulated-actions.ts';
import { createSimulatedIds } from './simulated-ids.ts';
import { type SimulatedProcess, startSimulatedProcess } from './simulated-process.ts';
import { createSimulatedProvider, type SimulatedProvider } from './simulated-provider.ts';
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
}

/** One world with everything in it. */
export interface Scene {
  readonly world: World;
  readonly plan: FaultPlan;
  readonly store: MemoryStore;
  readonly provider: SimulatedProvider;
  readonly fleet: Fleet;
  readonly scenario: Scenario;
  readonly figures: Figures;
  /** What was seen to be wrong while it happened. */
  readonly violations: Violation[];
  /** The versions that are stored, compiled. */
  readonly versions: VersionCache;
  /** Steps the database's clock, milliseconds. */
  stepClock(ms: number): void;
}

const EPOCH_MS = Date.UTC(2026, 0, 1);
const LEASE_MS = 1_500;
/** Processes with a worker, and one more that only serves. */
const PLACES = 3;

const prepared = new Map<string, StoredVersion>();
const compiled = new Map<Digest, LoadedVersion>();

/** Publishes a text once per process: what it becomes does not depend on the seed. */
async function versionOf(scenario: Scenario): Promise<StoredVersion> {
  const known = prepared.get(scenario.text);
  if (known !== undefined) return known;
  const store = openMemoryStore({ clock: { nowMs: () => EPOCH_MS }, parts: 1, leaseMs: LEASE_MS });
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const engine: Publisher = {
    store,
    versions: createVersionCache(store, compiled),
    logger: quiet,
    tenant: 'default',
  };
  const { version } = await publishVersion(engine, { text: scenario.text, file: scenario.name, by: 'author' });
  prepared.set(scenario.text, version);
  return version;
}

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
  return { events: 0, crashes: 0, pauses: 0, fenced: 0, stale: 0, busy: 0, lost: 0, reviews: 0, runs: 0 };
}

/** Faults of ours: nothing outside can make them right. */
const BUGS: ReadonlySet<string> = new Set(['run.broken', 'run.dropped']);

/**
 * Builds the world of a seed: database, provider, processes, and nothing in them yet but the version.
 * @param without troubles that are left out.
 */
export async function openScene(seed: number, without: ReadonlySet<Trouble>): Promise<Scene> {
  const random = createRandom(seed);
  const scenario = drawScenario(random);
  const plan = createFaultPlan(random, without);
  const world = createWorld(random);
  const version = await versionOf(scenario);
  const actionOf = actionFinder(scenario);
  const classOf = (operation: string) => providerOf(actionOf(operation).kind);
  const figures = noFigures();
  const violations: Violation[] = [];
  let clockOffsetMs = 0;
  const databaseNowMs = (): number => EPOCH_MS + Math.floor(world.nowMs() + clockOffsetMs);
  const store = openMemoryStore({ clock: { nowMs: databaseNowMs }, parts: 1, leaseMs: LEASE_MS });
  await store.publish(version);
  const watched: MemoryStore = { ...store, sweep: watchSweep(store, violations) };
  const provider = createSimulatedProvider({ world, classOf, choose: wordChooser(random, actionOf, plan) });

  const onCommit = (answer: CommitAnswer): void => {
    if (answer.kind === 'fenced' || answer.kind === 'stale' || answer.kind === 'busy') figures[answer.kind] += 1;
  };
  const onByte = (order: SendOrder): void => {
    const { runId } = order.run;
    const row = store.peek().runs.get(runId)?.effects.get(order.effect.key);
    if (row === undefined || row.attempt < order.attempt) {
      violations.push({ rule: 'no intent', runId, subject: order.effect.step, message: 'sent before it was stored' });
    }
  };

  let born = 0;
  const start = (place: number, onDeath: () => void): SimulatedProcess => {
    born += 1;
    return startSimulatedProcess({
      world,
      name: `process-${born}`,
      numbers: numbersFor(LEASE_MS),
      ids: createSimulatedIds(random, born),
      versions: createVersionCache(store, compiled),
      hasWorker: place < PLACES,
      onDeath,
      storeFor: (owner) => createFaultyStore(watched, { world, owner, plan, onCommit }),
      actionsFor: (owner) => createSimulatedActions({ world, owner, plan, provider, classOf, onByte }),
      onLog: (process, event, facts) => {
        if (event === 'commit.answer-lost') figures.lost += 1;
        if (BUGS.has(event))
          violations.push({ rule: 'bug', runId: null, subject: process, message: JSON.stringify({ event, ...facts }) });
      },
    });
  };
  return {
    world,
    plan,
    store,
    provider,
    fleet: createFleet(world, PLACES + 1, start),
    scenario,
    figures,
    violations,
    versions: createVersionCache(store, compiled),
    stepClock: (ms) => {
      clockOffsetMs += ms;
    },
  };
}
