import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { invariant } from '../../model/errors.ts';
import type { RunId, WorkerId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import { numbersFor, type Numbers } from '../../model/numbers.ts';
import type { Observation } from '../../model/run-commit.ts';
import { partOf } from '../../model/virtual-shard.ts';
import type {
  ClaimedRun,
  CommitTrace,
  DrainedRun,
  RunsAsked,
  Store,
  StoredRun,
  StoredVersion,
} from '../../ports/store.ts';
import { auditVerbs } from './audit-verbs.ts';
import { createAdmission, witnessVerbs } from './admission.ts';
import { assertSameContent } from '../version-conflict.ts';
import { batchVerbs } from './batch-verbs.ts';
import { changeVerbs } from './change-verbs.ts';
import { commitBatch } from './commit-batch.ts';
import { type ConnectionOptions, type Connections, openConnections, type Row } from './connections.ts';
import { deliverAndClaimOne, deliverBatch, storedAnswer } from './deliver-batch.ts';
import { NO_HINTS, openHints } from './hints.ts';
import { keyVerbs } from './key-verbs.ts';
import { ledgerVerbs } from './ledger-verbs.ts';
import { lockVerbs } from './lock-verbs.ts';
import { queueVerbs } from './queue-verbs.ts';
import { shareVerbs } from './share-verbs.ts';
import { outboxVerbs } from './outbox-verbs.ts';
import { pruneVerbs } from './prune-verbs.ts';
import { scheduleVerbs } from './schedule-verbs.ts';
import { waitingVerbs } from './waiting-verbs.ts';
import { openDatabase } from './open-database.ts';
import {
  auditFromRow,
  inboxFromRow,
  observationFromRow,
  observationToRow,
  receiptFromRow,
  transitionFromRow,
} from './rows.ts';
import { recordsPage, strayFromRow } from './record-rows.ts';
import { runFromRow, runLineFromRow, storedRunFromRow, versionFromRow } from './run-rows.ts';
import { CLAIM, CLAIM_RUN } from './sql/claim.ts';
import { FIND_VERSION, LIST_VERSIONS, LOAD_VERSION, PUBLISH } from './sql/definition.ts';
import { ANSWER_OF, DRAIN } from './sql/deliver.ts';
import { LOAD, NOW, TRACE } from './sql/load.ts';
import {
  AUDIT_ROWS,
  COUNT_RUNS,
  FIND_RUN_BY_ID,
  FIND_RUN_BY_KEY,
  HOLDER,
  INBOX_ROWS,
  JOURNAL,
  LIST_RUNS,
  OBSERVATIONS,
  OBSERVE,
  RECEIPTS,
  WORKERS,
} from './sql/reads.ts';
import { BEAT, DISOWN, LEAVE_SEAT, SWEEP, TAKE_SEAT } from './sql/seat.ts';
import { RECORDS, STRAYS } from './sql/records.ts';
import { FIRE, NEXT_DUE } from './sql/timer.ts';
import { OVERDUE } from './sql/witness.ts';
import { startBatch } from './start-batch.ts';
import { openStatements } from './statements.ts';

/** Connections of a process unless set otherwise: writers, one reader, one for heartbeats. */
const CONNECTIONS_DEFAULT = 5;
const LEASE_MS_DEFAULT = 30_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

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
}

type Verbs<K extends keyof Store> = Pick<Store, K>;

function versionVerbs({ run }: Connections): Verbs<'publish' | 'findVersion' | 'loadVersion' | 'listVersions'> {
  const one = (rows: readonly Row[]): StoredVersion | null => (rows[0] === undefined ? null : versionFromRow(rows[0]));
  const findVersion: Store['findVersion'] = async (tenant, workflow, version) =>
    one(await run(FIND_VERSION, [tenant, workflow, version]));
  return {
    findVersion,
    publish: async (asked, schedule) => {
      const { tenant, workflow, version, digest, digests, source, machine, publishedBy } = asked;
      const content = [digest, JSON.stringify(digests), source, machine, publishedBy];
      const begins = [schedule?.part ?? null, schedule?.dueAtMs ?? null, schedule?.timesOf ?? null];
      const made = one(await run(PUBLISH, [tenant, workflow, version, ...content, ...begins]));
      const stored = made ?? (await findVersion(tenant, workflow, version));
      invariant(stored !== null, 'a version is neither new nor there', { workflow, version });
      assertSameContent(asked, stored);
      return { created: made !== null, version: stored };
    },
    loadVersion: async (digest) => one(await run(LOAD_VERSION, [digest])),
    listVersions: async (tenant) => (await run(LIST_VERSIONS, [tenant])).map(versionFromRow),
  };
}

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

async function loadRuns(
  { run }: Connections,
  part: number,
  runIds: readonly RunId[],
): Promise<{ runs: StoredRun[]; rows: Row[] }> {
  const rows = runIds.length === 0 ? [] : await run(LOAD, [part, runIds]);
  return { runs: rows.map(storedRunFromRow), rows };
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
  const nowMs = async (): Promise<number> => (await run(NOW, []))[0]?.['now_ms'] as number;
  return {
    nowMs,
    start: (part, starts) => startBatch(connections, part, starts),
    claim: async (part, workerId, limit) =>
      openClaims(connections, part, await run(CLAIM, [part, workerId, limit, numbers.leaseMs])),
    claimRun: async (part, runId, workerId) =>
      (await openClaims(connections, part, await run(CLAIM_RUN, [part, workerId, runId])))[0] ?? null,
    load: async (part, runIds) => {
      const { runs, rows } = await loadRuns(connections, part, runIds);
      return { runs, nowMs: (rows[0]?.['now_ms'] as number | undefined) ?? (await nowMs()) };
    },
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

function checkingVerbs({ run }: Connections): Verbs<'records' | 'strays'> {
  return {
    records: async (part, after, limit) => recordsPage(part, limit, await run(RECORDS, [part, after, limit])),
    strays: async (part, limit) => (await run(STRAYS, [part, limit])).map((row) => strayFromRow(part, row)),
  };
}

/** Which runs are asked for, as the statements take it. */
function askedRuns({ tenant, workflow, statuses, needsHuman, q, ...more }: RunsAsked): readonly unknown[] {
  const { version = null, workflows = null, startedAfterMs = null, startedBeforeMs = null, effectStates = null } = more;
  return [tenant, workflow, statuses, needsHuman, q, version, workflows, startedAfterMs, startedBeforeMs, effectStates];
}

function readingVerbs({ run }: Connections, parts: number): ReadingVerbs {
  return {
    findRun: async (tenant, idOrKey) => {
      const byId = UUID.test(idOrKey)
        ? await run(FIND_RUN_BY_ID, [partOf(idOrKey as RunId, parts), idOrKey, tenant])
        : [];
      return (byId.length > 0 ? byId : await run(FIND_RUN_BY_KEY, [tenant, idOrKey])).map(runFromRow);
    },
    listRuns: async ({ limit, after, ...filter }) => {
      const place = [after?.startedAtMs ?? null, after?.runId ?? null];
      return (await run(LIST_RUNS, [...askedRuns(filter), ...place, limit])).map(runLineFromRow);
    },
    countRuns: async (filter, limit) => (await run(COUNT_RUNS, [...askedRuns(filter), limit]))[0]?.['runs'] as number,
    journal: async (part, runId) => (await run(JOURNAL, [part, runId])).map(transitionFromRow),
    receipts: async (part, runId) => (await run(RECEIPTS, [part, runId])).map(receiptFromRow),
    observations: async (part, runId) =>
      (await run(OBSERVATIONS, [part, runId])).map((row) => observationFromRow(part, runId, row)),
    inbox: async (part, runId) =>
      (await run(INBOX_ROWS, [part, runId])).map((row) => ({
        ...inboxFromRow(row),
        detail: JSON.parse(row['detail'] as string) as Json,
        consumed: row['consumed'] as boolean,
      })),
    audit: async (part, runId) => (await run(AUDIT_ROWS, [part, runId])).map(auditFromRow),
    holder: async (part, runId) => {
      const [row] = await run(HOLDER, [part, runId]);
      return row === undefined
        ? null
        : { workerId: row['worker_id'] as WorkerId, leaseUntilMs: row['lease_until'] as number | null };
    },
    workers: async () =>
      (await run(WORKERS, [])).map((row) => ({
        part: row['part'] as number,
        workerId: row['worker_id'] as WorkerId,
        leaseUntilMs: row['lease_until'] as number,
        held: row['held'] as number,
      })),
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

/**
 * Opens the store on a PostgreSQL, ours or a given one; migrates it first unless told not to.
 * @throws PAWL_STORE_*, PAWL_DATABASE_MISSING, PAWL_DATABASE_VERSION, PAWL_CONFIG_INVALID, PAWL_MIGRATION_MISMATCH.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
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
    ...keyVerbs(connections),
    ...batchVerbs(connections),
    ...changeVerbs(connections),
    ...auditVerbs(connections),
    ...ledgerVerbs(connections),
    ...waitingVerbs(connections, parts),
    ...witnessVerbs(connections),
    overdue: async (part, graceMs, limit) =>
      (await connections.run(OVERDUE, [part, graceMs, limit])).map((row) => ({
        runId: row['run_id'] as RunId,
        sinceMs: row['since'] as number,
      })),
    ...hints.over({ ...runs, ...events }),
    ...(statements === null ? {} : { act: statements.act }),
    listen: hints.listen,
    close: async () => {
      await hints.close();
      await statements?.close();
      await connections.close();
    },
  };
}
