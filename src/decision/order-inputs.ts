import type { DecisionInput } from './decision-input.ts';

/** The database time at which an input counts: an event's receipt, a timer's due time, else now. */
export function timeOf(input: DecisionInput, nowMs: number): number {
  if (input.type !== 'inbox') return nowMs;
  const { payload, receivedAtMs } = input.event;
  return payload.type === 'timer' ? payload.dueAtMs : receivedAtMs;
}

/**
 * The order in which inputs apply: taking over first, then stored events, decisions and due timers in the order of their
 * database time, an event before a timer at a tie (V10), then what this process has just learned.
 */
export function orderInputs(inputs: readonly DecisionInput[], nowMs: number): readonly DecisionInput[] {
  return [...inputs].sort((left, right) => {
    const byRank = rankOf(left) - rankOf(right);
    if (byRank !== 0) return byRank;
    const byTime = timeOf(left, nowMs) - timeOf(right, nowMs);
    return byTime !== 0 ? byTime : Number(isTimer(left)) - Number(isTimer(right));
  });
}

function rankOf(input: DecisionInput): number {
  if (input.type === 'resumed') return 0;
  if (input.type === 'inbox') return 1;
  return input.type === 'due' ? 3 : 2;
}

function isTimer(input: DecisionInput): boolean {
  return input.type === 'inbox' && input.event.payload.type === 'timer';
}
