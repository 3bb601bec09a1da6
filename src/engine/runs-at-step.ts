import { RefusedError } from '../model/errors.ts';
import type { RunId } from '../model/ids.ts';
import { isEnd, RUN_STATUSES } from '../model/statuses.ts';
import type { RunFilter, RunLine, StoredRun } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { openEnvelope, statesOf } from './run-view.ts';
import { stepViews } from './step-view.ts';

/** Runs of one reading while those at a step are looked for. */
const PAGE = 200;
/** So many runs are looked at for one list, and no more: each is read as a whole. */
const LOOKED_AT_MAX = 20_000;

/**
 * The runs that stand at a step: where a run stands is in its snapshot, which no statement reads, so that they are read one
 * after the other.
 * @throws PAWL_LIST_TOO_WIDE where more than 20,000 would have to be read.
 */
export async function runsAt(engine: Engine, filter: RunFilter, step: string): Promise<readonly RunLine[]> {
  const statuses = (filter.statuses ?? RUN_STATUSES).filter((status) => !isEnd(status));
  const found: RunLine[] = [];
  let place: Pick<RunFilter, 'after'> = filter.after === undefined ? {} : { after: filter.after };
  for (let looked = 0; looked < LOOKED_AT_MAX; looked += PAGE) {
    const page = await engine.store.listRuns({ ...filter, statuses, ...place, limit: PAGE });
    const there = await standingAt(engine, page, step);
    found.push(...page.filter(({ run }) => there.has(run.runId)));
    const last = page.at(-1)?.run;
    if (found.length >= filter.limit || page.length < PAGE || last === undefined) return found.slice(0, filter.limit);
    place = { after: { startedAtMs: last.startedAtMs, runId: last.runId } };
  }
  throw new RefusedError(
    'PAWL_LIST_TOO_WIDE',
    `more than ${LOOKED_AT_MAX.toLocaleString('en')} runs would have to be looked at for those at step ${step}: name a workflow, a status or a time as well`,
    { step },
  );
}

async function standingAt(engine: Engine, lines: readonly RunLine[], step: string): Promise<ReadonlySet<RunId>> {
  const there = new Set<RunId>();
  for (const part of new Set(lines.map(({ run }) => run.part))) {
    const inPart = lines.flatMap(({ run }) => (run.part === part ? [run.runId] : []));
    const { runs } = await engine.store.load(part, inPart);
    for (const stored of runs) if (await isAt(engine, stored, step)) there.add(stored.run.runId);
  }
  return there;
}

/** One that this process cannot read stands nowhere that it knows. */
async function isAt(engine: Engine, stored: StoredRun, step: string): Promise<boolean> {
  const { envelope } = openEnvelope(stored);
  const version = await engine.versions.byDigest(stored.run.digest);
  if (envelope === null || version === null) return false;
  const { states = [] } = statesOf(version, envelope);
  if (states.includes(step)) return true;
  return stepViews(version, envelope, stored.effects).some(
    ({ id, status }) => id === step && (status === 'active' || status === 'held'),
  );
}
