import type { Json, JsonObject } from '../model/json.ts';
import { ownValue } from '../model/own-value.ts';
import { displayRunId } from '../model/run-id.ts';
import type { RunStatus } from '../model/statuses.ts';
import type { RunFilter, RunsAsked } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { runsAt } from './runs-at-step.ts';
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

/** Which runs are listed. */
export interface RunsWanted extends Omit<RunFilter, 'tenant' | 'digests'> {
  /** Only runs of versions with all of these labels. */
  readonly labels?: Labels;
  /** Only runs that stand at this step now, or rest in this state of a machine. */
  readonly step?: string;
}

/** Which runs are counted. */
export interface RunsCounted extends Omit<RunsAsked, 'tenant' | 'digests'> {
  /** Only runs of versions with all of these labels. */
  readonly labels?: Labels;
}

/** Labels as texts, by name. */
export type Labels = Readonly<Record<string, string>>;

/** Runs, newest first. @throws PAWL_LIST_TOO_WIDE as `runsAt` does. Transaction: none. */
export async function listRuns(
  engine: Engine,
  { labels, step, ...wanted }: RunsWanted,
): Promise<readonly RunLineView[]> {
  const filter = { ...wanted, tenant: engine.tenant, ...(await labelled(engine, labels)) };
  const lines = step === undefined ? await engine.store.listRuns(filter) : await runsAt(engine, filter, step);
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

/** How many runs there are, `limit` at most. Transaction: none. */
export async function countRuns(engine: Engine, { labels, ...asked }: RunsCounted, limit: number): Promise<number> {
  return engine.store.countRuns({ ...asked, tenant: engine.tenant, ...(await labelled(engine, labels)) }, limit);
}

/** The versions with all of these labels, as part of a filter: they stand in the file, beside what its digest covers. */
async function labelled({ store, tenant }: Engine, labels: Labels | undefined): Promise<Pick<RunFilter, 'digests'>> {
  if (labels === undefined) return {};
  const versions = await store.listVersions(tenant);
  const isMeant = ({ machine }: { readonly machine: string }): boolean => {
    const { definition } = JSON.parse(machine) as { readonly definition: { readonly labels?: JsonObject } };
    return Object.entries(labels).every(([name, text]) => String(ownValue(definition.labels ?? {}, name)) === text);
  };
  return { digests: versions.filter(isMeant).map(({ digest }) => digest) };
}

function finallyFailedIn(failure: Json | undefined): Pick<RunLineView, 'finallyFailed'> {
  const { finallyFailed } = toldFailure(failure);
  return finallyFailed === undefined ? {} : { finallyFailed };
}
