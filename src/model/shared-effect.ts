import type { KeyIngredients } from './effect.ts';
import type { EffectKey, RunId } from './ids.ts';
import type { Json } from './json.ts';
import type { FailureClass } from './statuses.ts';
import { VIRTUAL_SHARDS } from './virtual-shard.ts';

/** How a shared act ended, as its owner tells it and all users record it. */
export interface ShareOutcome {
  readonly ok: boolean;
  readonly code: string | null;
  readonly class: FailureClass | null;
  readonly message: string;
  readonly output: Json;
  readonly externalId: string | null;
}

/**
 * What a user has been told of a shared act: it is the one to send it; how it ended; it was closed, the next generation
 * counts; it was asked for with another request. `left`: the user wants it no more.
 */
export type ShareWord = 'owner' | 'settled' | 'closed' | 'conflict' | 'left';

/** What a user that wants to undo a shared act is told: it may; others rely on it; it is undone already. */
export type UndoWord = 'alone' | 'shared' | 'undone';

/** A run that has asked for a shared act, in the order of asking. */
export interface ShareUser {
  readonly runId: RunId;
  readonly step: string;
  readonly sinceMs: number;
  /** null = it waits for the owner. */
  readonly word: ShareWord | null;
  /** Whose word it was told, or whose request was another; null where there is none. */
  readonly of: RunId | null;
  /** Its last question whether it may undo. */
  readonly undo: { readonly key: EffectKey; readonly word: UndoWord } | null;
  /** Where its last message lay that was heard: an earlier one, and the same again, change nothing. */
  readonly heard: readonly [revision: number, ordinal: number];
}

/** An act that several runs share (E11), in the part of its key. */
export interface SharedEffect {
  readonly part: number;
  readonly tenant: string;
  readonly effectKey: EffectKey;
  readonly ingredients: Extract<KeyIngredients, { kind: 'forward' }>;
  /** The request that all users ask for; null = nothing was sent and nobody asks: the next one says it. */
  readonly requestHash: string | null;
  /**
   * `open`: it has an owner, or nobody asks. `confirmed` and `failed`: told to all users. `undoing`: its last user undoes it.
   * Of one that failed or is `closed` the next user starts the next generation.
   */
  readonly state: 'open' | 'confirmed' | 'failed' | 'undoing' | 'closed';
  /** Who sends it, or has sent it; while it is being undone, who undoes it. */
  readonly owner: RunId | null;
  readonly outcome: ShareOutcome | null;
  readonly users: readonly ShareUser[];
  /** Rises with each change, from 1. */
  readonly version: number;
}

/** What a run says of an act that it shares; its messages about one act keep their order. */
export type ShareSaying =
  | { readonly say: 'ask'; readonly step: string; readonly requestHash: string }
  | { readonly say: 'settled'; readonly outcome: ShareOutcome }
  /** It is withdrawn, refused or absent: the next user becomes the owner. */
  | { readonly say: 'left'; readonly sent: boolean }
  | { readonly say: 'undo'; readonly undoKey: EffectKey }
  | { readonly say: 'undone' }
  /** The undo was begun and is not done: the act stands, and the run relies on it as before. */
  | { readonly say: 'kept' }
  /** A person lets the act stand: the run relies on it no more. */
  | { readonly say: 'waived' };

/** Body of the message `share`. */
export interface ShareMessage {
  readonly tenant: string;
  readonly effectKey: EffectKey;
  readonly ingredients: SharedEffect['ingredients'];
  readonly saying: ShareSaying;
}

/** What a run is told of an act that it shares. */
export interface ShareNews {
  readonly effectKey: EffectKey;
  /** `stands`: the generation before was done for others, after this run had withdrawn from it. */
  readonly word: Exclude<ShareWord, 'left'> | UndoWord | 'stands';
  /** The undo that was asked about; null = the act itself. */
  readonly undoKey: EffectKey | null;
  readonly of: RunId | null;
  readonly outcome: ShareOutcome | null;
}

/** Where a shared act has its place: chosen by its key, whatever the parts of its users. */
export function sharePart(effectKey: EffectKey, parts: number): number {
  return (Number.parseInt(effectKey.slice(0, 3), 16) % VIRTUAL_SHARDS) % parts;
}

/** Whether a user relies on the act, waits for it or carries it out. */
export function reliesOn({ word }: ShareUser): boolean {
  return word === null || word === 'owner' || word === 'settled';
}
