import type { Json } from '../model/json.ts';
import { displayRunId } from '../model/run-id.ts';
import type { RunStatus } from '../model/statuses.ts';
import type { RunFilter } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { toldFailure } from './told-failure.ts';

/** A line of a list of runs; times RFC 3339 UTC. */
export interface RunLineView {
  readonly id: string;
  readonly key: string;
  readonly workflow: string;
  readonly version: number;
  readonly status: RunStatus;
  readonly revision: number;
  /** What a person is needed for, empty = nothing. */
  readonly needs: readonly string[];
  readonly startedBy: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** What its `finally` failed with, whatever its end; absent where it did not. */
  readonly finallyFailed?: Json;
}

/** Runs, newest first. Transaction: none. */
export async function listRuns(engine: Engine, filter: Omit<RunFilter, 'tenant'>): Promise<readonly RunLineView[]> {
  const lines = await engine.store.listRuns({ ...filter, tenant: engine.tenant });
  return lines.map(({ run, status, revision, needs, endedAtMs, failure }) => ({
    id: displayRunId(run.runId),
    key: run.key,
    workflow: run.workflow,
    version: run.version,
    status,
    revision,
    needs,
    startedBy: run.startedBy,
    startedAt: new Date(run.startedAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
    ...finallyFailedIn(failure),
  }));
}

function finallyFailedIn(failure: Json | undefined): Pick<RunLineView, 'finallyFailed'> {
  const { finallyFailed } = toldFailure(failure);
  return finallyFailed === undefined ? {} : { finallyFailed };
}
