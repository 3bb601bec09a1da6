import { unpackSnapshot } from '../../decision/snapshot-envelope.ts';
import { verifyShares } from '../../engine/verify-shares.ts';
import { isEnd } from '../../model/statuses.ts';
import type { StoredRun } from '../../ports/store.ts';
import { type Cases, noCases } from './cases.ts';
import { guard } from './guard.ts';
import { judgeChildren, parentOf } from './judge-children.ts';
import { judgeInvariants } from './judge-invariants.ts';
import { isTold, judgeListener } from './listener.ts';
import { judgeBook, judgeRun, type Violation } from './oracle.ts';
import type { Draw } from './scenario-parts.ts';
import type { Trouble } from './fault-plan.ts';
import { createPeople } from './people.ts';
import { playCase } from './play-case.ts';
import { type Figures, openScene, type Scene } from './scene.ts';
import { planPlagues, raiseStorm } from './storm.ts';

/** What one seed came to. */
export interface SimulationResult {
  readonly seed: number;
  readonly scenario: string;
  readonly violations: readonly Violation[];
  readonly figures: Figures;
  /** Everything stored and everything that happened, as text: two runs of one seed give the same. */
  readonly journal: string;
}

/** What of a seed is played. */
export interface SimulationAsk {
  readonly seed: number;
  /** How long faults are on, milliseconds of the world. */
  readonly stormMs: number;
  /** Most runs; the seed may have fewer. */
  readonly runsMax: number;
  /** Troubles that are left out. */
  readonly without: ReadonlySet<Trouble>;
  /** How its scenario is drawn; left out: any of the common ones. */
  readonly draw?: Draw;
}

/** A seed as it is played unless something is left out. */
export function wholeSeed(seed: number): SimulationAsk {
  return { seed, stormMs: 20_000, runsMax: 4, without: new Set() };
}

/** By then every run has ended or waits for a person by name, milliseconds of the world. */
const CALM_MS = 15 * 60_000;
/** People look at what needs them this often, milliseconds. */
const ATTEND_MS = 2_000;
const SHARE_IN_STORM = 0.3;
/** Invariants are looked at about this often while faults are on, milliseconds. */
const INVARIANTS_MS = 2_500;
/** Whether everything has ended is looked at this often, milliseconds. */
const LOOK_MS = 1_000;
/** What was sent before everything ended arrives within this time, and who was paused wakes up; milliseconds. */
const TAIL_MS = 4_000;

/** The runs that were started, and their children with them. */
async function loadAll({ store }: Scene, { started }: Cases): Promise<readonly StoredRun[]> {
  const wanted = new Set([...started.values()].map(({ run }) => run.runId));
  const { runs } = await store.load(0, [...store.peek().runs.keys()]);
  return runs.filter((stored) => wanted.has(stored.run.runId) || parentOf(stored) !== null);
}

/** Has people attend at intervals; in a seed where they never come, the storm and the calm are without them. */
function bringPeople(scene: Scene): void {
  const { world, plan } = scene;
  const people = createPeople(scene);
  if (!plan.comes('people', 0.8)) return;
  const attend = async (): Promise<void> => {
    await guard(scene, people.attend(plan.isHealed() ? 1 : SHARE_IN_STORM));
    world.after(ATTEND_MS, null, () => void attend());
  };
  world.after(ATTEND_MS, null, () => void attend());
}

/** Whether a run needs nobody: it has ended, it says by name what a person has to decide, or it waits for such a one: its child, or whoever has its lock. */
function isAtRest(stored: StoredRun, all: readonly StoredRun[]): boolean {
  const { status, run } = stored;
  if (isEnd(status)) return true;
  // Whoever stopped it where it stands lets it go on.
  if (unpackSnapshot(stored.snapshot, run.digest).control.paused !== undefined) return false;
  if (status === 'HELD') return true;
  const isHeldUp = (other: StoredRun): boolean =>
    parentOf(other) === run.runId && !isEnd(other.status) && isAtRest(other, all);
  if (all.some(isHeldUp)) return true;
  return status === 'QUEUED' && all.some((other) => other.status === 'HELD' && other.run.lock?.name === run.lock?.name);
}

/** Whether everything that is wanted was started, is where `isThere` wants it, and nothing is to come any more. */
async function areThere(scene: Scene, cases: Cases, there: Whereabouts): Promise<boolean> {
  if (cases.pending.count > 0 || cases.started.size + cases.writtenOff.size < there.wanted) return false;
  const all = await loadAll(scene, cases);
  return all.every((stored) => there.isThere(stored, all)) && (!scene.plan.isHealed() || isTold(scene.store));
}

interface Whereabouts {
  readonly wanted: number;
  isThere(stored: StoredRun, all: readonly StoredRun[]): boolean;
}

/** Lets time pass until all runs are there, at most `ms`. */
async function playUntil(scene: Scene, cases: Cases, there: Whereabouts, ms: number): Promise<void> {
  const { world } = scene;
  const endMs = world.nowMs() + ms;
  for (let are = false; !are && world.nowMs() < endMs; ) {
    await world.run(() => false, Math.min(endMs, world.nowMs() + LOOK_MS));
    are = await areThere(scene, cases, there);
  }
}

/** Lets time pass until all runs are at rest, and are still when what was on its way has arrived. */
async function playToRest(scene: Scene, cases: Cases, wanted: number): Promise<void> {
  const { world } = scene;
  const endMs = world.nowMs() + CALM_MS;
  const there = { wanted, isThere: isAtRest };
  do {
    await playUntil(scene, cases, there, endMs - world.nowMs());
    await world.run(() => false, world.nowMs() + TAIL_MS);
  } while (!(await areThere(scene, cases, there)) && world.nowMs() < endMs);
}

/** The first of each kind is enough: what is broken stays broken. */
function addNew(violations: Violation[], found: readonly Violation[]): void {
  const known = new Set(violations.map(({ rule, runId, subject }) => `${rule} ${runId} ${subject}`));
  violations.push(...found.filter(({ rule, runId, subject }) => !known.has(`${rule} ${runId} ${subject}`)));
}

/** Looks at what is stored now and then, in the middle of everything. */
function watchInvariants(scene: Scene): void {
  const { world, plan, store, host, versions, violations } = scene;
  const look = async (): Promise<void> => {
    if (plan.isHealed()) return;
    const found = await judgeInvariants(store, versions);
    // A version that was lost is published again when the window is gone through; processes that know it start runs of it meanwhile.
    addNew(violations, host.isRecovering() ? found.filter(({ rule }) => rule !== 'invariant pin') : found);
    world.after(INVARIANTS_MS * (0.5 + world.random.next()), null, () => void guard(scene, look()));
  };
  world.after(INVARIANTS_MS, null, () => void guard(scene, look()));
}

/** Holds everything that is stored against what happened. */
async function judge(scene: Scene, cases: Cases, wanted: number): Promise<void> {
  const { violations, figures } = scene;
  const seen = await loadAll(scene, cases);
  const evidence = { ...scene, all: seen, kindOf: kindFinder(scene) };
  for (const stored of seen) {
    if (!isAtRest(stored, seen)) {
      const { runId } = stored.run;
      const message = 'it neither ended nor waits for a person';
      violations.push({ rule: 'stuck', runId, subject: stored.status, message });
    }
    violations.push(...(await judgeRun(stored, evidence)));
  }
  const own = seen.filter((stored) => parentOf(stored) === null);
  const missing = wanted - cases.writtenOff.size - own.length;
  if (missing > 0) {
    const message = 'a start never came through';
    violations.push({ rule: 'start', runId: null, subject: `${missing} of ${wanted}`, message });
  }
  violations.push(...judgeBook(seen, scene), ...judgeListener(scene.store, scene.listener), ...judgeChildren(seen));
  addNew(violations, await judgeInvariants(scene.store, scene.versions));
  for (const { runId, row, what } of await verifyShares(scene.store, 0))
    violations.push({ rule: 'share', runId, subject: row, message: what });
  figures.runs = seen.length;
  figures.reviews = seen.filter((stored) => stored.status === 'HELD').length;
}

/** Plays one seed: a storm, a calm, and the comparison of what is stored with what happened. */
export async function simulate(ask: SimulationAsk): Promise<SimulationResult> {
  const { seed } = ask;
  const scene = await openScene(seed, ask.without, ask.draw);
  const { world, plan, figures, violations } = scene;
  const wanted = Math.min(1 + world.random.below(4), ask.runsMax);
  const cases = noCases();
  for (let no = 1; no <= wanted; no += 1) {
    world.after(world.random.next() * 4_000, null, () => void guard(scene, playCase(scene, no, cases)));
  }
  raiseStorm(scene);
  planPlagues(scene, cases);
  bringPeople(scene);
  watchInvariants(scene);
  await playUntil(scene, cases, { wanted, isThere: ({ status }) => isEnd(status) }, ask.stormMs);
  plan.heal();
  await playToRest(scene, cases, wanted);
  await judge(scene, cases, wanted);
  figures.events = world.events();
  return {
    seed,
    scenario: scene.scenario.name,
    violations,
    figures,
    journal: `${JSON.stringify(scene.store.dump())}\n${JSON.stringify(scene.provider.book.entries)}`,
  };
}

function kindFinder(scene: Scene) {
  return (action: string) => {
    const name = action.replace(/^do\./, '');
    const found = scene.scenario.actions.find((known) => known.name === name);
    if (found === undefined) throw new RangeError(`the scenario has no action ${action}`);
    return found.kind;
  };
}
