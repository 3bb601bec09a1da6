import type { EffectKey, RunId } from './ids.ts';
import type { EffectChange } from './run-commit.ts';
import type { EffectState, RunStatus } from './statuses.ts';

/** An effect as a commit has left it. */
export interface ToldEffect {
  readonly key: EffectKey;
  readonly step: string;
  readonly state: EffectState;
}

/** Behind what of a part's changes somebody has read: all before `position`, and of `position` the runs up to `runId`; null = none of it. */
export interface ChangePlace {
  readonly position: number;
  readonly runId: RunId | null;
}

/** What one commit has changed of a run, thin: whoever wants more reads the run. */
export interface RunChange {
  /** A number that only grows in its part, as commits become visible; several runs of one commit share it. */
  readonly position: number;
  readonly runId: RunId;
  readonly key: string;
  readonly workflow: string;
  readonly version: number;
  readonly revision: number;
  readonly status: RunStatus;
  /** Those that this commit has written. */
  readonly effects: readonly ToldEffect[];
  readonly atMs: number;
}

/** What of the ledger a commit tells. */
export function toldEffects(changes: readonly EffectChange[]): readonly ToldEffect[] {
  return changes.map(({ effect: { key, step, state } }) => ({ key, step, state }));
}
