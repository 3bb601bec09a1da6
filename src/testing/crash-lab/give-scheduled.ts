import { canonicalJson } from '../../model/canonical-json.ts';
import type { RunIdentity } from '../../model/run.ts';
import type { CastVote, Sendable } from './givers.ts';
import type { Lab } from './lab.ts';
import type { GivenEvent } from './scenario-file.ts';
import type { Stage } from './stage.ts';
import type { Trouble } from './trouble.ts';

/** Where the scenario's own events and votes go. */
interface Schedule {
  readonly lab: Lab;
  readonly stage: Stage;
  /** Which of the events come. */
  readonly mode: Trouble['events'];
  readonly send: (gift: Sendable) => void;
}

/** What the scenario sends at its own times. */
export function giveScheduled({ lab, stage, mode, send }: Schedule, run: RunIdentity): void {
  const { events, votes } = lab.scenario;
  const sent = mode === 'none' || mode === 'foreign' ? [] : mode === 'once' ? distinct(events) : events;
  for (const [at, { name, data, atMs, id }] of sent.entries()) {
    if (atMs === null) continue;
    const gift: Sendable = { kind: 'event', event: { name, data, id: id ?? `${name}-at-${at}` } };
    stage.world.after(atMs, null, () => send(gift));
  }
  const voteOnOpen = async (vote: CastVote['vote']): Promise<void> => {
    const stored = await stage.load(run.runId);
    for (const { approvalId } of stored?.approvals.filter(({ state }) => state === 'open') ?? [])
      send({ kind: 'vote', cast: { approval: approvalId, vote } });
  };
  for (const vote of votes ?? []) {
    if (vote.atMs !== null) stage.world.after(vote.atMs, null, () => void voteOnOpen(vote));
  }
}

/** Events that say the same are one event. */
function distinct(events: readonly GivenEvent[]): readonly GivenEvent[] {
  return [...new Map(events.map((event) => [canonicalJson([event.name, event.data]), event])).values()];
}
