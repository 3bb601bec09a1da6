import type { RunId } from '../../model/ids.ts';
import type { AuditStore } from '../../ports/audit-store.ts';
import type { BatchStore } from '../../ports/batch-store.ts';
import type { DeprecationStore } from '../../ports/deprecation-store.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { PauseStore } from '../../ports/pause-store.ts';
import type { ClaimedRun, Delivery, Store } from '../../ports/store.ts';
import type { DatabaseIdentity } from '../../ports/witness-store.ts';
import { changesIn, forgetChanges } from './changes.ts';
import { chainedActs, listActs, noteAct } from './audit.ts';
import { createBatch, listBatches, listItems, orderBatch, settleItem, takeBatch } from './batches.ts';
import { claimOne, claimRuns } from './claim.ts';
import { commitRuns } from './commit.ts';
import { type BegunDelivery, createDatabase, type Database, type DatabaseClock } from './database.ts';
import { answerOf, deliverAndClaim, drainRuns, storeDeliveries, wakesOf } from './deliver.ts';
import { dumpOf, type Dump } from './dump.ts';
import { gaugesOf } from './gauges.ts';
import { listEffects } from './ledger.ts';
import { fireTimers, nextDue } from './fire.ts';
import { headsOf, joinLock, leaveLock, limitLock, listLocks, sweepLocks } from './locks.ts';
import { actOnOutbox, claimOutbox, listOutbox, messagesOf, settleOutbox } from './outbox.ts';
import { pruneRuns, retainedIn } from './prune.ts';
import { countRuns, findRun, holderOf, listRuns, loadRuns, observe, overdueIn, traceOf, workersOf } from './reads.ts';
import { recordsPage } from './records.ts';
import { journalOf, observationsOf, receiptsOf, storedRun, wholeInbox } from './run-reads.ts';
import { claimSchedules, listSchedules, orderSchedule, settleSchedule } from './schedules.ts';
import { beat, disown, leaveSeat, sweep, takeSeat } from './seats.ts';
import { createAct, type StatementScript, UNSCRIPTED } from './act.ts';
import { queuesIn, takeOffers } from './queues.ts';
import { deprecate, listDeprecations, restore } from './deprecations.ts';
import { beginPause, endPause, listPauses, wakePaused } from './pauses.ts';
import { createKey, findKey, listKeys, revokeKey } from './keys.ts';
import { putSharedEffect, sharedEffect, sharedEffects } from './shares.ts';
import { startRuns } from './start.ts';
import { runIn, type RunRows, type Statement, type Tables } from './tables.ts';
import { listApprovals, listTimers } from './waiting.ts';
import { createMemoryWitness } from './witness.ts';
import { findVersion, listVersions, loadVersion, publish } from './versions.ts';

/** What a memory store is made of; nothing else decides what it answers. */
export interface MemoryStoreOptions {
  readonly clock: DatabaseClock;
  readonly parts: number;
  /** How long a suspect may wait before busy seats are kept from claiming (P06), milliseconds. */
  readonly leaseMs: number;
  /** The script of statements (E13): what each comes to, asked inside its transaction; left out: each is taken back. */
  readonly statements?: StatementScript;
}

/** A store in memory: deterministic, for simulations and tests. Every verb is one atomic change. */
export interface MemoryStore extends Store {
  /** `deliver` in two phases, for what happens between them (the lost wake-ups of W01 and W03). */
  beginDelivery(part: number, deliveries: readonly Delivery[]): Promise<BegunDelivery>;
  /**
   * From now on it says that it is this database (P14): a replica that was promoted, a backup that was restored.
   * @param rows what that one has, as `peek` once gave it; left out, nothing was lost.
   */
  become(identity: DatabaseIdentity, rows?: Tables): void;
  /** The rows as they lie there now, for those who watch each of many small steps. */
  peek(): Tables;
  /** Whether an event for a run is being written: its wake-up is told when that is done. */
  isDelivering(runId: RunId): boolean;
  /** All rows in canonical order: two runs of one seed give the same, byte for byte. */
  dump(): Dump;
}

type Verbs<K extends keyof Store> = Pick<Store, K>;

function versionVerbs({
  read,
  write,
}: Database): Verbs<'publish' | 'findVersion' | 'loadVersion' | 'listVersions' | 'nowMs'> {
  return {
    publish: (version, schedule) => write((statement) => publish(statement, version, schedule)),
    findVersion: async (tenant, workflow, version) =>
      read((statement) => findVersion(statement, tenant, workflow, version)),
    loadVersion: async (digest) => read((statement) => loadVersion(statement, digest)),
    listVersions: async (tenant) => read((statement) => listVersions(statement, tenant)),
    nowMs: async () => read(({ nowMs }) => nowMs),
  };
}

function seatVerbs({ write }: Database): Verbs<'takeSeat' | 'beat' | 'leaveSeat' | 'disown' | 'sweep'> {
  return {
    takeSeat: (part, workerId, leaseMs) => write((statement) => takeSeat(statement, part, workerId, leaseMs)),
    beat: (part, workerId, leaseMs) => write((statement) => beat(statement, part, workerId, leaseMs)),
    leaveSeat: (part, workerId) => write((statement) => leaveSeat(statement, part, workerId)),
    disown: (part, workerId, held, olderThanMs) =>
      write((statement) => disown(statement, { part, workerId, held, olderThanMs })),
    sweep: (part, limit) => write((statement) => sweep(statement, part, limit)),
  };
}

function claimedRun(rows: RunRows, nowMs: number): ClaimedRun {
  return { run: storedRun(rows), suspect: rows.head.suspect, nowMs };
}

function runVerbs(
  { read, write }: Database,
  patienceMs: number,
): Verbs<'start' | 'claim' | 'claimRun' | 'load' | 'commit' | 'trace'> {
  return {
    start: (part, starts) => write((statement) => startRuns(statement, part, starts)),
    claim: async (part, workerId, limit) => {
      const ask = { part, workerId, limit, patienceMs };
      const { claimed, nowMs } = await write((statement) => ({
        claimed: claimRuns(statement, ask),
        nowMs: statement.nowMs,
      }));
      return claimed.map((rows) => claimedRun(rows, nowMs));
    },
    claimRun: async (part, runId, workerId) => {
      const { claimed, nowMs } = await write((statement) => ({
        claimed: claimOne(statement, part, runId, workerId),
        nowMs: statement.nowMs,
      }));
      return claimed === null ? null : claimedRun(claimed, nowMs);
    },
    load: async (part, runIds) =>
      read((statement) => ({ runs: loadRuns(statement, part, runIds), nowMs: statement.nowMs })),
    commit: (part, workerId, commits) => write((statement) => commitRuns(statement, part, workerId, commits)),
    trace: async (part, asks) => read((statement) => asks.map((ask) => traceOf(statement, part, ask))),
  };
}

function eventVerbs({
  read,
  write,
}: Database): Verbs<'deliver' | 'deliverAndClaim' | 'answerOf' | 'drain' | 'fireTimers' | 'nextDueMs' | 'observe'> {
  return {
    deliver: (part, deliveries) =>
      write((statement) => storeDeliveries(statement, part, deliveries, wakesOf(statement, part, deliveries))),
    deliverAndClaim: (delivery, workerId, leaseMs) =>
      write((statement) => deliverAndClaim(statement, delivery, workerId, leaseMs)),
    answerOf: async (part, runId, source, eventId) =>
      read((statement) => answerOf(statement, part, runId, { source, eventId })),
    drain: async (part, workerId) => read((statement) => drainRuns(statement, part, workerId)),
    fireTimers: (part, limit) => write((statement) => fireTimers(statement, part, limit)),
    nextDueMs: async (part) => read((statement) => nextDue(statement, part)),
    observe: (observations) => write((statement) => observe(statement, observations)),
  };
}

function lockVerbs({
  read,
  write,
}: Database): Verbs<'joinLock' | 'leaveLock' | 'limitLock' | 'sweepLocks' | 'locks' | 'heads'> {
  return {
    joinLock: (lock, run) => write((statement) => joinLock(statement, lock, run)),
    leaveLock: (lock, runId) => write((statement) => leaveLock(statement, lock, runId)),
    limitLock: (lock, act) => write((statement) => limitLock(statement, lock, act)),
    sweepLocks: (part, olderThanMs, limit) => write((statement) => sweepLocks(statement, part, olderThanMs, limit)),
    locks: async (tenant, name, limit) => read((statement) => listLocks(statement, tenant, name, limit)),
    heads: async (part, runIds) => read((statement) => headsOf(statement, part, runIds)),
  };
}

function shareVerbs({ read, write }: Database): Verbs<'sharedEffect' | 'putSharedEffect' | 'sharedEffects'> {
  return {
    sharedEffect: async (part, effectKey) => read((statement) => sharedEffect(statement, part, effectKey)),
    putSharedEffect: (row) => write((statement) => putSharedEffect(statement, row)),
    sharedEffects: async (part, after, limit) => read((statement) => sharedEffects(statement, part, after, limit)),
  };
}

function queueVerbs({ read, write }: Database): Verbs<'takeOffers' | 'queues'> {
  return {
    takeOffers: (part, ask) => write((statement) => takeOffers(statement, { part, ...ask })),
    queues: async (part, tenant) => read((statement) => queuesIn(statement, part, tenant)),
  };
}

function outboxVerbs({
  read,
  write,
}: Database): Verbs<'claimOutbox' | 'settleOutbox' | 'actOnOutbox' | 'outbox' | 'listOutbox'> {
  return {
    claimOutbox: (part, ask) => write((statement) => claimOutbox(statement, part, ask)),
    settleOutbox: (address, attempt, result) => write((statement) => settleOutbox(statement, address, attempt, result)),
    actOnOutbox: (part, runId, messageId, act) =>
      write((statement) => actOnOutbox(statement, { part, runId, messageId }, act)),
    outbox: async (part, runId) =>
      read((statement) => {
        const rows = runIn(statement, part, runId);
        return rows === undefined ? [] : messagesOf(rows);
      }),
    listOutbox: async (tenant, states, limit) => read((statement) => listOutbox(statement, { tenant, states, limit })),
  };
}

function scheduleVerbs({
  read,
  write,
}: Database): Verbs<'claimSchedules' | 'settleSchedule' | 'orderSchedule' | 'schedules'> {
  return {
    claimSchedules: (part, ask) => write((statement) => claimSchedules(statement, part, ask)),
    settleSchedule: (claim, firing) => write((statement) => settleSchedule(statement, claim, firing)),
    orderSchedule: (of, order) => write((statement) => orderSchedule(statement, of, order)),
    schedules: async (tenant, limit, workflow) =>
      read((statement) => listSchedules(statement, { tenant, workflow }, limit)),
  };
}

function pruneVerbs({ read, write }: Database): Verbs<'retained' | 'prune'> {
  return {
    retained: async (part, after, limit) => read((statement) => retainedIn(statement, part, after, limit)),
    prune: (part, asks, by) => write((statement) => pruneRuns(statement, part, asks, by)),
  };
}

function keyVerbs({ read, write }: Database): KeyStore {
  return {
    createKey: (key) => write((statement) => createKey(statement, key)),
    findKey: async (keyId) => read((statement) => findKey(statement, keyId)),
    listKeys: async (tenant, limit) => read((statement) => listKeys(statement, tenant, limit)),
    revokeKey: (tenant, keyId, act) => write((statement) => revokeKey(statement, { tenant, keyId }, act)),
  };
}

function deprecationVerbs({ read, write }: Database): DeprecationStore {
  return {
    deprecate: (of, act) => write((statement) => deprecate(statement, of, act)),
    restore: (of, act) => write((statement) => restore(statement, of, act)),
    deprecations: async (tenant, workflow) => read((statement) => listDeprecations(statement, tenant, workflow)),
  };
}

function pauseVerbs({ read, write }: Database): PauseStore {
  return {
    beginPause: (pause) => write((statement) => beginPause(statement, pause)),
    endPause: (of, act) => write((statement) => endPause(statement, of, act)),
    pauses: async (tenant) => read((statement) => listPauses(statement, tenant)),
    wakePaused: (tenant) => write((statement) => wakePaused(statement, tenant)),
  };
}

function batchVerbs({ read, write }: Database): BatchStore {
  return {
    createBatch: (batch, runs) => write((statement) => createBatch(statement, batch, runs)),
    batches: async (filter) => read((statement) => listBatches(statement, filter)),
    batchItems: async (of, ask) => read((statement) => listItems(statement, of, ask)),
    takeBatch: (tenant, ask) => write((statement) => takeBatch(statement, tenant, ask)),
    settleBatchItem: (of, result, dueInMs) => write((statement) => settleItem(statement, of, result, dueInMs)),
    orderBatch: (of, order) => write((statement) => orderBatch(statement, of, order)),
  };
}

function auditVerbs({ read }: Database): AuditStore {
  return {
    acts: async (filter) => read((statement) => listActs(statement, filter)),
    chains: async (part, after, limit) => read((statement) => chainedActs(statement, part, after, limit)),
  };
}

type ReadingVerbs = Verbs<
  | 'findRun'
  | 'listRuns'
  | 'countRuns'
  | 'journal'
  | 'receipts'
  | 'observations'
  | 'inbox'
  | 'audit'
  | 'holder'
  | 'workers'
>;

function readingVerbs({ read }: Database, parts: number): ReadingVerbs {
  const ofRun = async <T>(part: number, runId: RunId, none: T, query: (rows: RunRows, statement: Statement) => T) =>
    read((statement) => {
      const rows = runIn(statement, part, runId);
      return rows === undefined ? none : query(rows, statement);
    });
  return {
    findRun: async (tenant, idOrKey) => read((statement) => findRun(statement, parts, tenant, idOrKey)),
    listRuns: async (filter) => read((statement) => listRuns(statement, filter)),
    countRuns: async (asked, limit) => read((statement) => countRuns(statement, asked, limit)),
    journal: (part, runId) => ofRun(part, runId, [], journalOf),
    receipts: (part, runId) => ofRun(part, runId, [], receiptsOf),
    observations: (part, runId) => ofRun(part, runId, [], observationsOf),
    inbox: (part, runId) => ofRun(part, runId, [], wholeInbox),
    audit: (part, runId) => ofRun(part, runId, [], ({ audit }) => audit),
    holder: (part, runId) => ofRun(part, runId, null, (rows, statement) => holderOf(statement, rows)),
    workers: async () => read(workersOf),
  };
}

/** Opens an empty store in memory. */
export function openMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const { parts, leaseMs } = options;
  const database = createDatabase(options.clock);
  const witness = createMemoryWitness();
  let identity: DatabaseIdentity = { systemIdentifier: 'memory', timeline: 1 };
  return {
    parts,
    ...versionVerbs(database),
    ...seatVerbs(database),
    ...runVerbs(database, leaseMs),
    ...eventVerbs(database),
    ...readingVerbs(database, parts),
    ...lockVerbs(database),
    ...shareVerbs(database),
    ...queueVerbs(database),
    ...outboxVerbs(database),
    ...scheduleVerbs(database),
    ...pruneVerbs(database),
    ...deprecationVerbs(database),
    ...pauseVerbs(database),
    ...keyVerbs(database),
    ...batchVerbs(database),
    changes: async (tenant, part, after, limit) => {
      const history = `${identity.systemIdentifier}/${identity.timeline}`;
      return database.read((statement) => changesIn(statement, { tenant, part, history }, after, limit));
    },
    forgetChanges: (part, olderThanMs, limit) =>
      database.write((statement) => forgetChanges(statement, part, olderThanMs, limit)),
    ...auditVerbs(database),
    approvals: async (filter) => database.read((statement) => listApprovals(statement, filter)),
    gauges: async (tenant) => database.read((statement) => gaugesOf(statement, tenant)),
    timers: async (filter) => database.read((statement) => listTimers(statement, filter)),
    effects: async (filter) => database.read((statement) => listEffects(statement, filter)),
    records: async (part, after, limit) => database.read((statement) => recordsPage(statement, part, after, limit)),
    // Every row hangs on its run here.
    strays: () => Promise.resolve([]),
    overdue: async (part, graceMs, limit) => database.read((statement) => overdueIn(statement, part, graceMs, limit)),
    witness: async () => database.read(({ nowMs }) => witness.look(identity, nowMs)),
    beginRecovery: (sinceMs, { tenant, by: actor, reason }) =>
      database.write((statement) => {
        const lastSeenMs = witness.begin(identity, statement.nowMs, sinceMs);
        const detail = { before: null, after: { lastSeenMs } };
        if (lastSeenMs !== null)
          noteAct(statement, { tenant, actor, act: 'recovery.begin', target: 'database', reason, detail });
        return lastSeenMs !== null;
      }),
    endRecovery: ({ tenant, by: actor, reason }) =>
      database.write((statement) => {
        const ended = witness.end();
        const detail = { before: ended, after: null };
        if (ended !== null)
          noteAct(statement, { tenant, actor, act: 'recovery.end', target: 'database', reason, detail });
        return ended !== null;
      }),
    become: (other, rows) => {
      identity = other;
      if (rows !== undefined) database.restore(rows);
    },
    beginDelivery: (part, deliveries) => database.begin(part, deliveries),
    // Deterministic: nobody is called from outside; who waits is woken by the simulator.
    act: createAct(database, options.statements ?? UNSCRIPTED),
    listen: async () => ({ hears: () => false, end: async () => {} }),
    peek: () => database.read((statement) => statement),
    isDelivering: (runId) => database.read(({ open }) => open.has(runId)),
    dump: () => database.read(dumpOf),
    close: () => Promise.resolve(),
  };
}
