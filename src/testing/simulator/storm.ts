import type { Cases } from './cases.ts';
import { planFailover } from './failover.ts';
import { guard } from './guard.ts';
import type { Scene } from './scene.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import { prepareVersion } from './versions.ts';

/** A pause is at most this long: past the lease, so that the paused one wakes up in a world that has gone on. */
const PAUSE_MS_MAX = 4_000;
/** Some are so long that people have answered meanwhile. */
const LONG_PAUSE_MS_MAX = 14_000;
const LONG_PAUSES = 0.15;
const GRACE_MS = 800;
/** The database's clock is stepped at most this far forward; further, and no quarantine can be believed. */
const STEP_AHEAD_MS = 150;
const STEP_BACK_MS = 1_000;
const BEAT_MS = 500;

function kill(scene: Scene, process: SimulatedProcess): void {
  scene.figures.crashes += 1;
  process.kill();
}

function pause(scene: Scene, process: SimulatedProcess): void {
  scene.figures.pauses += 1;
  const { random } = scene.world;
  process.pause(random.next() * (random.next() < LONG_PAUSES ? LONG_PAUSE_MS_MAX : PAUSE_MS_MAX));
}

/** A provider's machine is gone this long at most, milliseconds: retries are used up, circuits open. */
const OUTAGE_MS_MAX = 60_000;
/** When an outage begins, or a version is published, at the latest; milliseconds. */
const BEGINS_MS_MAX = 10_000;

/** Has nobody listen at the provider's for a while. */
function planOutage({ world, setDown }: Scene, { pending }: Cases): void {
  pending.count += 1;
  world.after(world.random.next() * BEGINS_MS_MAX, null, () => {
    setDown(true);
    world.after(world.random.next() ** 2 * OUTAGE_MS_MAX, null, () => {
      setDown(false);
      pending.count -= 1;
    });
  });
}

/** Publishes the next version while runs wait on the one before. */
function planDeploy(scene: Scene): void {
  const { world, store, scenario } = scene;
  const publish = async (): Promise<void> => {
    await store.publish(await prepareVersion(scenario.texts[1], scenario.children));
  };
  world.after(world.random.next() * BEGINS_MS_MAX, null, () => void guard(scene, publish()));
}

/** What comes once in some seeds. */
export function planPlagues(scene: Scene, cases: Cases): void {
  const { plan } = scene;
  if (plan.comes('outages', 0.08)) planOutage(scene, cases);
  if (plan.comes('deploys', 0.2)) planDeploy(scene);
  // What a lost database owes to the children of a lost run is nobody's to say here.
  if (plan.comes('failovers', 0.1) && scene.scenario.children.length === 0) planFailover(scene, cases);
}

/** Has processes die, stop and be replaced, and the database's clock jump, until the plan is healed. */
export function raiseStorm(scene: Scene): void {
  const { world, fleet, plan } = scene;
  const { random } = world;
  const level = random.next();
  const steps = random.next() < 0.3 ? 0.05 : 0;
  const beat = (): void => {
    if (plan.isHealed()) return;
    for (const process of fleet.alive()) {
      if (plan.comes('deaths', level * 0.08)) kill(scene, process);
      else if (plan.comes('deaths', level * 0.02)) process.terminate(GRACE_MS);
      else if (plan.comes('pauses', level * 0.05)) pause(scene, process);
    }
    const stepMs = random.next() < 0.5 ? random.next() * STEP_AHEAD_MS : -random.next() * STEP_BACK_MS;
    if (plan.comes('clock', steps)) scene.stepClock(stepMs);
    world.after(BEAT_MS * (0.5 + random.next()), null, beat);
  };
  world.after(0, null, beat);
}
