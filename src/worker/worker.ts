import { createCircuits } from '../engine/circuits.ts';
import type { Door } from '../engine/door.ts';
import type { Engine } from '../engine/engine.ts';
import { fireSchedules } from '../engine/fire-schedules.ts';
import { createPauses } from '../engine/pauses.ts';
import { createRecovery } from '../engine/recovery.ts';
import { createAlone } from './alone.ts';
import { type Lane, openLane } from './lane.ts';
import { startLoop } from './loop.ts';

/** A worker process's work: one lane per part, and the schedules of all. */
export interface Worker {
  /** The decider of a part in this process. */
  doorOf(part: number): Door;
  /** Runs held in all parts. */
  heldCount(): number;
  /** Finishes or releases what it holds within the grace, milliseconds (P05). Ends once, whoever calls. */
  stop(graceMs: number): Promise<void>;
}

/** Starts working in every part of the store. */
export async function startWorker(engine: Engine): Promise<Worker> {
  const parts = Array.from({ length: engine.store.parts }, (_, part) => part);
  let lanes: readonly Lane[] = [];
  const heldCount = (): number => lanes.reduce((sum, lane) => sum + lane.heldCount(), 0);
  const alone = createAlone({ clock: engine.clock, patienceMs: engine.numbers.leaseMs, heldCount });
  const recovery = createRecovery(engine.store, engine.logger);
  await recovery.look();
  const pauses = createPauses(engine.store, engine.clock, engine.logger);
  const outlet = pauses.over(recovery.over(createCircuits(engine.clock, engine.logger)));
  const hearing = await engine.store.listen((part) => lanes[part]?.nudge());
  const look = async (): Promise<void> => {
    if (await recovery.look()) for (const lane of lanes) lane.forsake();
  };
  const company = { alone, outlet, look, tend: () => pauses.tend() };
  lanes = await Promise.all(parts.map((part) => openLane(engine, part, { ...company, hears: () => hearing.hears() })));
  const doorOf = (part: number): Door => {
    const lane = lanes[part];
    if (lane === undefined) throw new RangeError(`there is no part ${part}`);
    return lane;
  };
  const schedules = startLoop({
    name: 'schedules',
    clock: engine.clock,
    logger: engine.logger,
    round: async () => {
      const pauses: number[] = [];
      for (const part of parts) pauses.push(await fireSchedules(engine, doorOf, part));
      return Math.min(...pauses);
    },
  });
  const stopAll = async (graceMs: number): Promise<void> => {
    await Promise.all([schedules.stop(), ...lanes.map((lane) => lane.stop(graceMs))]);
    await hearing.end();
    engine.logger.info({}, 'worker.stopped');
  };
  let stopped: Promise<void> | null = null;
  engine.logger.info({ parts: parts.length }, 'worker.started');
  return {
    doorOf,
    heldCount,
    stop: (graceMs) => {
      stopped ??= stopAll(graceMs);
      return stopped;
    },
  };
}
