import type { RunState } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { OPERATORS } from './hold-step.ts';
import { DEADLINE_HELD } from './pass-deadline.ts';

/** What of a run says whether anything may leave. */
export type Acting = Pick<RunState, 'phase' | 'control' | 'effects'>;

const PIN = 'pin:functions';

/**
 * What may not leave: `all` while the run is paused, while this process lacks a function of the version or the run is parked, `new` while a
 * deadline waits for a person (what is open still settles), null otherwise.
 */
export function blockOf(draft: Pick<RunState, 'control'>): 'all' | 'new' | null {
  const { incidents, paused } = draft.control;
  if (paused !== undefined) return 'all';
  if (incidents.some((incident) => incident.kind === 'pin' || incident.kind === 'poison')) return 'all';
  return incidents.some((incident) => incident.id.endsWith(`:${DEADLINE_HELD}`)) ? 'new' : null;
}

/**
 * A version's functions are part of its pin: without one nothing is sent, and the missing one is named (P07). A process
 * that has loaded the run and lacks nothing ends what another one could not.
 */
export function checkPin(draft: Draft): void {
  const missing = draft.ctx.missingFunctions;
  if (missing.length === 0) {
    draft.closeIncidents((incident) => incident.kind === 'pin');
    return;
  }
  if (!draft.ctx.canSend || draft.phase === 'ended') return;
  draft.openIncident({
    id: PIN,
    kind: 'pin',
    step: null,
    effectKey: null,
    message: `this version needs functions that are not registered: ${missing.join(', ')}`,
    from: OPERATORS,
    acts: ['retry'],
  });
}
