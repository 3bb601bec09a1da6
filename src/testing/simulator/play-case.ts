import { PawlError } from '../../model/errors.ts';
import type { Case, Cases } from './cases.ts';
import { guard } from './guard.ts';
import { act } from './outside.ts';
import type { OutsideAct } from './scenario-parts.ts';
import type { Scene } from './scene.ts';

/** Has something come to a run later. */
export function comeLater(scene: Scene, cases: Cases, { no, delayMs, doing }: Coming): void {
  cases.pending.count += 1;
  const come = async (): Promise<void> => {
    const found = cases.started.get(no);
    if (found !== undefined && !cases.byHand.has(no)) await act(scene, found.run.runId, doing);
    cases.pending.count -= 1;
  };
  scene.world.after(delayMs, null, () => void guard(scene, come()));
}

interface Coming {
  readonly no: number;
  readonly delayMs: number;
  readonly doing: OutsideAct;
}

/** Starts a run, now and then twice, and lets the world do to it what the scenario says. */
export async function playCase(scene: Scene, no: number, cases: Cases): Promise<void> {
  const { world, fleet, scenario, host } = scene;
  const ask = { workflow: scenario.name, version: null, input: { no: `O-${no}` }, by: 'starter' };
  const era = host.era();
  const started = await fleet.ask((verbs) => verbs.start(ask));
  if (started instanceof PawlError) throw started;
  const again = world.random.next() < 0.3 ? await fleet.ask((verbs) => verbs.start(ask)) : started;
  if (again instanceof PawlError) throw again;
  const { runId } = started.run;
  if (again.run.runId !== runId && host.era() === era)
    scene.violations.push({ rule: 'start', runId, subject: `O-${no}`, message: 'the same start gave another run' });
  const played: Case = { no, run: again.run, startedAtMs: world.nowMs(), acts: scenario.outside(world.random) };
  cases.started.set(no, played);
  for (const doing of played.acts) comeLater(scene, cases, { no, delayMs: doing.atMs, doing });
}
