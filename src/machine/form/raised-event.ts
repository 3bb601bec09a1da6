import type { Json, JsonObject } from '../../model/json.ts';
import type { KernelEvent } from '../../model/kernel.ts';
import type { RunData } from '../../model/run.ts';
import { invariant } from '../../model/errors.ts';
import { compute, type Turn } from '../compute.ts';
import type { ComputationRef } from '../kernel-names.ts';

type Received = Extract<KernelEvent, { readonly type: 'event.received' }>;

/**
 * The event that a machine tells itself.
 * @returns null where it tells none: its `when` is false, or a failure is being routed; `fault` where it cannot be computed.
 */
export function raisedEvent(turn: Turn, data: RunData, of: ComputationRef): Received | 'fault' | null {
  if (data.failing !== null) return null;
  const computed = compute(turn, data, of);
  if (!computed.ok) return 'fault';
  if (computed.value === null) return null;
  const part = 'at' in of ? turn.program.part(of.at) : null;
  invariant(part?.kind === 'raise', 'no event to raise', { at: part?.pointer ?? null });
  const given = (computed.value as JsonObject)['data'] as Json;
  const view = { id: '', name: part.name, data: given, source: 'machine', receivedAtMs: turn.nowMs, sequence: null };
  return { type: 'event.received', event: view, atMs: turn.nowMs, hold: turn.holds };
}
