import { invariant } from '../../model/errors.ts';
import type { RunId, WorkerId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import { partOf } from '../../model/virtual-shard.ts';
import type { RunsAsked, Store, StoredRun, StoredVersion } from '../../ports/store.ts';
import { assertSameContent } from '../version-conflict.ts';
import type { Connections, Row } from './connections.ts';
import { auditFromRow, inboxFromRow, observationFromRow, receiptFromRow, transitionFromRow } from './rows.ts';
import { runFromRow, runLineFromRow, storedRunFromRow, versionFromRow } from './run-rows.ts';
import { FIND_VERSION, LIST_VERSIONS, LOAD_VERSION, PUBLISH } from './sql/definition.ts';
import { LOAD, NOW } from './sql/load.ts';
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
  RECEIPTS,
  WORKERS,
} from './sql/reads.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The verbs of published versions. */
export function versionVerbs({
  run,
}: Connections): Pick<Store, 'publish' | 'findVersion' | 'loadVersion' | 'listVersions'> {
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

/** Runs with all that decisions need, and the rows that they were made of. */
export async function loadRuns(
  { run }: Connections,
  part: number,
  runIds: readonly RunId[],
): Promise<{ runs: StoredRun[]; rows: Row[] }> {
  const rows = runIds.length === 0 ? [] : await run(LOAD, [part, runIds]);
  return { runs: rows.map(storedRunFromRow), rows };
}

/** The verb that asks for the database's time. */
export function nowVerb({ run }: Connections): Store['nowMs'] {
  return async () => (await run(NOW, []))[0]?.['now_ms'] as number;
}

/** The verb that loads runs. */
export function loadVerb(connections: Connections): Store['load'] {
  const nowMs = nowVerb(connections);
  return async (part, runIds) => {
    const { runs, rows } = await loadRuns(connections, part, runIds);
    return { runs, nowMs: (rows[0]?.['now_ms'] as number | undefined) ?? (await nowMs()) };
  };
}

type ReadingVerbs = Pick<
  Store,
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

/** Which runs are asked for, as the statements take it. */
function askedRuns({ tenant, workflow, statuses, needsHuman, q, ...more }: RunsAsked): readonly unknown[] {
  const { version = null, workflows = null, startedAfterMs = null, startedBeforeMs = null } = more;
  const { effectStates = null, digests = null } = more;
  const named = [tenant, workflow, statuses, needsHuman, q, version, workflows];
  return [...named, startedAfterMs, startedBeforeMs, effectStates, digests];
}

/** The verbs that find runs and read what is stored of them. */
export function readingVerbs({ run }: Connections, parts: number): ReadingVerbs {
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
