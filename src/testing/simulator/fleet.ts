import type { Verbs } from '../../app/verbs.ts';
import { PawlError } from '../../model/errors.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

/** How long somebody outside waits for a process before asking another one, milliseconds. */
const PATIENCE_MS = 4_000;
/** Between two askings, milliseconds. */
const PAUSE_MS = 300;

/** The processes that are there now, and those who will take the places of the dead. */
export interface Fleet {
  alive(): readonly SimulatedProcess[];
  /** Asks some process, and others, until one answers; what is refused for good is an answer. */
  ask<T>(act: (verbs: Verbs) => Promise<T>): Promise<T | PawlError>;
}

/** A place stays empty this long after its process has died, at most; and where its machine is gone, too; milliseconds. */
const EMPTY_MS_MAX = 2_000;
const GONE_MS_MAX = 15_000;

/** How a fleet is kept. */
export interface FleetSetup {
  /** Starts the process of a place, under a new name; `onDeath` is to be told when it ends, and another takes its place. */
  start(place: number, onDeath: () => void): SimulatedProcess;
  /** Whether the machine has died with its process, so that the place is empty for long. */
  isGone(): boolean;
}

/** Fills all places. */
export function createFleet(world: World, places: number, { start, isGone }: FleetSetup): Fleet {
  const processes = new Map<number, SimulatedProcess>();
  const fill = (place: number): void => {
    const onDeath = (): void => {
      const emptyMs = isGone() ? GONE_MS_MAX : EMPTY_MS_MAX;
      world.after(world.random.next() * emptyMs, null, () => fill(place));
    };
    processes.set(place, start(place, onDeath));
  };
  for (let place = 0; place < places; place += 1) fill(place);
  const alive = (): readonly SimulatedProcess[] => [...processes.values()].filter((process) => process.isAlive());

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      world.after(PAUSE_MS, null, resolve);
    });

  /** One asking of one process; null when it does not answer in time. */
  const once = <T>(process: SimulatedProcess, act: (verbs: Verbs) => Promise<T>): Promise<T | PawlError | null> =>
    new Promise((resolve, reject) => {
      const cancel = world.after(PATIENCE_MS, null, () => resolve(null));
      act(process.verbs).then(
        (answer) => {
          cancel();
          resolve(answer);
        },
        (error: unknown) => {
          cancel();
          if (error instanceof PawlError) resolve(error.retry === 'never' ? error : null);
          else reject(error as Error);
        },
      );
    });

  return {
    alive,
    ask: async (act) => {
      for (;;) {
        const [first, ...rest] = alive();
        const answer = first === undefined ? null : await once(world.random.pick([first, ...rest]), act);
        if (answer !== null) return answer;
        await pause();
      }
    },
  };
}
