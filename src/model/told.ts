import type { Json } from './json.ts';

/** What a remote worker may say of the attempt that it was handed. */
export const TOLD_OUTCOMES = ['confirmed', 'rejected', 'unavailable', 'throttled', 'pending', 'unknown'] as const;

/** A remote worker's word about its attempt, as it came. */
export interface Told {
  readonly outcome: (typeof TOLD_OUTCOMES)[number];
  /** What was given back: of `confirmed` the action's output, of any other what a person may want to read. */
  readonly output: Json;
  /** Why, in kebab-case; null = the outcome says it all. */
  readonly code: string | null;
  /** Not again before, milliseconds from now; null = as the retry policy says. */
  readonly afterMs: number | null;
}
