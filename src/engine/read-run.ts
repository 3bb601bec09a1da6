import { InvariantError } from '../model/errors.ts';
import type { RunIdentity, RunState } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { assertRetained, loadStored, versionOf } from './find-run.ts';
import { loadRun } from './load-run.ts';
import type { LoadedVersion } from './version-cache.ts';

/**
 * A run as a decision would read it, for previews that follow the decision's own rules. Transaction: none.
 * @throws PAWL_RUN_NOT_FOUND, PAWL_RUN_PRUNED; PAWL_INVARIANT naming the field of a run that this process cannot read (P07).
 */
export async function readRun(
  engine: Engine,
  run: RunIdentity,
): Promise<{ readonly version: LoadedVersion; readonly state: RunState }> {
  const { stored } = await loadStored(engine, run);
  assertRetained(stored);
  const version = await versionOf(engine, run);
  const loaded = loadRun(version, stored);
  if (loaded.kind === 'run') return { version, state: loaded.state };
  throw new InvariantError('the run cannot be read by this process', { runId: run.runId, field: loaded.field });
}
