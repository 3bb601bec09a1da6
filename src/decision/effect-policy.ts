import type {
  ActionContract,
  CallStep,
  Compensation,
  RetryPolicy,
  Review,
  WorkflowDefinition,
} from '../model/definition.ts';

/** What is decided about an effect beside its contract; from the step (or the compensation) before the action. */
export interface EffectPolicy {
  readonly retry: RetryPolicy;
  readonly onUnknown: 'resend' | 'reconcile' | 'review' | null;
  readonly review: Review | null;
  /** Longest time of one attempt, milliseconds. */
  readonly timeoutMs: number;
  /** How long an attempt may wait to be handed out, where its step or its undo says so, milliseconds; null = as long as it takes. */
  readonly waitMs: number | null;
  /** What a compensation does when it is refused for good. */
  readonly onFailure: 'hold' | 'continue';
}

/** The policy of a step's own effect. */
export function forwardPolicy(step: CallStep, contract: ActionContract): EffectPolicy {
  return {
    retry: step.retry ?? contract.retry,
    onUnknown: step.onUnknown,
    review: step.review,
    timeoutMs: step.timeoutMs ?? contract.timeoutMs,
    waitMs: step.timeoutMs,
    onFailure: 'hold',
  };
}

/** The undo that holds for a step: its own, else its action's; null where neither says one. */
export function compensationOf(step: CallStep, contract: ActionContract): Compensation | null {
  return step.compensate ?? contract.compensate;
}

/**
 * The policy of a compensation: its own words before the document's.
 * @param contract the contract of the action that compensates.
 */
export function compensationPolicy(
  compensation: Extract<Compensation, { kind: 'call' }>,
  contract: ActionContract,
  defaults: WorkflowDefinition['compensation'],
): EffectPolicy {
  return {
    retry: compensation.retry ?? defaults.retry,
    onUnknown: null,
    review: null,
    timeoutMs: compensation.timeoutMs ?? contract.timeoutMs,
    waitMs: compensation.timeoutMs,
    onFailure: compensation.onFailure ?? defaults.onFailure,
  };
}
