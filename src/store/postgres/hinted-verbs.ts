import { HINT_WITHIN_MS } from '../../model/numbers.ts';
import type { Store } from '../../ports/store.ts';

/** The verbs after which another process may have something to do. */
export type HintedVerbs = Pick<Store, 'start' | 'commit' | 'deliver' | 'deliverAndClaim' | 'fireTimers'>;

interface Due {
  readonly dueAtMs: number;
}

function isSoon(timers: readonly Due[], readyAtMs: number | null, nowMs: number): boolean {
  const first = Math.min(readyAtMs ?? Number.POSITIVE_INFINITY, ...timers.map(({ dueAtMs }) => dueAtMs));
  return first <= nowMs + HINT_WITHIN_MS;
}

/**
 * Tells other processes, after the transaction and only where there is something for them: a run that its starter does
 * not keep, one that was released or set a timer and is due before they would look again, an event that nobody here
 * decides, a timer that fired. A run that stays in its worker's hands tells nobody anything.
 */
export function withHints(verbs: HintedVerbs, tell: (part: number) => void): HintedVerbs {
  return {
    start: async (part, starts) => {
      const answers = await verbs.start(part, starts);
      const isNews = starts.some(({ lease, timers }, index) => {
        const answer = answers[index];
        return answer?.created === true && isSoon(timers, lease.kind === 'free' ? lease.readyAtMs : null, answer.atMs);
      });
      if (isNews) tell(part);
      return answers;
    },
    commit: async (part, workerId, commits) => {
      const answers = await verbs.commit(part, workerId, commits);
      const isNews = commits.some(({ lease, timersSet }, index) => {
        const answer = answers[index];
        const readyAtMs = lease.kind === 'release' ? lease.readyAtMs : null;
        return answer?.kind === 'applied' && isSoon(timersSet, readyAtMs, answer.atMs);
      });
      if (isNews) tell(part);
      return answers;
    },
    deliver: async (part, deliveries) => {
      const answers = await verbs.deliver(part, deliveries);
      if (answers.some(({ exists, event }) => exists && event === 'new')) tell(part);
      return answers;
    },
    deliverAndClaim: async (delivery, workerId, leaseMs) => {
      const answer = await verbs.deliverAndClaim(delivery, workerId, leaseMs);
      if (answer.exists && answer.event === 'new' && !answer.claimed) tell(delivery.part);
      return answer;
    },
    fireTimers: async (part, limit) => {
      const fired = await verbs.fireTimers(part, limit);
      if (fired > 0) tell(part);
      return fired;
    },
  };
}
