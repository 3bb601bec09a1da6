import type { ToldOutcome } from '../model/inbox-event.ts';
import type { Outcome } from '../model/outcome.ts';

/** An outcome as an inbox keeps it: without an output where there is none. */
export function asTold({ output, ...outcome }: Outcome): ToldOutcome {
  return output === undefined ? outcome : { ...outcome, output };
}
