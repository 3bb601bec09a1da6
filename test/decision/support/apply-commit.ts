import { unpackSnapshot, phaseOf } from '../../../src/decision/snapshot-envelope.ts';
import type { StartRows } from '../../../src/decision/decision.ts';
import { CHAIN_START } from '../../../src/decision/receipt.ts';
import type { Approval } from '../../../src/model/approval.ts';
import type { Effect, Receipt } from '../../../src/model/effect.ts';
import { canStore, BIRTH_STATES } from '../../../src/decision/effect-lifecycle.ts';
import type { InboxEvent } from '../../../src/model/inbox-event.ts';
import type { OutboxMessage } from '../../../src/model/outbox.ts';
import type { RunCommit, HeadChange, Transition } from '../../../src/model/run-commit.ts';
import type { RunIdentity, RunState, Timer } from '../../../src/model/run.ts';
import { isEnd, type RunStatus } from '../../../src/model/statuses.ts';

/** The rows of one run as a store would hold them. */
export interface Stored {
  readonly revision: number;
  readonly fence: number;
  readonly head: HeadChange;
  readonly effects: ReadonlyMap<string, Effect>;
  readonly timers: ReadonlyMap<string, Timer>;
  readonly approvals: ReadonlyMap<string, Approval>;
  readonly receipts: readonly Receipt[];
  readonly journal: readonly Transition[];
  readonly kept: ReadonlyMap<string, InboxEvent>;
  readonly outbox: readonly OutboxMessage[];
}

/** The rows after a start. */
export function createStored(start: StartRows, fence: number): Stored {
  const empty: Stored = {
    revision: 0,
    fence,
    head: start.head,
    effects: new Map(),
    timers: new Map(),
    approvals: new Map(),
    receipts: [],
    journal: [],
    kept: new Map(),
    outbox: [],
  };
  return applyCommit(empty, {
    part: start.run.part,
    runId: start.run.runId,
    fence,
    revision: 0,
    transitions: start.transitions,
    head: start.head,
    effects: start.effects,
    receipts: start.receipts,
    timersSet: start.timers,
    timersCleared: [],
    approvals: start.approvals,
    votes: [],
    inbox: [],
    observations: [],
    audit: start.audit,
    outbox: start.outbox,
    lease: { kind: 'keep' },
  });
}

/** The only ways out of an end, as stores have them. */
function mayLeave(from: RunStatus, to: RunStatus): boolean {
  const reopens = (from === 'COMPLETED' || from === 'TERMINATED') && to === 'COMPENSATING';
  return !isEnd(from) || to === from || to === 'HELD' || reopens;
}

/** Applies a commit as the store does: all guards checked, then all rows; anything illegal throws. */
export function applyCommit(
  stored: Stored,
  sent: RunCommit,
  inbox: ReadonlyMap<string, InboxEvent> = new Map(),
): Stored {
  // What reaches a store has gone through JSON.
  const commit = JSON.parse(JSON.stringify(sent)) as RunCommit;
  demand(commit.revision === stored.revision, 'stale');
  demand(commit.fence === stored.fence, 'fenced');
  demand(commit.transitions.length <= 64, 'too many transitions');
  for (const [index, row] of commit.transitions.entries()) {
    demand(row.revision === stored.revision + index + 1, 'a gap in the journal');
  }
  demand(commit.transitions.length === 0 || commit.head !== null, 'transitions without a head');
  demand(
    commit.head === null || mayLeave(stored.head.status, commit.head.status),
    'a way out of an end that there is not',
  );
  return {
    revision: stored.revision + commit.transitions.length,
    fence: stored.fence,
    head: commit.head ?? stored.head,
    effects: withEffects(stored, commit),
    timers: withTimers(stored, commit),
    approvals: new Map([...stored.approvals, ...commit.approvals.map((row) => [row.approvalId, row] as const)]),
    receipts: [...stored.receipts, ...commit.receipts],
    journal: [...stored.journal, ...commit.transitions],
    kept: withKept(stored, commit, inbox),
    outbox: withMessages(stored, commit),
  };
}

/** A message that was written before is the same. */
function withMessages({ outbox }: Stored, commit: RunCommit): readonly OutboxMessage[] {
  const known = new Set(outbox.map(({ messageId }) => messageId));
  return [...outbox, ...commit.outbox.filter(({ messageId }) => !known.has(messageId))];
}

function withKept(
  stored: Stored,
  commit: RunCommit,
  inbox: ReadonlyMap<string, InboxEvent>,
): ReadonlyMap<string, InboxEvent> {
  const rows = new Map(stored.kept);
  for (const answer of commit.inbox) {
    const address = addressOf(answer);
    const event = inbox.get(address) ?? rows.get(address);
    demand(event !== undefined, 'an answer to a row that is not there');
    if (answer.consumed) rows.delete(address);
    else if (event !== undefined) rows.set(address, { ...event, outcome: answer.outcome, code: answer.code });
  }
  return rows;
}

/** The address of an inbox row. */
export function addressOf(row: { readonly source: string; readonly eventId: string }): string {
  return `${row.source}/${row.eventId}`;
}

function withEffects(stored: Stored, commit: RunCommit): ReadonlyMap<string, Effect> {
  const rows = new Map(stored.effects);
  for (const { expect, effect } of commit.effects) {
    const known = rows.get(effect.key);
    if (expect === null) {
      demand(known === undefined, 'a row is there already');
      demand(
        (BIRTH_STATES as readonly string[]).includes(effect.state) || effect.attempt === 0,
        `a row is born ${effect.state}`,
      );
    } else {
      demand(
        known !== undefined && known.state === expect.state && known.attempt === expect.attempt,
        'a row is not as expected',
      );
      demand(
        canStore(expect.state, effect.state) || expect.state === effect.state,
        `${expect.state} > ${effect.state}`,
      );
    }
    rows.set(effect.key, effect);
  }
  return rows;
}

function withTimers(stored: Stored, commit: RunCommit): ReadonlyMap<string, Timer> {
  const rows = new Map(stored.timers);
  for (const name of commit.timersCleared) rows.delete(name);
  for (const timer of commit.timersSet) {
    demand(!commit.timersCleared.includes(timer.name), 'a timer is set and cleared');
    rows.set(timer.name, timer);
  }
  return rows;
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the store refuses: ${what}`);
}

/** The run as a new holder loads it; kept rows in the order of (received, id). */
export function reload(stored: Stored, run: RunIdentity): RunState {
  const envelope = unpackSnapshot(stored.head.snapshot, run.digest);
  demand(envelope.revision <= stored.revision, 'the snapshot is ahead');
  const last = stored.receipts.at(-1);
  return {
    run,
    revision: stored.revision,
    fence: stored.fence,
    status: stored.head.status,
    phase: phaseOf(envelope.snapshot),
    snapshot: envelope.snapshot,
    control: envelope.control,
    effects: stored.effects as RunState['effects'],
    timers: stored.timers,
    approvals: stored.approvals,
    kept: [...stored.kept.values()].sort((a, b) => a.receivedAtMs - b.receivedAtMs || (a.eventId < b.eventId ? -1 : 1)),
    lastReceiptNo: last?.receiptNo ?? 0,
    lastReceiptHash: last?.integrity ?? CHAIN_START,
    crashes: 0,
    endedAtMs: stored.head.endedAtMs,
  };
}
