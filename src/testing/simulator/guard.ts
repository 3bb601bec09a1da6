import type { Scene } from './scene.ts';

/** A promise of the play that breaks is a finding, not a crash of the simulator. */
export async function guard(scene: Scene, doing: Promise<void>): Promise<void> {
  try {
    await doing;
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    scene.violations.push({ rule: 'play', runId: null, subject: scene.scenario.name, message });
  }
}

/** Time passes. */
export function pause(scene: Scene, ms: number): Promise<void> {
  return new Promise((resolve) => {
    scene.world.after(ms, null, resolve);
  });
}
