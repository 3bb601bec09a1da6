import type { Failure } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { OPERATORS } from './hold-step.ts';
import { pivotOf } from './pivot.ts';
import { DEADLINE } from './settle-run.ts';

/** Id of the incident under which nothing new is sent. */
export const DEADLINE_HELD = 'deadline';

/**
 * The run's deadline has passed (R19): no new forward work, open effects settle, then failure `timeout`. Behind the pivot
 * nothing is undone by itself, so a person decides; while the pivot is in flight neither direction moves (R20).
 */
export function passDeadline(draft: Draft): void {
  const pivot = pivotOf(draft.effects.values());
  if (pivot === 'open') {
    draft.setControl({ deadlineWaiting: true });
    return;
  }
  if (pivot === 'behind') {
    holdDeadline(draft, 'pivot');
    return;
  }
  if (draft.ctx.compiled.machine.definition.onFailure === 'hold') {
    holdDeadline(draft, 'failure');
    return;
  }
  stopForDeadline(draft);
}

/** Forward work ends with the failure `timeout`; no catch takes it. */
export function stopForDeadline(draft: Draft): void {
  const failure: Failure = {
    code: 'timeout',
    class: 'timeout',
    message: "the run's deadline has passed",
    step: null,
    data: null,
    cause: null,
  };
  const ending = { kind: 'failed', as: null, output: null, failure } as const;
  draft.enqueue({ type: 'run.stopped', ending, atMs: draft.atMs }, { type: 'timer', id: DEADLINE, step: null });
}

/** The deadline may not undo: until a person has decided, nothing new is sent. */
export function holdDeadline(draft: Draft, kind: 'pivot' | 'failure'): void {
  const message = "timeout: the run's deadline has passed";
  const acts = ['retry', 'compensate', 'terminate'];
  draft.openIncident({
    id: `${kind}:${DEADLINE_HELD}`,
    kind,
    step: null,
    effectKey: null,
    message,
    from: OPERATORS,
    acts,
  });
}
