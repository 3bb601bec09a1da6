import type { Door } from '../engine/door.ts';
import type { Engine } from '../engine/engine.ts';
import { createVisitor, type Visitor } from '../engine/visitor.ts';
import { startWorker, type Worker } from '../worker/worker.ts';

/** The deciders of this process, part by part: its worker's lanes while one runs, visitors otherwise. */
export interface Doors {
  doorOf(part: number): Door;
  /** Starts the worker of this process, or gives the one that runs. */
  openWorker(): Promise<Worker>;
  /** Ends the worker within the grace, milliseconds, and gives every seat back. */
  close(graceMs: number): Promise<void>;
}

/** Chooses who decides in this process. */
export function createDoors(engine: Engine): Doors {
  const visitors = new Map<number, Visitor>();
  let worker: Worker | null = null;
  let opening: Promise<Worker> | null = null;

  const visitorOf = (part: number): Visitor => {
    const known = visitors.get(part);
    if (known !== undefined) return known;
    const visitor = createVisitor(engine, part);
    visitors.set(part, visitor);
    return visitor;
  };

  /** The worker as others see it: once it stops, visitors decide again. */
  const open = async (): Promise<Worker> => {
    const started = await startWorker(engine);
    worker = started;
    return {
      ...started,
      stop: (graceMs) => {
        if (worker === started) {
          worker = null;
          opening = null;
        }
        return started.stop(graceMs);
      },
    };
  };

  return {
    doorOf: (part) => worker?.doorOf(part) ?? visitorOf(part),
    openWorker: () => {
      opening ??= open();
      return opening;
    },
    close: async (graceMs) => {
      const running = await opening;
      await running?.stop(graceMs);
      for (const visitor of visitors.values()) await visitor.leave();
    },
  };
}
