import { FAULT_HELD, OUTPUT_STEP } from '../machine/kernel-names.ts';
import { invariant } from '../model/errors.ts';
import type { RunData } from '../model/run.ts';
import { isMachine } from './aside.ts';
import type { Draft } from './draft.ts';
import { pivotOf } from './pivot.ts';
import { authorOf } from '../machine/lane-steps.ts';

/** A failure that nothing catches and that may not be undone by itself: a person decides (R20, `onFailure: hold`). */
export function holdStep(draft: Draft, step: string, data: RunData): void {
  const isBehindPivot = step !== OUTPUT_STEP && pivotOf(draft.effects.pivots()) === 'behind';
  const kind = isBehindPivot ? 'pivot' : 'failure';
  const { failing } = data;
  invariant(failing !== null, 'a step is held without a failure', { step });
  const what = `${failing.code}: ${failing.message}`;
  draft.openIncident({
    id: `${kind}:${step}`,
    kind,
    step,
    effectKey: null,
    message: step === OUTPUT_STEP ? `${whole(draft)}: ${what}` : `step ${authorOf(step)} failed: ${what}`,
    from: OPERATORS,
    acts: ['retry', 'compensate', 'terminate'],
  });
}

/** What is held where no step is. */
function whole(draft: Draft): string {
  return isMachine(draft) && draft.snapshot.value === FAULT_HELD
    ? 'the machine cannot go on'
    : 'the output could not be computed';
}

/** The acts that the present phase takes: `finally` is neither cancelled nor undone. */
export function actsNow({ phase }: Draft, acts: readonly string[]): readonly string[] {
  return phase === 'finally' ? acts.filter((act) => act !== 'cancel' && act !== 'compensate') : acts;
}

/** Who acts where a workflow does not say who. */
export const OPERATORS: readonly string[] = ['role:operator'];
