import type { Receipt } from '../model/effect.ts';
import type { EffectKey, RunId } from '../model/ids.ts';
import type { Observation } from '../model/run-commit.ts';
import type { SharedEffect } from '../model/shared-effect.ts';
import type { EffectState } from '../model/statuses.ts';

/** A line of a list of effects. */
export interface EffectLine {
  readonly runId: RunId;
  readonly runKey: string;
  readonly workflow: string;
  readonly version: number;
  readonly startedAtMs: number;
  readonly key: EffectKey;
  readonly step: string;
  readonly action: string;
  readonly state: EffectState;
  /** Sendings so far. */
  readonly attempt: number;
  readonly code: string | null;
  /** When it was settled, fell into doubt or was sent last; else when its run was started. */
  readonly sinceMs: number;
  readonly settledAtMs: number | null;
}

/** A place in a list of effects: the effect behind which the next page begins. */
export type EffectPlace = Pick<EffectLine, 'startedAtMs' | 'runId' | 'key'>;

/** Which effects are asked for; absent = any. */
export interface EffectFilter {
  readonly tenant: string;
  readonly states?: readonly EffectState[];
  readonly action?: string;
  readonly runId?: RunId;
  readonly workflow?: string;
  /** Only effects of runs of these. */
  readonly workflows?: readonly string[];
  /** Only those whose `sinceMs` is before this instant. */
  readonly beforeMs?: number;
  readonly after?: EffectPlace;
  readonly limit: number;
}

/** What a store does with the ledgers of all runs. */
export interface LedgerStore {
  /** Effects of a tenant in every part: by their runs, the newest first, and of one run by their keys. */
  effects(filter: EffectFilter): Promise<readonly EffectLine[]>;
  receipts(part: number, runId: RunId): Promise<readonly Receipt[]>;
  observations(part: number, runId: RunId): Promise<readonly Observation[]>;

  /** E11: an act that runs share, in the part of its key; null = nobody has asked for it. */
  sharedEffect(part: number, effectKey: EffectKey): Promise<SharedEffect | null>;
  /** Writes a shared act that is as `version - 1` was written, or (version 1) is not there. @returns false where it is not. */
  putSharedEffect(row: SharedEffect): Promise<boolean>;
  /** Shared acts of a part in the order of their keys. @param after the last key of the page before; null = from the first. */
  sharedEffects(part: number, after: EffectKey | null, limit: number): Promise<readonly SharedEffect[]>;
}
