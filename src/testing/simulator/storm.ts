import type { Scene } from './scene.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** A pause is at most this long: past the lease, so that the paused one wakes up in a world that has gone on. */
const PAUSE_MS_MAX = 4_000;
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
  process.pause(scene.world.random.next() * PAUSE_MS_MAX);
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
