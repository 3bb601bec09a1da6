import { PawlError } from '../../model/errors.ts';
import type { RunIdentity } from '../../model/run.ts';
import { isEnd } from '../../model/statuses.ts';
import type { StoredRun } from '../../ports/store.ts';
import { judgeInvariants } from './judge-invariants.ts';
import { act } from './outside.ts';
import { judgeBook, judgeRun, type Violation } from './oracle.ts';
import type { Trouble } from './fault-plan.ts';
import { createPeople } from './people.ts';
import { type Figures, openScene, type Scene } from './scene.ts';
import { raiseStorm } from './storm.ts';

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
const LOOK_MS = 2_500;

/** Starts a run and lets the world do to it what the scenario says. */
async function playRun(scene: Scene, no: number, runs: RunIdentity[]): Promise<void> {
  const { world, fleet, scenario } = scene;
  const ask = { workflow: scenario.name, version: 1, input: { no: `O-${no}` }, by: 'starter' };
  const started = await fleet.ask((verbs) => verbs.start(ask));
  if (started instanceof PawlError) throw started;
  runs.push(started.run);
  const again = world.random.next() < 0.3 ? await fleet.ask((verbs) => verbs.start(ask)) : started;
  if (again instanceof PawlError || again.run.runId !== started.run.runId) {
    const { runId } = started.run;
    scene.violations.push({ rule: 'start', runId, subject: `O-${no}`, message: 'the same start gave another run' });
  }
  for (const doing of scenario.outside(world.random)) {
    world.after(doing.atMs, null, () => void guard(scene, act(scene, started.run.runId, doing)));
  }
}

/** A promise of the play that breaks is a finding, not a crash of the simulator. */
async function guard(scene: Scene, doing: Promise<void>): Promise<void> {
  try {
    await doing;
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    scene.violations.push({ rule: 'play', runId: null, subject: scene.scenario.name, message });
  }
}

async function loadAll(scene: Scene, runs: readonly RunIdentity[]): Promise<readonly StoredRun[]> {
  const loaded = await scene.store.load(
    0,
    runs.map((run) => run.runId),
  );
  return loaded.runs;
}

/** Has people attend at intervals; in a seed where they never come, the storm and the calm are without them. */
function bringPeople(scene: Scene): void {
  const { world, plan } = scene;
  const people = createPeople(world, scene.fleet, scene.provider);
  if (!plan.comes('people', 0.8)) return;
  const attend = async (): Promise<void> => {
    await guard(scene, people.attend(plan.isHealed() ? 1 : SHARE_IN_STORM));
    world.after(ATTEND_MS, null, () => void attend());
  };
  world.after(ATTEND_MS, null, () => void attend());
}

/** Whether a run needs nobody: it has ended, or it says by name what a person has to decide. */
function isAtRest(stored: StoredRun): boolean {
  return isEnd(stored.status) || stored.status === 'HELD';
}

async function untilAtRest(scene: Scene, runs: readonly RunIdentity[], wanted: number): Promise<readonly StoredRun[]> {
  const { world, store } = scene;
  let seen: readonly StoredRun[] = [];
  const endMs = world.nowMs() + CALM_MS;
  for (;;) {
    let rested = false;
    world.after(1_000, null, () => {
      rested = true;
    });
    await world.run(() => rested, endMs);
    seen = await loadAll(scene, runs);
    if (seen.length === wanted && seen.every(isAtRest)) return seen;
    if (world.nowMs() >= endMs || store.parts === 0) return seen;
  }
}

/** The first of each kind is enough: what is broken stays broken. */
function addNew(violations: Violation[], found: readonly Violation[]): void {
  const known = new Set(violations.map(({ rule, runId, subject }) => `${rule} ${runId} ${subject}`));
  violations.push(...found.filter(({ rule, runId, subject }) => !known.has(`${rule} ${runId} ${subject}`)));
}

/** Looks at what is stored now and then, in the middle of everything. */
function watchInvariants(scene: Scene): void {
  const { world, plan, store, versions, violations } = scene;
  const look = async (): Promise<void> => {
    if (plan.isHealed()) return;
    addNew(violations, await judgeInvariants(store, versions));
    world.after(LOOK_MS * (0.5 + world.random.next()), null, () => void guard(scene, look()));
  };
  world.after(LOOK_MS, null, () => void guard(scene, look()));
}

/** Plays one seed: a storm, a calm, and the comparison of what is stored with what happened. */
export async function simulate(ask: SimulationAsk): Promise<SimulationResult> {
  const { seed } = ask;
  const scene = await openScene(seed, ask.without);
  const { world, plan, figures, violations } = scene;
  const wanted = Math.min(1 + world.random.below(4), ask.runsMax);
  const runs: RunIdentity[] = [];
  for (let no = 1; no <= wanted; no += 1) {
    world.after(world.random.next() * 4_000, null, () => void guard(scene, playRun(scene, no, runs)));
  }
  raiseStorm(scene);
  bringPeople(scene);
  watchInvariants(scene);
  await world.run(() => false, ask.stormMs);
  plan.heal();
  const seen = await untilAtRest(scene, runs, wanted);
  for (const stored of seen) {
    if (!isAtRest(stored)) {
      const { runId } = stored.run;
      violations.push({
        rule: 'stuck',
        runId,
        subject: stored.status,
        message: 'it neither ended nor waits for a person',
      });
    }
    const evidence = { provider: scene.provider, store: scene.store, kindOf: kindFinder(scene) };
    violations.push(...(await judgeRun(stored, evidence)));
  }
  if (seen.length < wanted) {
    violations.push({
      rule: 'start',
      runId: null,
      subject: `${seen.length} of ${wanted}`,
      message: 'a start never came through',
    });
  }
  violations.push(...judgeBook(seen, scene.provider));
  addNew(violations, await judgeInvariants(scene.store, scene.versions));
  figures.events = world.events();
  figures.runs = seen.length;
  figures.reviews = seen.filter((stored) => stored.status === 'HELD').length;
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
