import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { RefusedError } from '../../model/errors.ts';
import type { RunId, WorkerId } from '../../model/ids.ts';
import { numbersFor, type Numbers } from '../../model/numbers.ts';
import type { Observation } from '../../model/run-commit.ts';
import type { ClaimedRun, CommitTrace, DrainedRun, Store } from '../../ports/store.ts';
import { auditVerbs } from './audit-verbs.ts';
import { createAdmission, witnessVerbs } from './admission.ts';
import { batchVerbs } from './batch-verbs.ts';
import { changeVerbs } from './change-verbs.ts';
import { commitBatch } from './commit-batch.ts';
import { type ConnectionOptions, type Connections, openConnections, type Row } from './connections.ts';
import { deliverAndClaimOne, deliverBatch, storedAnswer } from './deliver-batch.ts';
import { NO_HINTS, openHints } from './hints.ts';
import { deprecationVerbs } from './deprecation-verbs.ts';
import { gaugeVerbs } from './gauge-verbs.ts';
import { keyVerbs } from './key-verbs.ts';
import { ledgerVerbs } from './ledger-verbs.ts';
import { lockVerbs } from './lock-verbs.ts';
import { queueVerbs } from './queue-verbs.ts';
import { shareVerbs } from './share-verbs.ts';
import { pauseVerbs } from './pause-verbs.ts';
import { outboxVerbs } from './outbox-verbs.ts';
import { pruneVerbs } from './prune-verbs.ts';
import { scheduleVerbs } from './schedule-verbs.ts';
import { waitingVerbs } from './waiting-verbs.ts';
import { openDatabase } from './open-database.ts';
import { loadRuns, loadVerb, nowVerb, readingVerbs, versionVerbs } from './read-verbs.ts';
import { inboxFromRow, observationToRow } from './rows.ts';
import { recordsPage, strayFromRow } from './record-rows.ts';
import { CLAIM, CLAIM_RUN } from './sql/claim.ts';
import { ANSWER_OF, DRAIN } from './sql/deliver.ts';
import { TRACE } from './sql/load.ts';
import { OBSERVE } from './sql/reads.ts';
import { BEAT, DISOWN, LEAVE_SEAT, SWEEP, TAKE_SEAT } from './sql/seat.ts';
import { RECORDS, STRAYS } from './sql/records.ts';
import { FIRE, NEXT_DUE } from './sql/timer.ts';
import { OVERDUE } from './sql/witness.ts';
import { startBatch } from './start-batch.ts';
import { openStatements } from './statements.ts';
import { type OpenedReads, openTenantReads, type TenantReads } from './tenant-reads.ts';

/** Connections of a process unless set otherwise: writers, one reader, one for heartbeats. */
const CONNECTIONS_DEFAULT = 5;
const LEASE_MS_DEFAULT = 30_000;

/** How a store is opened. */
export interface PostgresStoreOptions {
  readonly url: string;
  /** Parts of a new database (4 unless set); one that is there must have as many. */
  readonly parts?: number;
  readonly numbers?: Numbers;
  /** Most connections of this process; 5 unless set. */
  readonly connections?: number;
  readonly pooler?: 'none' | 'transaction';
  /** Where hints are listened for, an address without a pooler on the way; null = no hints. Unless set: `url`, or null behind a pooler. */
  readonly hintsUrl?: string | null;
  readonly tls?: TlsOptions;
  readonly applicationName?: string;
  /** `apply` (unless set) brings the schema up to this code; `check` refuses what does not fit. */
  readonly migrate?: 'apply' | 'check';
  /** Brings our own server back when nothing listens any more. */
  readonly revive?: () => Promise<void>;
  /** An idle connection broke; the pool replaces it. */
  readonly onBroken?: (error: Error) => void;
  /** The role in which statements of `sql` actions run; absent = none is carried out (E13). */
  readonly statements?: { readonly role: string };
  /** The tenant for whose callers this process reads; absent = for nobody. */
  readonly readsFor?: {
    readonly tenant: string;
    /** They are bound by their statements alone, and why. */
    readonly onUnbound: (why: RefusedError) => void;
  };
}

/** The store, and the reads that the database binds to one tenant; null where nobody has asked for them. */
export interface PostgresStore extends Store {
  readonly bound: TenantReads | null;
}

type Verbs<K extends keyof Store> = Pick<Store, K>;

function seatVerbs({ run }: Connections): Verbs<'takeSeat' | 'beat' | 'leaveSeat' | 'disown' | 'sweep'> {
  return {
    takeSeat: async (part, workerId, leaseMs) => {
      const [row] = await run(TAKE_SEAT, [part, workerId, leaseMs], 'beat');
      return { leaseUntilMs: row?.['lease_until'] as number };
    },
    beat: async (part, workerId, leaseMs) => {
      const [row] = await run(BEAT, [part, workerId, leaseMs], 'beat');
      return row === undefined ? null : { leaseUntilMs: row['lease_until'] as number };
    },
    leaveSeat: async (part, workerId) => {
      await run(LEAVE_SEAT, [part, workerId], 'beat');
    },
    disown: async (part, workerId, held, olderThanMs) =>
      (await run(DISOWN, [part, workerId, held, olderThanMs])).length,
    sweep: async (part, limit) => (await run(SWEEP, [part, limit])).map((row) => row['run_id'] as RunId),
  };
}

async function openClaims(connections: Connections, part: number, claims: readonly Row[]): Promise<ClaimedRun[]> {
  const suspects = new Map(claims.map((row) => [row['run_id'] as RunId, row['suspect'] as boolean]));
  const { runs, rows } = await loadRuns(connections, part, [...suspects.keys()]);
  return runs.map((stored, index) => ({
    run: stored,
    suspect: suspects.get(stored.run.runId) ?? false,
    nowMs: rows[index]?.['now_ms'] as number,
  }));
}

function traceFromRow(row: Row): CommitTrace {
  const revision = row['journal_revision'] as number | null;
  return {
    revision: row['revision'] as number,
    fence: row['fence'] as number,
    journal:
      revision === null
        ? null
        : {
            revision,
            fence: row['journal_fence'] as number,
            workerId: row['worker_id'] as WorkerId,
            stateHash: row['state_hash'] as string,
          },
  };
}

function runVerbs(
  connections: Connections,
  numbers: Numbers,
): Verbs<'nowMs' | 'start' | 'claim' | 'claimRun' | 'load' | 'commit' | 'trace'> {
  const { run } = connections;
  return {
    nowMs: nowVerb(connections),
    start: (part, starts) => startBatch(connections, part, starts),
    claim: async (part, workerId, limit) =>
      openClaims(connections, part, await run(CLAIM, [part, workerId, limit, numbers.leaseMs])),
    claimRun: async (part, runId, workerId) =>
      (await openClaims(connections, part, await run(CLAIM_RUN, [part, workerId, runId])))[0] ?? null,
    load: loadVerb(connections),
    commit: (part, workerId, commits) => commitBatch(connections, part, workerId, commits),
    trace: async (part, asks) => {
      const traces: (CommitTrace | null)[] = asks.map(() => null);
      const rows = await run(TRACE, [part, asks.map((ask) => ask.runId), asks.map((ask) => ask.revision)]);
      for (const row of rows) traces[(row['ord'] as number) - 1] = traceFromRow(row);
      return traces;
    },
  };
}

async function observeAll({ run }: Connections, observations: readonly Observation[]): Promise<void> {
  for (const part of new Set(observations.map((observation) => observation.part))) {
    const mine = observations.filter((observation) => observation.part === part);
    const rows = mine.map(observationToRow);
    const column = (name: keyof (typeof rows)[number]): unknown[] => rows.map((row) => row[name]);
    await run(OBSERVE, [
      part,
      mine.map(({ runId }) => runId),
      column('effect_key'),
      column('source'),
      column('source_id'),
      column('detail'),
    ]);
  }
}

function eventVerbs(
  connections: Connections,
): Verbs<'deliver' | 'deliverAndClaim' | 'answerOf' | 'drain' | 'fireTimers' | 'nextDueMs' | 'observe'> {
  const { run } = connections;
  return {
    deliver: (part, deliveries) => deliverBatch(connections, part, deliveries),
    deliverAndClaim: (delivery, workerId, leaseMs) => deliverAndClaimOne(connections, delivery, workerId, leaseMs),
    answerOf: async (part, runId, source, eventId) => {
      const [row] = await run(ANSWER_OF, [part, runId, source, eventId]);
      return row === undefined ? null : storedAnswer(row);
    },
    drain: async (part, workerId) =>
      (await run(DRAIN, [part, workerId])).map(
        (row): DrainedRun => ({
          runId: row['run_id'] as RunId,
          wake: row['wake'] as number | null,
          inbox: (row['inbox'] as readonly Row[]).map(inboxFromRow),
        }),
      ),
    fireTimers: async (part, limit) => (await run(FIRE, [part, limit]))[0]?.['fired'] as number,
    nextDueMs: async (part) => {
      const [row] = await run(NEXT_DUE, [part]);
      return { dueAtMs: row?.['due_at'] as number | null, nowMs: row?.['now_ms'] as number };
    },
    observe: (observations) => observeAll(connections, observations),
  };
}

function checkingVerbs({ run }: Connections): Verbs<'records' | 'strays'> {
  return {
    records: async (part, after, limit) => recordsPage(part, limit, await run(RECORDS, [part, after, limit])),
    strays: async (part, limit) => (await run(STRAYS, [part, limit])).map((row) => strayFromRow(part, row)),
  };
}

/** The options with their defaults. */
function connectionsOf(options: PostgresStoreOptions): ConnectionOptions {
  const { url, tls, revive, onBroken } = options;
  return {
    url,
    connections: options.connections ?? CONNECTIONS_DEFAULT,
    pooler: options.pooler ?? 'none',
    applicationName: options.applicationName ?? 'pawl',
    numbers: options.numbers ?? numbersFor(LEASE_MS_DEFAULT),
    ...(tls === undefined ? {} : { tls }),
    ...(revive === undefined ? {} : { revive }),
    ...(onBroken === undefined ? {} : { onBroken }),
  };
}

/** Behind a pooler LISTEN succeeds and nothing ever comes. */
function hintsUrlOf({ url, pooler, hintsUrl }: PostgresStoreOptions): string | null {
  if (hintsUrl !== undefined) return hintsUrl;
  return pooler === 'transaction' ? null : url;
}

async function openBound(
  to: ConnectionOptions,
  readsFor: PostgresStoreOptions['readsFor'],
  parts: Pick<Parameters<typeof openTenantReads>[1], 'parts' | 'admission'>,
): Promise<OpenedReads | null> {
  if (readsFor === undefined) return null;
  try {
    return await openTenantReads(to, { ...parts, tenant: readsFor.tenant });
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    readsFor.onUnbound(error);
    return null;
  }
}

/**
 * Opens the store on a PostgreSQL, ours or a given one; migrates it first unless told not to.
 * @throws PAWL_STORE_*, PAWL_DATABASE_MISSING, PAWL_DATABASE_VERSION, PAWL_CONFIG_INVALID, PAWL_MIGRATION_MISMATCH.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const to = connectionsOf(options);
  const parts = await openDatabase(to, {
    migrate: options.migrate ?? 'apply',
    ...(options.parts === undefined ? {} : { parts: options.parts }),
  });
  const admission = createAdmission();
  const connections = admission.over(openConnections({ ...to, admit: admission.admit }));
  const withAdmission = { ...to, admit: admission.admit };
  const statements =
    options.statements === undefined ? null : await openStatements(withAdmission, options.statements.role);
  const bound = await openBound(withAdmission, options.readsFor, { parts, admission });
  const hintsUrl = hintsUrlOf(options);
  const hints = hintsUrl === null ? NO_HINTS : openHints(connections, { ...to, url: hintsUrl }, parts);
  const runs = runVerbs(connections, to.numbers);
  const events = eventVerbs(connections);
  return {
    parts,
    ...versionVerbs(connections),
    ...seatVerbs(connections),
    ...runs,
    ...events,
    ...readingVerbs(connections, parts),
    ...checkingVerbs(connections),
    ...lockVerbs(connections),
    ...shareVerbs(connections),
    ...queueVerbs(connections),
    ...outboxVerbs(connections),
    ...scheduleVerbs(connections),
    ...pruneVerbs(connections),
    ...deprecationVerbs(connections),
    ...pauseVerbs(connections),
    ...keyVerbs(connections),
    ...batchVerbs(connections),
    ...changeVerbs(connections),
    ...auditVerbs(connections),
    ...ledgerVerbs(connections),
    ...waitingVerbs(connections, parts),
    ...gaugeVerbs(connections, parts),
    ...witnessVerbs(connections),
    overdue: async (part, graceMs, limit) =>
      (await connections.run(OVERDUE, [part, graceMs, limit])).map((row) => ({
        runId: row['run_id'] as RunId,
        sinceMs: row['since'] as number,
      })),
    ...hints.over({ ...runs, ...events }),
    ...(statements === null ? {} : { act: statements.act }),
    listen: hints.listen,
    bound: bound?.reads ?? null,
    close: async () => {
      await hints.close();
      await statements?.close();
      await bound?.close();
      await connections.close();
    },
  };
}
