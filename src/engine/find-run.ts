import { ConflictError, invariant, NotFoundError, RefusedError } from '../model/errors.ts';
import type { RunIdentity } from '../model/run.ts';
import { displayRunId, FOUND_RUNS_MAX, parseRunId } from '../model/run-id.ts';
import type { StoredRun } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import type { LoadedVersion } from './version-cache.ts';

/** A run of a key that was freed (`again: afterFailure`) by its start number: `order-42#1`. */
const NUMBERED = /^(.+)#([1-9]\d{0,8})$/;

/** The runs of a key with that start number; a key that itself ends so was looked for before. */
async function findNumbered(engine: Engine, name: string): Promise<readonly RunIdentity[]> {
  const [, key, number] = NUMBERED.exec(name) ?? [];
  if (key === undefined) return [];
  const newest = await engine.store.findRun(engine.tenant, key);
  const limit = newest.reduce((sum, run) => sum + run.startNumber, 0);
  if (limit === 0) return [];
  const filter = { tenant: engine.tenant, workflow: null, statuses: null, needsHuman: false, q: key, limit };
  const lines = await engine.store.listRuns(filter);
  return lines.map(({ run }) => run).filter((run) => run.startNumber === Number(number));
}

/**
 * The run that a person means: by `run_…`, by UUID, or by its business key (the latest of that key, or with `#N` the one of
 * that start number). Transaction: none.
 * @throws PAWL_RUN_NOT_FOUND; PAWL_RUN_AMBIGUOUS when workflows share the key.
 */
export async function findRun(engine: Engine, idOrKey: string): Promise<RunIdentity> {
  const runId = parseRunId(idOrKey);
  const named = await engine.store.findRun(engine.tenant, runId ?? idOrKey);
  const found = named.length === 0 ? await findNumbered(engine, idOrKey) : named;
  const exact = found.find((run) => run.runId === runId) ?? (found.length === 1 ? found[0] : undefined);
  if (exact !== undefined) return exact;
  if (found.length === 0) throw new NotFoundError('PAWL_RUN_NOT_FOUND', `there is no run ${idOrKey}`, { run: idOrKey });
  const names = found.map((run) => `${displayRunId(run.runId)} (${run.workflow})`);
  throw new ConflictError(
    'PAWL_RUN_AMBIGUOUS',
    `${idOrKey} names ${found.length < FOUND_RUNS_MAX ? found.length : `at least ${found.length}`} runs; use an id: ${names.slice(0, 5).join(', ')}`,
    {
      run: idOrKey,
      runs: found.map((run) => run.runId),
    },
  );
}

/**
 * A run with all its rows. Transaction: none.
 * @throws PAWL_RUN_NOT_FOUND.
 */
export async function loadStored(
  engine: Engine,
  run: RunIdentity,
): Promise<{ readonly stored: StoredRun; readonly nowMs: number }> {
  const { runs, nowMs } = await engine.store.load(run.part, [run.runId]);
  const stored = runs[0];
  if (stored === undefined)
    throw new NotFoundError('PAWL_RUN_NOT_FOUND', `there is no run ${run.runId}`, { run: run.runId });
  return { stored, nowMs };
}

/** @throws PAWL_RUN_PRUNED where the state of a run is gone. */
export function assertRetained({ run, prunedAtMs }: Pick<StoredRun, 'run' | 'prunedAtMs'>): void {
  if (prunedAtMs === null) return;
  const at = new Date(prunedAtMs).toISOString();
  throw new RefusedError(
    'PAWL_RUN_PRUNED',
    `the state of run ${displayRunId(run.runId)} was pruned at ${at}: nothing of it can be changed or undone any more`,
    { run: run.runId, prunedAt: at },
  );
}

/**
 * The version that a run is pinned to. Transaction: none.
 * @throws PAWL_INVARIANT when it is not stored, or not as it was published.
 */
export async function versionOf(engine: Engine, { runId, digest }: RunIdentity): Promise<LoadedVersion> {
  const version = await engine.versions.byDigest(digest);
  invariant(version !== null, 'the version of a run is not stored', { runId, digest });
  return version;
}
