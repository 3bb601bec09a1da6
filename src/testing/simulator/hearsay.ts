import type { EffectKey, RunId } from '../../model/ids.ts';
import type { Owner, World } from './world.ts';

/** That a process has heard, and lived to tell, that an effect has happened: its ledger must know it (E08). */
export interface Heard {
  readonly runId: RunId;
  readonly key: EffectKey;
  readonly atMs: number;
}

/** What processes have heard. */
export interface Hearsay {
  /** A process has judged an answer as confirmed. */
  hear(runId: RunId, key: EffectKey, owner: Owner): void;
  /** A process could not file what it knew of a run, and has said so in its log. */
  fail(runId: RunId): void;
  /** What must be known of a run; nothing where something could not be filed. */
  of(runId: RunId): readonly Heard[];
}

/** Who lives on for that long after an answer has told the store, or has said that it could not; milliseconds. */
const TOLD_WITHIN_MS = 8_000;

/** Nothing was heard yet. */
export function createHearsay(world: World): Hearsay {
  const heard: Heard[] = [];
  const failed = new Set<RunId>();
  return {
    hear: (runId, key, owner) => {
      const atMs = world.nowMs();
      world.after(TOLD_WITHIN_MS, owner, () => heard.push({ runId, key, atMs }));
    },
    fail: (runId) => failed.add(runId),
    of: (runId) => (failed.has(runId) ? [] : heard.filter((one) => one.runId === runId)),
  };
}
