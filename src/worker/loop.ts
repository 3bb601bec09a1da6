import { PawlError } from '../model/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createBell } from './bell.ts';

const PAUSE_AFTER_FAULT_MS_MIN = 50;
const PAUSE_AFTER_FAULT_MS_MAX = 2_000;

/** A loop that is running. */
export interface Loop {
  /** Has the next round begin now. */
  ring(): void;
  /** Ends it after the round that is running. */
  stop(): Promise<void>;
}

/** What a loop does: one bounded round, and how long to rest after it. */
export interface LoopOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** @returns the pause until the next round, milliseconds. */
  round(): Promise<number>;
}

/** Runs rounds until it is stopped; a round that throws is logged and tried again after a growing pause. */
export function startLoop(options: LoopOptions): Loop {
  const bell = createBell(options.clock);
  let stopped = false;
  let faults = 0;

  const pauseAfter = async (): Promise<number> => {
    try {
      const pauseMs = await options.round();
      faults = 0;
      return pauseMs;
    } catch (error) {
      const pauseMs = Math.min(PAUSE_AFTER_FAULT_MS_MIN * 2 ** faults, PAUSE_AFTER_FAULT_MS_MAX);
      faults = Math.min(faults + 1, 10);
      const facts = {
        loop: options.name,
        pauseMs,
        code: error instanceof PawlError ? error.code : null,
        message: error instanceof Error ? error.message : String(error),
      };
      options.logger.warn(facts, 'loop.fault');
      return pauseMs;
    }
  };

  const run = async (): Promise<void> => {
    while (!stopped) {
      const pauseMs = await pauseAfter();
      if (!stopped) await bell.wait(pauseMs);
    }
  };

  const ended = run();
  return {
    ring: bell.ring,
    stop: async () => {
      stopped = true;
      bell.ring();
      await ended;
    },
  };
}
