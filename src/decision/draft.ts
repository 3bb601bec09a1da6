import type { Approval, Vote } from '../model/approval.ts';
import type { Effect, Receipt } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import { sha256 } from '../model/hash.ts';
import type { Offer } from '../model/offer.ts';
import type { OutboxMessage } from '../model/outbox.ts';
import type { EffectKey } from '../model/ids.ts';
import type { InboxEvent } from '../model/inbox-event.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { KernelEvent } from '../model/kernel.ts';
import type {
  AuditEntry,
  EffectChange,
  HeadChange,
  InboxAnswer,
  Observation,
  RunCommit,
  Transition,
} from '../model/run-commit.ts';
import type { Incident, KernelSnapshot, RunControl, RunState, Timer } from '../model/run.ts';
import type { InboxOutcome, RunPhase, RunStatus } from '../model/statuses.ts';
import { keptAddress } from './kept-timers.ts';
import type { DecideContext } from './decide-context.ts';
import { canStore } from './effect-lifecycle.ts';
import { Ledger } from './ledger.ts';
import { issueReceipt, type ReceiptChain, type ReceiptDraft } from './receipt.ts';
import { packSnapshot, phaseOf, snapshotText } from './snapshot-envelope.ts';

/** Longest series of transitions that one commit carries (P02c). */
export const TRANSITIONS_MAX = 64;

/** Where a kernel event comes from: its inbox address, `<effectKey>:settled`, or the step that answered itself. */
export interface Cause {
  readonly type: string;
  readonly id: string;
  readonly step: string | null;
}
/** A kernel event on its way in. `atMs` is the database time of what caused it (V06, V10). */
export interface QueuedEvent {
  readonly event: KernelEvent;
  readonly cause: Cause;
  readonly atMs: number;
}

/** What is known of a run once a decision is closed. */
export interface Closing {
  readonly status: RunStatus;
  readonly needs: readonly string[];
  /** Of an ended run; written with every head, because a head is written whole. */
  readonly output: Json | undefined;
  readonly failure: Json | undefined;
  readonly lease: RunCommit['lease'];
}

/**
 * The only builder of a RunCommit: a run as it becomes while one decision is made, and the record of what changed.
 * Several changes of one row fold into one, guarded by the row as it was loaded.
 */
export class Draft {
  readonly ctx: DecideContext;
  readonly base: RunState;
  /** Logical time of what is being applied: an event's database time, epoch milliseconds (V06, V10). */
  atMs: number;
  snapshot: KernelSnapshot;
  control: RunControl;
  queue: QueuedEvent[];
  effects: Ledger;
  readonly timers: Map<string, Timer>;
  readonly approvals: Map<string, Approval>;
  kept: readonly InboxEvent[];
  readonly transitions: Transition[] = [];
  readonly receipts: Receipt[] = [];
  readonly audit: AuditEntry[] = [];
  readonly outbox: OutboxMessage[] = [];
  readonly observations: Observation[] = [];
  readonly offers: Offer[] = [];
  endedAtMs: number | null;
  private readonly effectExpect = new Map<EffectKey, EffectChange['expect']>();
  private readonly timersSet = new Map<string, Timer>();
  private readonly timersCleared = new Set<string>();
  private readonly approvalsChanged = new Map<string, Approval>();
  private readonly votes: { approvalId: string; vote: Vote }[] = [];
  private readonly answers = new Map<string, InboxAnswer>();
  private text: string | null = null;

  constructor(ctx: DecideContext, base: RunState) {
    this.ctx = ctx;
    this.base = base;
    this.atMs = ctx.nowMs;
    this.snapshot = base.snapshot;
    this.control = base.control;
    this.queue = base.control.pending.map((entry) => carriedOver(entry as unknown as QueuedEvent, ctx.nowMs));
    this.effects = Ledger.of(base.effects);
    this.timers = new Map(base.timers);
    this.approvals = new Map(base.approvals);
    this.kept = base.kept;
    this.endedAtMs = base.endedAtMs;
  }

  get phase(): RunPhase {
    return phaseOf(this.snapshot);
  }
  get revision(): number {
    return this.base.revision + this.transitions.length;
  }
  /**
   * Whether another transition fits into this commit. A run that is undone after its end (R24) does not come to another end in
   * the same one: it is COMPENSATING in between, and everybody who looks can see that.
   */
  get hasRoom(): boolean {
    const isReopened = this.base.phase === 'ended' && this.phase === 'compensating';
    return !isReopened && this.transitions.length < TRANSITIONS_MAX;
  }
  /** The end of the run's chain of receipts, those of this commit included. */
  get chain(): ReceiptChain {
    const { run, lastReceiptNo, lastReceiptHash } = this.base;
    const last = this.receipts.at(-1);
    if (last === undefined) return { runId: run.runId, lastReceiptNo, lastReceiptHash };
    return { runId: run.runId, lastReceiptNo: last.receiptNo, lastReceiptHash: last.integrity };
  }

  /** Puts a kernel event into line; it becomes a transition of this commit, or of the next if there is no room. */
  enqueue(event: KernelEvent, cause: Cause): void {
    this.queue.push({ event, cause, atMs: this.atMs });
  }

  /** Puts a kernel event before all others: nothing may happen in between. */
  enqueueFirst(event: KernelEvent, cause: Cause): void {
    this.queue.unshift({ event, cause, atMs: this.atMs });
  }

  /** Records a transition that the kernel has made. */
  addTransition(
    snapshot: KernelSnapshot,
    row: { event: Transition['event']; delta: Json; commands: readonly Json[] },
  ): void {
    this.snapshot = snapshot;
    this.text = snapshotText(snapshot);
    this.transitions.push({
      revision: this.revision + 1,
      event: row.event,
      delta: row.delta,
      commands: row.commands,
      stateHash: sha256(this.text),
      atMs: this.atMs,
    });
  }

  setControl(patch: Partial<RunControl>): void {
    this.control = { ...this.control, ...patch };
  }

  /** The ledger row of a key. @throws PAWL_INVARIANT where there is none. */
  effectOf(key: EffectKey): Effect {
    const effect = this.effects.get(key);
    invariant(effect !== undefined, 'a ledger row is named that is not there', { key });
    return effect;
  }

  /**
   * Writes a ledger row, new or changed.
   * @throws PAWL_INVARIANT for a move that the transition table does not know.
   */
  putEffect(effect: Effect): void {
    const before = this.effects.get(effect.key);
    invariant(
      before === undefined || before === effect || canStore(before.state, effect.state),
      'illegal ledger move',
      {
        effectKey: effect.key,
        from: before?.state ?? null,
        to: effect.state,
      },
    );
    if (!this.effectExpect.has(effect.key)) {
      // Not written before in this decision: it is as it was loaded.
      this.effectExpect.set(effect.key, before === undefined ? null : { state: before.state, attempt: before.attempt });
    }
    this.effects = this.effects.with(effect);
  }

  /** Writes a settled row together with its receipt, numbered and linked (E10). */
  settleEffect(effect: Effect, content: ReceiptDraft): Effect {
    const issued = issueReceipt(effect, content, this.chain);
    this.receipts.push(issued.receipt);
    this.putEffect(issued.effect);
    return issued.effect;
  }

  /** Arms a timer: its due time is fixed once, its generation is new (V06). */
  setTimer(name: string, dueAtMs: number): void {
    const generation = (this.control.timerGenerations[name] ?? 0) + 1;
    const timer: Timer = { name, dueAtMs, generation };
    this.setControl({ timerGenerations: { ...this.control.timerGenerations, [name]: generation } });
    this.timers.set(name, timer);
    this.timersSet.set(name, timer);
    this.timersCleared.delete(name);
  }

  /** Ends a timer; a firing that is already on its way is of another generation from now on. */
  clearTimer(name: string): void {
    const generation = this.control.timerGenerations[name];
    invariant(generation !== undefined, 'a timer without a generation', { name });
    this.setControl({ timerGenerations: nextGenerations(this.control.timerGenerations, name, generation) });
    this.timers.delete(name);
    this.timersSet.delete(name);
    // Always written, also for a timer that was fired and is gone from its table: deleting nothing is harmless.
    if (this.base.timers.has(name)) this.timersCleared.add(name);
  }

  /** Forgets the number of a timer that is never armed again: a firing of it that is still on its way is stale. */
  forgetTimer(name: string): void {
    const { [name]: gone, ...rest } = this.control.timerGenerations;
    if (gone !== undefined) this.setControl({ timerGenerations: rest });
  }

  putApproval(approval: Approval): void {
    this.approvals.set(approval.approvalId, approval);
    this.approvalsChanged.set(approval.approvalId, approval);
  }
  addVote(approvalId: string, vote: Vote): void {
    this.votes.push({ approvalId, vote });
  }

  /** Answers an inbox row for good (V11). */
  answer(event: InboxEvent, outcome: InboxOutcome, told: { code?: string | null; detail?: Json } = {}): void {
    this.putAnswer(event, { outcome, code: told.code ?? null, detail: told.detail ?? null, consumed: true });
    this.kept = this.kept.filter((kept) => !isSame(kept, event));
  }

  /** Answers an inbox row for now: it stays and may be matched later (V01, R18). */
  keep(event: InboxEvent, told: { code?: string | null; detail?: Json } = {}): void {
    const code = told.code ?? null;
    this.putAnswer(event, { outcome: 'kept', code, detail: told.detail ?? null, consumed: false });
    this.kept = [...this.kept, { ...event, outcome: 'kept' as const, code }].sort(byReceipt);
  }

  /** Whether this decision has answered an inbox row already: one event moves a run at most once (V13). */
  isAnswered(event: InboxEvent): boolean {
    return this.answers.has(`${event.source}/${event.eventId}`);
  }

  private putAnswer(event: InboxEvent, answer: Pick<InboxAnswer, 'outcome' | 'code' | 'detail' | 'consumed'>): void {
    this.answers.set(`${event.source}/${event.eventId}`, { source: event.source, eventId: event.eventId, ...answer });
  }

  addAudit(entry: Omit<AuditEntry, 'atMs'>): void {
    this.audit.push({ ...entry, atMs: this.atMs });
  }

  /** Writes a message that the transition at hand sends (V09); one of the same id that was written before is the same. */
  send(message: Omit<OutboxMessage, 'revision' | 'ordinal' | 'atMs'>): void {
    const { revision, atMs } = this;
    const { sent } = this.control;
    // A commit without transitions has the revision of the one before.
    const ordinal = Math.max(sent?.revision === revision ? sent.count : 0, this.outbox.length);
    this.setControl({ sent: { revision, count: ordinal + 1 } });
    this.outbox.push({ ...message, revision, ordinal, atMs });
  }

  observe(observation: Omit<Observation, 'part' | 'runId'>): void {
    const { part, runId } = this.base.run;
    this.observations.push({ part, runId, ...observation });
  }

  /** Opens an incident; one with the same id is replaced but keeps its time. */
  openIncident(incident: Omit<Incident, 'sinceMs'>): void {
    const before = this.control.incidents.find((known) => known.id === incident.id);
    const others = this.control.incidents.filter((known) => known.id !== incident.id);
    this.setControl({ incidents: [...others, { ...incident, sinceMs: before?.sinceMs ?? this.atMs }] });
  }
  closeIncidents(closes: (incident: Incident) => boolean): void {
    if (!this.control.incidents.some(closes)) return;
    this.setControl({ incidents: this.control.incidents.filter((incident) => !closes(incident)) });
  }

  /** Freezes everything into the rows of one commit and the run as it is after them. */
  finish(now: Closing): { commit: RunCommit; next: RunState } {
    const pending = this.queue as unknown as readonly JsonObject[];
    if (pending.length > 0 || this.control.pending.length > 0) this.setControl({ pending });
    const { base } = this;
    // What an ended run says of itself names rows of its ledger.
    const isRetold = this.phase === 'ended' && this.effectExpect.size > 0;
    // What people are needed for stands in the head, and an undo may ask them without a transition.
    const isAsking = [...this.approvalsChanged].some(([id, { state }]) => base.approvals.get(id)?.state !== state);
    const isMoved = this.transitions.length > 0 || this.control !== base.control || now.status !== base.status;
    const headChanged = isRetold || isAsking || isMoved;
    const commit: RunCommit = {
      part: base.run.part,
      runId: base.run.runId,
      fence: base.fence,
      revision: base.revision,
      transitions: this.transitions,
      head: headChanged ? this.head(now) : null,
      effects: this.effectChanges(),
      receipts: this.receipts,
      timersSet: [...this.timersSet.values()],
      timersCleared: [...this.timersCleared],
      approvals: [...this.approvalsChanged.values()],
      votes: this.votes,
      inbox: [...this.answers.values()],
      observations: this.observations,
      audit: this.audit,
      outbox: this.outbox,
      ...(this.offers.length === 0 ? {} : { offers: this.offers }),
      lease: now.lease,
    };
    return { commit, next: this.next(now.status) };
  }

  private head({ status, needs, output, failure }: Closing): HeadChange {
    const text = this.text ?? snapshotText(this.snapshot);
    const snapshot = packSnapshot({
      digest: this.base.run.digest,
      revision: this.revision,
      snapshotText: text,
      control: this.control,
    });
    return { status, phase: this.phase, needs, snapshot, endedAtMs: this.endedAtMs, output, failure };
  }

  private effectChanges(): readonly EffectChange[] {
    return [...this.effectExpect].map(([key, expect]) => ({ expect, effect: this.effectOf(key) }));
  }

  private next(status: RunStatus): RunState {
    return {
      ...this.base,
      revision: this.revision,
      status,
      phase: this.phase,
      snapshot: this.snapshot,
      control: this.control,
      effects: this.effects,
      timers: this.timers,
      approvals: this.approvals,
      kept: this.kept,
      lastReceiptNo: this.chain.lastReceiptNo,
      lastReceiptHash: this.chain.lastReceiptHash,
      endedAtMs: this.endedAtMs,
    };
  }
}

/** What had no room in the commit before happens in this one: time goes on for a run that is busy with itself. */
function carriedOver({ event, cause }: QueuedEvent, atMs: number): QueuedEvent {
  return { event: { ...event, atMs }, cause, atMs };
}

/** The order of a reload: received, then id (V01). */
function byReceipt(a: InboxEvent, b: InboxEvent): number {
  const byTime = a.receivedAtMs - b.receivedAtMs;
  if (byTime !== 0) return byTime;
  return a.eventId < b.eventId ? -1 : 1;
}

/** Two rows of the inbox are the same if source and id are (V02). */
function isSame(a: InboxEvent, b: InboxEvent): boolean {
  return a.source === b.source && a.eventId === b.eventId;
}

/** A name that is never armed again (`keep:…`) is forgotten; any other keeps a number that no firing has. */
function nextGenerations(
  all: Readonly<Record<string, number>>,
  name: string,
  generation: number,
): Readonly<Record<string, number>> {
  if (keptAddress(name) === null) return { ...all, [name]: generation + 1 };
  return Object.fromEntries(Object.entries(all).filter(([known]) => known !== name));
}
