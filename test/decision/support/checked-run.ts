import type { CheckedRun } from '../../../src/decision/invariants/opened-run.ts';
import { packSnapshot, snapshotText, unpackSnapshot } from '../../../src/decision/snapshot-envelope.ts';
import type { Effect } from '../../../src/model/effect.ts';
import type { WorkerId } from '../../../src/model/ids.ts';
import type { InboxRecord } from '../../../src/model/run-records.ts';
import { chainAudit } from '../../../src/model/audit-chain.ts';
import { isOutward } from '../../../src/model/outbox.ts';
import type { RunControl } from '../../../src/model/run.ts';
import { timerRecord } from '../../../src/store/memory/records.ts';
import type { Play } from './play.ts';

const WORKER = 'w1' as WorkerId;

/** A story's rows as they are checked: nobody holds the run, and it is woken now. */
export function checkedRun(play: Play): CheckedRun {
  const { stored, state, compiled, nowMs, commits } = play;
  return {
    run: state.run,
    head: { ...stored.head, revision: stored.revision, fence: stored.fence, owner: null, prunedAtMs: null },
    lease: null,
    wakeUp: { dueAtMs: nowMs, wake: 1 },
    journal: stored.journal.map((row) => ({ ...row, fence: 0, workerId: WORKER })),
    effects: [...stored.effects.values()],
    receipts: stored.receipts,
    timers: [...stored.timers.values()].map(timerRecord),
    audit: chainAudit(
      state.run.runId,
      state.run.tenant,
      commits.flatMap((commit) => commit.audit),
    ),
    approvals: [...stored.approvals.values()],
    inbox: inboxOf(play),
    outbox: stored.outbox.map((message) => ({
      ...message,
      state: 'waiting' as const,
      attempts: 0,
      dueAtMs: message.atMs,
      lastError: null,
      settledAtMs: null,
      outward: isOutward(message.topic),
    })),
    place: null,
    startKey: null,
    publishedDigest: state.run.digest,
    program: compiled,
  };
}

/** Events with the last answer that they were given, and the revision that the commit led to. */
function inboxOf({ inbox, commits }: Play): readonly InboxRecord[] {
  const answers = commits.flatMap((commit) =>
    commit.inbox.map((answer) => ({ answer, revision: commit.revision + commit.transitions.length })),
  );
  return [...inbox.values()].map((event) => {
    const last = answers.findLast(({ answer }) => answer.source === event.source && answer.eventId === event.eventId);
    if (last === undefined) return { ...event, detail: null, consumed: false, consumedRevision: null };
    const { outcome, code, detail, consumed } = last.answer;
    return { ...event, outcome, code, detail, consumed, consumedRevision: consumed ? last.revision : null };
  });
}

/** The run with other notes in its snapshot. */
export function withControl(run: CheckedRun, patch: Partial<RunControl>): CheckedRun {
  const { revision, snapshot, control } = unpackSnapshot(run.head.snapshot, run.run.digest);
  const parts = { digest: run.run.digest, revision, snapshotText: snapshotText(snapshot) };
  return { ...run, head: { ...run.head, snapshot: packSnapshot({ ...parts, control: { ...control, ...patch } }) } };
}

/** The run with each of its effects that fits changed. */
export function withEffects(run: CheckedRun, fits: (effect: Effect) => boolean, change: Partial<Effect>): CheckedRun {
  return { ...run, effects: run.effects.map((effect) => (fits(effect) ? { ...effect, ...change } : effect)) };
}
