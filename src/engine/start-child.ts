import { decideStart } from '../decision/decide-start.ts';
import type { ChildStart } from '../model/child.ts';
import { ConflictError, invariant } from '../model/errors.ts';
import type { RunIdentity } from '../model/run.ts';
import { partOf } from '../model/virtual-shard.ts';
import type { Engine } from './engine.ts';
import { joinAtStart } from './hold-lock.ts';
import { acceptInput, readLock } from './start-run.ts';
import { accepted, startRuns } from './start-runs.ts';
import type { LoadedVersion } from './version-cache.ts';

/** A lock that is held above is held for the child, too: it takes no place of its own. */
function lockOf(version: LoadedVersion, start: ChildStart, input: RunIdentity['input']): Pick<RunIdentity, 'lock'> {
  const { lock } = readLock(version, input);
  return lock === undefined || start.parent.locks.includes(lock.name) ? {} : { lock };
}

/**
 * Starts the run that a parent has chosen (V08), free for whoever claims it. Its id and its key are the message's: the same
 * message again starts nothing.
 * @throws PAWL_INPUT_INVALID, PAWL_VALUE_NOT_STORABLE; PAWL_RUN_KEY_CONFLICT where the key is
 * another run's. Transaction: opens one.
 */
export async function startChild(engine: Engine, start: ChildStart, nowMs: number): Promise<void> {
  const version = await engine.versions.find(engine.tenant, start.workflow, start.version);
  invariant(version !== null, 'a child is published before its parent', { workflow: start.workflow });
  const input = acceptInput(version, start.input);
  const part = partOf(start.runId, engine.store.parts);
  const run: RunIdentity = {
    runId: start.runId,
    part,
    tenant: engine.tenant,
    workflow: start.workflow,
    version: start.version,
    digest: version.stored.digest,
    key: start.key,
    startNumber: 1,
    input,
    startedAtMs: nowMs,
    startedBy: start.by,
    ...(start.traceparent === undefined ? {} : { traceparent: start.traceparent }),
    ...lockOf(version, start, input),
  };
  const context = {
    compiled: version.compiled,
    nowMs,
    canSend: false,
    numbers: engine.numbers,
    missingFunctions: engine.actions.missing(version.functions),
  };
  const decision = decideStart(context, run, start.parent);
  const { lease, ...rows } = decision.start;
  invariant(lease.kind === 'free', 'whoever sends nothing keeps no run', { runId: run.runId });
  const [answer] = await startRuns(engine, part, [{ ...rows, lease }]);
  if (answer !== undefined && accepted(answer).runId !== run.runId)
    throw new ConflictError(
      'PAWL_RUN_KEY_CONFLICT',
      `run key ${run.key} of ${run.workflow} is taken by another run`,
      {},
    );
  await joinAtStart(engine, decision.next.run);
}
