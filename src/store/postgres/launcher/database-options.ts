import type { Clock } from '../../../ports/clock.ts';

/** The environment as plain data; the launcher never reads the process's own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the launcher is told. */
export interface DatabaseOptions {
  /** Absolute path of the directory that holds the database and its control files (`./.pawl`). */
  readonly dataDir: string;
  /** Read for `DATABASE_URL` and `PATH`. */
  readonly env: Environment;
  readonly clock: Clock;
  /** fsync off, and the server ends with this process: for test clusters only. */
  readonly throwAway?: boolean;
  /** How long the server outlives its last client, milliseconds; 10 000 unless set. */
  readonly lingerMs?: number;
  /** How long a start is tried again while an old server is still going away, milliseconds; 15 000 unless set. */
  readonly restartWithinMs?: number;
  /** Which binaries may be used; both unless set. */
  readonly binaries?: 'any' | 'bundled' | 'system';
}

/** A database that answers, and the hand of this process on it. */
export interface Database {
  readonly url: string;
  /** Given by `DATABASE_URL`, or run by us from the bundled or the system's binaries. */
  readonly kind: 'given' | 'bundled' | 'system';
  /** Major version of the server's binaries; null where the server is not ours. */
  readonly major: number | null;
  /** Starts the server again after its loss; does nothing while it answers, or when it is not ours. */
  revive(): Promise<void>;
  /** Gives the hand back; the last one to leave makes the server stop after the linger time. */
  leave(): Promise<void>;
}

/** What is known of the database without starting it. */
export interface DatabaseStatus {
  readonly kind: 'given' | 'bundled' | 'system' | 'none';
  readonly running: boolean;
  readonly pid: number | null;
  readonly url: string | null;
  /** Where the data lies; null for a given database. */
  readonly dataPath: string | null;
  readonly major: number | null;
  /** Processes that hold the server. */
  readonly clients: number;
  /** Kept up by `pawl db start` until `pawl db stop`. */
  readonly pinned: boolean;
}
