import { displayRunId } from '../model/run-id.ts';
import type { RunId } from '../model/ids.ts';
import type { PruneAct } from '../model/retention.ts';
import type { RunStatus } from '../model/statuses.ts';
import type { Engine } from './engine.ts';
import { type JudgedPage, type JudgedRun, judgeRetention, type KeptFor, pruneRuns } from './prune-runs.ts';

/** Runs that are told by name, of those that go and of those that are kept although their time is over. */
const TOLD_RUNS_MAX = 100;

/** A run that goes, or is kept although its time is over; times RFC 3339 UTC. */
export interface PruneLineView {
  readonly run: string;
  readonly status: RunStatus;
  readonly endedAt: string | null;
  /** Null = it goes. */
  readonly keptFor: KeptFor | null;
}

/** What pruning came to, or would come to; `pawl prune -o json`. */
export interface PruneView {
  readonly dryRun: boolean;
  /** How many runs went, or would go. */
  readonly pruned: number;
  /** How many keep their state, by the reason. */
  readonly kept: Readonly<Partial<Record<KeptFor, number>>>;
  /** The first of those that go, and of those that are kept although their time is over. */
  readonly runs: readonly PruneLineView[];
}

/** Reasons that are no news: a run that is at work, or whose time has not come. */
const PLAIN: ReadonlySet<KeptFor | null> = new Set(['unfinished', 'retention']);

function lineOf({ runId, status, endedAtMs, keptFor }: JudgedRun): PruneLineView {
  const endedAt = endedAtMs === null ? null : new Date(endedAtMs).toISOString();
  return { run: displayRunId(runId), status, endedAt, keptFor };
}

/** Every page of every part, one after the other: what is in memory does not grow with the number of runs. */
async function* pagesOf(engine: Engine, by: PruneAct | null): AsyncGenerator<readonly JudgedRun[]> {
  for (let part = 0; part < engine.store.parts; part += 1) {
    let after: RunId | null = null;
    do {
      const page: JudgedPage =
        by === null ? await judgeRetention(engine, part, after) : await pruneRuns(engine, part, after, by);
      yield page.runs;
      after = page.next;
    } while (after !== null);
  }
}

/**
 * Goes once through all runs and prunes those whose time is over. Transaction: one per batch.
 * @param by who does it now, and why; null = nobody: it is only said which would go and why others are kept.
 */
export async function pruneAll(engine: Engine, by: PruneAct | null): Promise<PruneView> {
  const kept: Partial<Record<KeptFor, number>> = {};
  const gone: PruneLineView[] = [];
  const held: PruneLineView[] = [];
  let pruned = 0;
  for await (const runs of pagesOf(engine, by)) {
    for (const run of runs) {
      const { keptFor } = run;
      if (keptFor === null) pruned += 1;
      else kept[keptFor] = (kept[keptFor] ?? 0) + 1;
      const lines = keptFor === null ? gone : held;
      if (!PLAIN.has(keptFor) && lines.length < TOLD_RUNS_MAX) lines.push(lineOf(run));
    }
  }
  return { dryRun: by === null, pruned, kept, runs: [...gone, ...held] };
}
