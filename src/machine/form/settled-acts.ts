import type { RunData } from '../../model/run.ts';
import { recordOf } from '../assigns.ts';
import type { Turn } from '../compute.ts';

/**
 * The data with what is remembered of acts of a machine: of those that settled while the event was put aside, and of that which
 * settles now, so that the guards of its ways can read what it gave.
 */
export function withSettledActs({ event, program }: Turn, data: RunData): RunData {
  if (event === null || program.machine.definition.machine === undefined) return data;
  const before = 'before' in event ? (event.before ?? []) : [];
  const acts = event.type === 'effect.settled' || event.type === 'step.settled' ? [...before, event] : before;
  if (acts.length === 0) return data;
  const records = acts.map((act) => [act.step, recordOf(act)] as const);
  return { ...data, steps: { ...data.steps, ...Object.fromEntries(records) } };
}
