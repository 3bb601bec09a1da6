import type { RunLine, RunFilter } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { runView } from './run-view.ts';

/** One thing that only a person can do: an incident, or an approval that is asked for; times RFC 3339 UTC. */
export interface NeedView {
  readonly run: string;
  readonly key: string;
  readonly workflow: string;
  readonly version: number;
  /** The kind of the incident, or `approval`. */
  readonly kind: string;
  readonly since: string;
  readonly step: string | null;
  readonly message: string;
  /** Who may act: `role:NAME`, `user:NAME`. */
  readonly from: readonly string[];
  readonly acts: readonly string[];
}

/** What a person is needed for, a line each, the newest run first. Transaction: none. */
export async function listNeeds(
  engine: Engine,
  filter: Omit<RunFilter, 'tenant' | 'needsHuman'>,
): Promise<readonly NeedView[]> {
  const lines = await engine.store.listRuns({ ...filter, needsHuman: true, tenant: engine.tenant });
  const needs = await Promise.all(lines.map((line) => needsOf(engine, line)));
  return needs.flat();
}

async function needsOf({ store }: Engine, { run }: RunLine): Promise<readonly NeedView[]> {
  const { runs, nowMs } = await store.load(run.part, [run.runId]);
  return runs.flatMap((stored) => {
    const { id, key, workflow, version, incidents, approvals } = runView(null, { stored, receipts: [], nowMs });
    const about = { run: id, key, workflow, version };
    return [
      ...incidents.map(({ kind, since, step, message, from, acts }) => ({
        ...about,
        kind,
        since,
        step,
        message,
        from,
        acts,
      })),
      ...approvals
        .filter(({ state }) => state === 'open')
        .map(({ step, askedAt, title, from }) => ({
          ...about,
          kind: 'approval',
          since: askedAt,
          step,
          message: title,
          from,
          acts: ['approve', 'deny'],
        })),
    ];
  });
}
