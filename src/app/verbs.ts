import { awaitRun, type Patience } from '../engine/await-run.ts';
import { castVote, type VoteAsk } from '../engine/cast-vote.ts';
import {
  type BatchAsk,
  type BatchItemView,
  type BatchOrderAsk,
  type BatchPlanView,
  type BatchView,
  type FindRun,
  listBatches,
  listBatchItems,
  orderBatch,
  planBatch,
  showBatch,
  startBatch,
} from '../engine/batches.ts';
import type { Delivered } from '../engine/deliver-event.ts';
import type { Door } from '../engine/door.ts';
import type { Engine } from '../engine/engine.ts';
import { findEffect } from '../engine/find-effect.ts';
import { childStatuses } from '../engine/child-view.ts';
import { findRun, loadStored } from '../engine/find-run.ts';
import { type HistoryView, historyView } from '../engine/history-view.ts';
import { countRuns, listRuns, type RunLineView, type RunsCounted, type RunsWanted } from '../engine/list-runs.ts';
import { limitLock, listLocks, type LimitAsk, type LockView } from '../engine/list-locks.ts';
import { type ActView, listActs, runActs, type RunActsView } from '../engine/list-acts.ts';
import { type EffectLineView, type EffectView, effectView, listEffects } from '../engine/list-effects.ts';
import { actOnMessage, listMessages, type MessageLineView } from '../engine/list-messages.ts';
import { type FollowedLink, followLink } from '../engine/follow-link.ts';
import { listHeld, listNeeds, needsPage, type NeedView } from '../engine/list-needs.ts';
import { listSchedules, orderSchedule, type ScheduleView } from '../engine/list-schedules.ts';
import { listQueues, type QueueView } from '../engine/list-queues.ts';
import {
  type ApprovalDetailView,
  approvalDetail,
  type ApprovalLineView,
  listApprovals,
  listTimers,
  type TimerLineView,
} from '../engine/list-waiting.ts';
import { listWorkers, type WorkerView } from '../engine/list-workers.ts';
import { orderRun } from '../engine/order-run.ts';
import { previewWithChildren } from '../engine/plan-children.ts';
import type { CompensationPreview } from '../engine/plan-compensation.ts';
import { type CancelPreview, previewCancel } from '../engine/preview-cancel.ts';
import { type PruneView, pruneAll } from '../engine/prune-view.ts';
import { type PullAsk, pullAttempts, type PulledAttempt } from '../engine/pull-attempts.ts';
import { publishCatalogue } from '../engine/publish-catalogue.ts';
import { type Published, type PublishAsk, publishVersion } from '../engine/publish-version.ts';
import { assertLinks } from '../engine/reads-links.ts';
import { type RecoveryWindow, recoveryWindow } from '../engine/recovery-window.ts';
import { type ResolveAsk, resolveReview } from '../engine/resolve-review.ts';
import { type RunView, runView } from '../engine/run-view.ts';
import { type ExtendAsk, extendHandOut, type SettleAsk, settleHandOut } from '../engine/settle-hand-out.ts';
import { shareStandings } from '../engine/share-view.ts';
import { type SignalAsk, signalRun } from '../engine/signal-run.ts';
import { type StartAsk, type Started, startRun } from '../engine/start-run.ts';
import { type VerifiedRun, verifyRun } from '../engine/verify-run.ts';
import { type AuditSeal, readSeal } from '../engine/audit-seal.ts';
import { sealAudit, type VerifiedAudit, verifyAudit } from '../engine/verify-audit.ts';
import { type CheckedCounts, type VerifiedStore, verifyStore } from '../engine/verify-store.ts';
import { type Pulse, takePulse } from '../engine/watch-overdue.ts';
import { explainRun, type WhyView } from '../engine/why-run.ts';
import type { OutboxAct } from '../model/outbox.ts';
import type { LinkTarget } from '../model/link.ts';
import type { RunIdentity } from '../model/run.ts';
import type { IncidentKind } from '../model/statuses.ts';
import type { ScheduleAct } from '../model/schedule.ts';
import type { ActOfTenant } from '../model/tenant-act.ts';
import type { ActFilter } from '../ports/audit-store.ts';
import type { EffectFilter } from '../ports/ledger-store.ts';
import type { ApprovalFilter, TimerFilter } from '../ports/waiting-store.ts';
import type { RunFilter, RunPlace } from '../ports/store.ts';
import { createPauseVerbs, type PauseVerbs } from './pause-verbs.ts';
import { createVersionVerbs, type VersionVerbs } from './version-verbs.ts';

/** Who orders something, and why. */
export interface Act {
  readonly by: string;
  readonly reason: string;
  /** The caller's idempotency key; left out: the same order again counts again. */
  readonly eventId?: string;
  /** The revision that the run must have when it is decided; left out: any. */
  readonly ifRevision?: number;
}

/** An act as an order has it: what was left out stays out, also in the hash of the order. */
function orderOf({
  by,
  reason,
  eventId,
  ifRevision,
}: Act): Omit<Act, 'eventId'> & { readonly eventId: string | undefined } {
  return { by, reason, eventId, ...(ifRevision === undefined ? {} : { ifRevision }) };
}

/** What can be asked of Pawl; every `run` is an id (`run_…` or UUID) or a business key. */
export interface Verbs extends VersionVerbs, PauseVerbs {
  publish(ask: PublishAsk): Promise<Published>;
  /** A catalogue of actions; workflows that use it embed it. */
  publishCatalogue(ask: PublishAsk): Promise<Published>;
  start(ask: StartAsk): Promise<Started>;
  signal(run: string, ask: SignalAsk): Promise<Delivered>;
  /** The wait that a signed address leads to, over or not. */
  followLink(target: LinkTarget): Promise<FollowedLink>;
  vote(run: string, ask: VoteAsk): Promise<Delivered>;
  cancel(run: string, act: Act): Promise<Delivered>;
  /** What `cancel` would come to now, by the same rule. */
  previewCancel(run: string): Promise<CancelPreview>;
  terminate(run: string, act: Act): Promise<Delivered>;
  /** Stops the run where it stands: it decides and sends nothing until it is resumed. */
  pause(run: string, act: Act): Promise<Delivered>;
  resume(run: string, act: Omit<Act, 'reason'> & { readonly reason: string | null }): Promise<Delivered>;
  previewCompensation(run: string): Promise<CompensationPreview>;
  /** @param planHash the previewed plan; null only for a run that is held. */
  compensate(run: string, act: Act, planHash: string | null): Promise<Delivered>;
  retry(run: string, step: string, act: Act): Promise<Delivered>;
  resolve(run: string, ask: ResolveAsk): Promise<Delivered>;
  /** Attempts for a remote worker: each is this worker's alone until its lease ends. */
  pullAttempts(ask: PullAsk): Promise<readonly PulledAttempt[]>;
  /** More time for what was handed out. */
  extendHandOut(ask: ExtendAsk): Promise<Delivered>;
  /** What became of what was handed out. */
  settleHandOut(ask: SettleAsk): Promise<Delivered>;
  /** Queues of remote workers, with what waits there and when somebody last asked. */
  queues(): Promise<readonly QueueView[]>;
  /** @param effect its key, or its step. @param eventId the caller's idempotency key; left out: it is asked again. */
  reconcile(run: string, effect: string, by: string, eventId?: string): Promise<Delivered>;
  find(run: string): Promise<RunIdentity>;
  /** Waits until only the world or a person can move the run, or it has ended, or patience has. */
  awaitRun(run: RunIdentity, patience: Patience): Promise<void>;
  show(run: string): Promise<RunView>;
  list(filter: RunsWanted): Promise<readonly RunLineView[]>;
  /** How many runs there are of those that are asked for, `limit` at most. */
  count(asked: RunsCounted, limit: number): Promise<number>;
  /** What a person is needed for: a line per incident and per approval. */
  needs(filter: Omit<RunFilter, 'tenant' | 'needsHuman'>): Promise<readonly NeedView[]>;
  /** The needs of a page of runs, and the run behind which the next page begins. */
  needsPage(
    filter: Omit<RunFilter, 'tenant' | 'needsHuman'>,
  ): Promise<{ readonly needs: readonly NeedView[]; readonly next: RunPlace | null }>;
  /** Approvals of all runs, those of the newest run first. */
  approvals(filter: Omit<ApprovalFilter, 'tenant'>): Promise<readonly ApprovalLineView[]>;
  /** An approval with its form. @param approval its id, or its step: the last one of that. */
  approval(run: string, approval: string): Promise<ApprovalDetailView>;
  /** What falls due in all runs, the first one first. */
  timers(filter: Omit<TimerFilter, 'tenant'>): Promise<readonly TimerLineView[]>;
  /** Everything that is held for the same, however much it is. @param workflow null = of any. */
  held(kind: IncidentKind, workflow: string | null): Promise<readonly NeedView[]>;
  /** What a run waits for, since when, and who can move it. */
  why(run: string): Promise<WhyView>;
  /** How many runs should have moved and are in nobody's hands, whether any worker lives (P05), and recovery mode (P14). */
  pulse(): Promise<Pulse>;
  /** What may have happened and been forgotten by a database in recovery mode; null when it is in none (P14). */
  recoveryWindow(): Promise<RecoveryWindow | null>;
  /**
   * Begins the database's recovery mode: an older copy was put back (P14). @param sinceMs when it was made, epoch ms; null = when a
   * worker was last seen. @returns false when it is in it already.
   */
  beginRecovery(sinceMs: number | null, act: Omit<ActOfTenant, 'tenant'>): Promise<boolean>;
  /** Ends the database's recovery mode: the window was reconciled (P14). @returns false when there was none. */
  endRecovery(act: Act): Promise<boolean>;
  history(run: string): Promise<HistoryView>;
  verify(run: string): Promise<VerifiedRun>;
  /** Every invariant of every run. @param onProgress told what was looked at so far. */
  verifyStore(onProgress?: (checked: CheckedCounts) => void): Promise<VerifiedStore>;
  /** Effects of all runs, those of the newest run first. */
  effects(filter: Omit<EffectFilter, 'tenant'>): Promise<readonly EffectLineView[]>;
  /** An effect with its receipts, recomputed. @param effect its key, its beginning, or its step. */
  effect(run: string, effect: string): Promise<EffectView>;
  /** Acts of people and keys, the newest first. */
  acts(filter: Omit<ActFilter, 'tenant'>): Promise<readonly ActView[]>;
  /** Acts of a run, their chain recomputed. */
  runActs(run: string): Promise<RunActsView>;
  /** Every chain of acts, recomputed. @param seal what `sealAudit` once gave, and what messages call it; null = nothing. */
  verifyAudit(seal: { readonly text: string; readonly name: string } | null): Promise<VerifiedAudit>;
  /** The heads of all chains, to be kept elsewhere. */
  sealAudit(): Promise<AuditSeal>;
  /** Takes the state of runs whose retention is over; without an act it only says what would go and why others are kept (P10). */
  prune(act: Omit<Act, 'eventId'> | null): Promise<PruneView>;
  /** Seats of processes, with how many runs each holds. */
  workers(): Promise<readonly WorkerView[]>;
  /** Locks with their holders and queues. @param name null = all. */
  locks(name: string | null): Promise<readonly LockView[]>;
  /** An operator's limit of a lock; recorded. */
  limitLock(name: string, ask: LimitAsk): Promise<void>;
  /** Messages that are on their way or were given up. @param dead only the latter. */
  messages(dead: boolean): Promise<readonly MessageLineView[]>;
  /** A person has an undelivered message sent again, or lets it go; recorded. */
  actOnMessage(run: string, message: string, act: OutboxAct): Promise<void>;
  /** Schedules of workflows, with what comes next. */
  schedules(limit: number): Promise<readonly ScheduleView[]>;
  /** Stops the schedule of a workflow, or has it go on; recorded. @returns how it stands then. */
  orderSchedule(workflow: string, act: Omit<ScheduleAct, 'atMs'>): Promise<ScheduleView>;
  /** What a batch would be about now. @param find finds a run that is named, and refuses it. */
  planBatch(ask: BatchAsk, find?: FindRun): Promise<BatchPlanView>;
  /** One act on many runs, carried out by workers; the same order again is the same batch. */
  startBatch(ask: BatchOrderAsk, find?: FindRun): Promise<{ readonly batch: BatchView; readonly created: boolean }>;
  batch(id: string): Promise<BatchView>;
  batches(filter: Parameters<typeof listBatches>[1]): Promise<readonly BatchView[]>;
  batchItems(id: string, ask: Parameters<typeof listBatchItems>[2]): Promise<readonly BatchItemView[]>;
  /** A person pauses a batch, or has it go on; recorded. */
  orderBatch(id: string, order: Parameters<typeof orderBatch>[2]): Promise<BatchView>;
}

type ReadVerbs = Pick<
  Verbs,
  | 'find'
  | 'followLink'
  | 'awaitRun'
  | 'show'
  | 'needs'
  | 'needsPage'
  | 'approvals'
  | 'approval'
  | 'timers'
  | 'held'
  | 'why'
  | 'pulse'
  | 'recoveryWindow'
  | 'beginRecovery'
  | 'endRecovery'
  | 'list'
  | 'count'
  | 'history'
  | 'verify'
  | 'verifyStore'
  | 'effects'
  | 'effect'
  | 'acts'
  | 'runActs'
  | 'verifyAudit'
  | 'sealAudit'
  | 'prune'
  | 'workers'
  | 'locks'
  | 'limitLock'
  | 'messages'
  | 'actOnMessage'
  | 'queues'
  | 'schedules'
  | 'orderSchedule'
  | 'planBatch'
  | 'startBatch'
  | 'batch'
  | 'batches'
  | 'batchItems'
  | 'orderBatch'
  | keyof VersionVerbs
  | keyof PauseVerbs
  | 'previewCancel'
  | 'previewCompensation'
>;

/** A run with all that is known of it. */
async function showRun(engine: Engine, run: RunIdentity): Promise<RunView> {
  // The receipts second: they are only ever added to, so those of every effect just read are among them.
  const { stored, nowMs } = await loadStored(engine, run);
  const receipts = await engine.store.receipts(run.part, run.runId);
  const messages = await engine.store.outbox(run.part, run.runId);
  const children = await childStatuses(engine.store, stored.effects);
  const shares = await shareStandings(engine.store, stored.effects);
  const version = await engine.versions.readable(run.digest);
  return runView(version, { stored, receipts, messages, children, shares, nowMs });
}

function readVerbs(engine: Engine): ReadVerbs {
  const find = (name: string): Promise<RunIdentity> => findRun(engine, name);
  return {
    find,
    followLink: (target) => followLink(engine, target),
    awaitRun: (run, patience) => awaitRun(engine, run, patience),
    list: (filter) => listRuns(engine, filter),
    count: (asked, limit) => countRuns(engine, asked, limit),
    needs: (filter) => listNeeds(engine, filter),
    needsPage: (filter) => needsPage(engine, filter),
    approvals: (filter) => listApprovals(engine, filter),
    approval: async (name, approval) => approvalDetail(engine, await find(name), approval),
    timers: (filter) => listTimers(engine, filter),
    held: (kind, workflow) => listHeld(engine, kind, workflow),
    why: async (name) => explainRun(engine, await find(name)),
    pulse: () => takePulse(engine),
    recoveryWindow: () => recoveryWindow(engine),
    beginRecovery: (sinceMs, act) => engine.store.beginRecovery(sinceMs, { tenant: engine.tenant, ...act }),
    endRecovery: ({ by, reason }) => engine.store.endRecovery({ tenant: engine.tenant, by, reason }),
    history: async (name) => historyView(engine, await find(name)),
    verify: async (name) => verifyRun(engine, await find(name)),
    verifyStore: (onProgress) => verifyStore(engine.store, onProgress),
    effects: (filter) => listEffects(engine, filter),
    effect: async (name, effect) => {
      const run = await find(name);
      return effectView(engine, run, { show: () => showRun(engine, run), name: effect });
    },
    acts: (filter) => listActs(engine, filter),
    runActs: async (name) => runActs(engine, await find(name)),
    verifyAudit: async (seal) => verifyAudit(engine.store, seal === null ? null : readSeal(seal.text, seal.name)),
    sealAudit: () => sealAudit(engine.store),
    prune: (act) => pruneAll(engine, act === null ? null : { actor: act.by, reason: act.reason }),
    previewCancel: async (name) => previewCancel(engine, await find(name)),
    previewCompensation: async (name) => previewWithChildren(engine, await find(name)),
    workers: () => listWorkers(engine),
    locks: (name) => listLocks(engine, name),
    limitLock: (name, ask) => limitLock(engine, name, ask),
    messages: (dead) => listMessages(engine, dead),
    actOnMessage: async (name, message, act) => actOnMessage(engine, await find(name), message, act),
    queues: () => listQueues(engine),
    schedules: (limit) => listSchedules(engine, limit),
    orderSchedule: (workflow, act) => orderSchedule(engine, workflow, act),
    planBatch: (ask, findNamed) => planBatch(engine, ask, findNamed),
    startBatch: (ask, findNamed) => startBatch(engine, ask, findNamed),
    batch: (id) => showBatch(engine, id),
    batches: (filter) => listBatches(engine, filter),
    batchItems: (id, ask) => listBatchItems(engine, id, ask),
    orderBatch: (id, order) => orderBatch(engine, id, order),
    ...createVersionVerbs(engine),
    ...createPauseVerbs(engine),
    show: async (name) => showRun(engine, await find(name)),
  };
}

/**
 * The verbs of the house, bound to an engine.
 * @param doorOf who decides for the runs of a part in this process.
 * @param ready what the verbs that decide wait for, and fail with; those that only read need none of it.
 */
export function createVerbs(
  engine: Engine,
  doorOf: (part: number) => Door,
  ready: () => Promise<void> = () => Promise.resolve(),
): Verbs {
  const read = readVerbs(engine);
  const at = async <T>(name: string, act: (run: RunIdentity, door: Door) => Promise<T>): Promise<T> => {
    await ready();
    const run = await read.find(name);
    return act(run, doorOf(run.part));
  };
  return {
    ...read,
    publish: (ask) => publishVersion(engine, ask),
    publishCatalogue: (ask) => publishCatalogue(engine, ask),
    start: async (ask) => {
      await ready();
      return startRun(engine, doorOf, { ...ask, check: (definition) => assertLinks(engine, definition) });
    },
    signal: (name, ask) => at(name, (run, door) => signalRun(engine, door, run, ask)),
    vote: (name, ask) => at(name, (run, door) => castVote(engine, door, run, ask)),
    cancel: (name, act) => at(name, (run, door) => orderRun(engine, door, run, { type: 'cancel', ...orderOf(act) })),
    terminate: (name, act) =>
      at(name, (run, door) => orderRun(engine, door, run, { type: 'terminate', ...orderOf(act) })),
    pause: (name, act) => at(name, (run, door) => orderRun(engine, door, run, { type: 'pause', ...orderOf(act) })),
    resume: (name, { reason, ...act }) =>
      at(name, (run, door) =>
        orderRun(engine, door, run, { type: 'resume', ...orderOf({ ...act, reason: '' }), reason }),
      ),
    compensate: (name, act, planHash) =>
      at(name, (run, door) => orderRun(engine, door, run, { type: 'compensate', planHash, ...orderOf(act) })),
    retry: (name, step, act) =>
      at(name, (run, door) => orderRun(engine, door, run, { type: 'retry', step, ...orderOf(act) })),
    resolve: (name, ask) => at(name, (run, door) => resolveReview(engine, door, run, ask)),
    pullAttempts: async (ask) => {
      await ready();
      return pullAttempts(engine, doorOf, ask);
    },
    extendHandOut: async (ask) => {
      await ready();
      return extendHandOut(engine, doorOf, ask);
    },
    settleHandOut: async (ask) => {
      await ready();
      return settleHandOut(engine, doorOf, ask);
    },
    reconcile: (name, effect, by, eventId) =>
      at(name, async (run, door) => {
        const { stored } = await loadStored(engine, run);
        const { key } = findEffect({ effects: stored.effects, incidents: [] }, effect);
        return orderRun(engine, door, run, { type: 'reconcile', effectKey: key, by, eventId });
      }),
  };
}
