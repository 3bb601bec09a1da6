/** A way in which providers do not keep their word. */
export const LIES = ['keys', 'late', 'lookup', 'open', 'empty', 'noes', 'reads'] as const;
/** One of them. */
export type Lie = (typeof LIES)[number];

/** Who lies about what; an action's name, or every action. */
export interface Untruth {
  readonly lie: Lie;
  /** null = every action. */
  readonly action: string | null;
  /** How much later than promised, milliseconds; null = as late as it takes to be believed absent. */
  readonly byMs: number | null;
}
