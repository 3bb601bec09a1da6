import type { RunControl, RunState } from '../model/run.ts';
import type { Draft } from './draft.ts';

/** Whether a call goes on with its retries, although the branch it stands in is not wanted any more. */
export function isFinishing({ control }: Pick<RunState, 'control'>, step: string): boolean {
  return control.finishing?.includes(step) === true;
}

/** Notes which calls go on; runs that never had any say nothing. */
export function setFinishing(draft: Draft, finishing: NonNullable<RunControl['finishing']>): void {
  if (finishing.length > 0 || draft.control.finishing !== undefined) draft.setControl({ finishing });
}

/** A call has come to its end, or begins anew. */
export function endFinishing(draft: Draft, step: string): void {
  if (!isFinishing(draft, step)) return;
  setFinishing(
    draft,
    (draft.control.finishing ?? []).filter((known) => known !== step),
  );
}
