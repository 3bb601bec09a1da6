import type { Clock } from '../ports/clock.ts';

/**
 * Sees to it that a suspect, a run taken over from a dead process, is held while this process holds nothing else, in any
 * part: only then does another crash say something about the run (P06).
 */
export interface Alone {
  /** Whether runs may be claimed or started here now: not while a suspect is on trial, nor while one has waited too long for empty hands. */
  mayClaim(): boolean;
  /** A suspect was claimed. @returns whether it may be held; otherwise it is to be given back. */
  admit(): boolean;
  /** The suspect has proven itself or left. */
  release(): void;
}

/** What it judges by. */
export interface AloneOptions {
  readonly clock: Clock;
  /** How long a suspect waits for empty hands before nothing else is claimed, milliseconds. */
  readonly patienceMs: number;
  /** Runs that this process holds in all parts. */
  heldCount(): number;
}

/** One for all lanes of a process. */
export function createAlone(options: AloneOptions): Alone {
  let onTrial = false;
  let waitsSinceMs: number | null = null;
  return {
    mayClaim: () => {
      if (onTrial) return false;
      if (waitsSinceMs === null || options.heldCount() === 0) return true;
      return options.clock.monotonicMs() - waitsSinceMs < options.patienceMs;
    },
    admit: () => {
      if (onTrial || options.heldCount() > 0) {
        waitsSinceMs ??= options.clock.monotonicMs();
        return false;
      }
      onTrial = true;
      waitsSinceMs = null;
      return true;
    },
    release: () => {
      onTrial = false;
    },
  };
}
