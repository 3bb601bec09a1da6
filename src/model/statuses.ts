/** The closed list of run statuses (docs/reference/statuses.md says what each means and who can move it). */
export const RUN_STATUSES = [
  'QUEUED',
  'RUNNING',
  'WAITING',
  'COMPENSATING',
  'HELD',
  'COMPLETED',
  'FAILED',
  'COMPENSATED',
  'COMPENSATED_WITH_ERRORS',
  'CANCELLED',
  'TERMINATED',
] as const;
/** Where a run stands, in one word. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The statuses that are ends: nothing moves a run out of them but an order or a late proof. */
export const END_STATUSES = [
  'COMPLETED',
  'FAILED',
  'COMPENSATED',
  'COMPENSATED_WITH_ERRORS',
  'CANCELLED',
  'TERMINATED',
] as const satisfies readonly RunStatus[];

/** Whether a status is an end. */
export function isEnd(status: RunStatus): boolean {
  return (END_STATUSES as readonly RunStatus[]).includes(status);
}

/** The direction a run is moving in. */
export type RunPhase = 'forward' | 'settling' | 'compensating' | 'finally' | 'ended';

/** Whether steps are under way: on the way forward, or in `finally`. */
export function isStepping(phase: RunPhase): boolean {
  return phase === 'forward' || phase === 'finally';
}

/** The closed list of effect states. */
export const EFFECT_STATES = [
  'PROPOSED',
  'AUTHORIZED',
  'REQUESTED',
  'UNKNOWN',
  'CONFIRMED',
  'FAILED',
  'ABSENT',
  'REFUSED',
  'CANCELLED',
  'WAIVED',
] as const;
/** States in which something may still happen by itself. */
export const OPEN_EFFECT_STATES = [
  'PROPOSED',
  'AUTHORIZED',
  'REQUESTED',
  'UNKNOWN',
] as const satisfies readonly (typeof EFFECT_STATES)[number][];
/** What the ledger knows of one effect. */
export type EffectState = (typeof EFFECT_STATES)[number];

/** What one attempt or query meant. `absent` comes from a query alone. */
export type OutcomeKind = 'confirmed' | 'rejected' | 'unavailable' | 'throttled' | 'unknown' | 'pending' | 'absent';

/** Why a run is HELD. */
export type IncidentKind =
  | 'failure'
  | 'unknown'
  | 'compensation'
  | 'pivot'
  | 'expired'
  | 'authorization'
  | 'conflict'
  | 'poison'
  | 'pin'
  | 'late-proof';

/** What became of an event, as its sender is told (rule V11). */
export type InboxOutcome =
  | 'applied'
  | 'kept'
  | 'duplicate'
  | 'stale'
  | 'refused'
  | 'already-decided'
  | 'ended'
  | 'unmatched';

/** The classes a `catch` can name beside free codes. */
export type FailureClass =
  | 'rejected'
  | 'unavailable'
  | 'throttled'
  | 'timeout'
  | 'unknown'
  | 'unreadable'
  | 'absent'
  | 'conflict'
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'child'
  | 'no-match'
  | 'impossible'
  | 'limit'
  | 'duplicate-item'
  | 'unauthorized'
  | 'refused'
  | 'shared-effect'
  | 'no-rows'
  | 'expression';

/** Everything that a person may say of an effect in review. */
export const REVIEW_WORDS = ['confirmed', 'absent', 'rejected', 'keep-waiting', 'retry', 'undone', 'waived'] as const;
/** What a person may say of an effect in doubt, or of a compensation that was refused for good. */
export type ReviewAnswer = (typeof REVIEW_WORDS)[number];
