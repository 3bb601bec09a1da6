import type { Effect } from '../../model/effect.ts';
import type { EffectKey, RunId } from '../../model/ids.ts';
import type { MemoryStore } from '../../store/memory/memory-store.ts';
import type { World } from './world.ts';

type Rows = ReturnType<MemoryStore['peek']>;

/** One that was lost, and what it had that its follower does not have. */
export interface Loss {
  readonly atMs: number;
  readonly before: Rows;
  readonly after: Rows;
}

/** The database as a machine that can break down: a replica follows it, without the last commits (P14). */
export interface DatabaseHost {
  /** Rises with each follower. */
  era(): number;
  /** What the one before has taken with it; null = it is the first. */
  loss(): Loss | null;
  /** From when a follower is there until an operator has been through the window. */
  isRecovering(): boolean;
  /** The row of an effect that the one before had, when the follower knows less of it. */
  forgotten(runId: RunId, key: EffectKey): Effect | null;
  /** Whether the one before had taken such an effect up, in a run that the follower does not have: started again, it knows nothing of it. */
  hasLost(key: EffectKey): boolean;
  /** Has a replica take over that has only these rows. */
  promote(rows: Rows): void;
  /** An operator has been through the window. */
  recovered(): void;
}

/** The machine under a store. */
export function createDatabaseHost(world: World, store: MemoryStore): DatabaseHost {
  let era = 1;
  let loss: Loss | null = null;
  let recovering = false;
  return {
    era: () => era,
    loss: () => loss,
    isRecovering: () => recovering,
    forgotten: (runId, key) => {
      const had = loss?.before.runs.get(runId)?.effects.get(key);
      const has = loss?.after.runs.get(runId)?.effects.get(key);
      return had !== undefined && (has === undefined || has.attempt < had.attempt) ? had : null;
    },
    hasLost: (key) =>
      loss !== null &&
      [...loss.before.runs].some(([runId, { effects }]) => effects.has(key) && loss?.after.runs.has(runId) === false),
    promote: (rows) => {
      era += 1;
      loss = { atMs: world.nowMs(), before: store.peek(), after: rows };
      recovering = true;
      store.become({ systemIdentifier: 'memory', timeline: era }, rows);
    },
    recovered: () => {
      recovering = false;
    },
  };
}

/** What a process knows of the database that it talks to: another one is looked at before anything else is done (P14). */
export interface Admission {
  admits(verb: string): boolean;
  /** The witness has answered the worker. */
  saw(era: number): void;
}

/** A process that has seen no database yet. */
export function createAdmission(host: DatabaseHost): Admission {
  let seen: number | null = null;
  return {
    admits: (verb) => verb === 'witness' || seen === null || seen === host.era(),
    saw: (era) => {
      seen = era;
    },
  };
}
