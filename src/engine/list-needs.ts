import type { RunFilter, RunLine, RunPlace } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import type { EffectKey } from '../model/ids.ts';
import type { IncidentKind } from '../model/statuses.ts';
import { OPERATORS } from '../decision/hold-step.ts';
import { runView } from './run-view.ts';
import { shareStandings } from './share-view.ts';

/** One thing that only a person can do: an incident, an approval that is asked for, or the end of a pause; times RFC 3339 UTC. */
export interface NeedView {
  readonly run: string;
  readonly key: string;
  readonly workflow: string;
  readonly version: number;
  /** The kind of the incident, `approval` or `paused`. */
  readonly kind: string;
  readonly since: string;
  readonly step: string | null;
  readonly message: string;
  /** Who may act: `role:NAME`, `user:NAME`. */
  readonly from: readonly string[];
  readonly acts: readonly string[];
  /** The first way out, to be typed as it stands but for its capitals; null where nothing can be typed. */
  readonly command: string | null;
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

/** The needs of a page of runs, and the run behind which the next one begins; null = this was the last. Transaction: none. */
export async function needsPage(
  engine: Engine,
  filter: Omit<RunFilter, 'tenant' | 'needsHuman'>,
): Promise<{ readonly needs: readonly NeedView[]; readonly next: RunPlace | null }> {
  const { limit } = filter;
  const found = await engine.store.listRuns({ ...filter, limit: limit + 1, needsHuman: true, tenant: engine.tenant });
  const lines = found.slice(0, limit);
  const needs = await Promise.all(lines.map((line) => needsOf(engine, line)));
  const last = found.length > limit ? lines.at(-1)?.run : undefined;
  const next = last === undefined ? null : { startedAtMs: last.startedAtMs, runId: last.runId };
  return { needs: needs.flat(), next };
}

/** Runs of a page. */
const PAGE = 200;

/** Everything that is held for the same, however much it is, a line each, the newest run first. Transaction: none. */
export async function listHeld(
  engine: Engine,
  kind: IncidentKind,
  workflow: string | null,
): Promise<readonly NeedView[]> {
  const { store, tenant } = engine;
  const filter = { tenant, workflow, statuses: null, needsHuman: true, q: null, limit: PAGE };
  const held: NeedView[] = [];
  let lines = await store.listRuns(filter);
  while (lines.length > 0) {
    for (const line of lines)
      if (line.needs.includes(`incident:${kind}`))
        held.push(...(await needsOf(engine, line)).filter((need) => need.kind === kind));
    const last = lines.at(-1)?.run;
    if (last === undefined || lines.length < PAGE) break;
    lines = await store.listRuns({ ...filter, after: { startedAtMs: last.startedAtMs, runId: last.runId } });
  }
  return held;
}

async function needsOf({ store }: Engine, { run }: RunLine): Promise<readonly NeedView[]> {
  const { runs, nowMs } = await store.load(run.part, [run.runId]);
  const shares = await shareStandings(
    store,
    runs.flatMap(({ effects }) => effects),
  );
  return runs.flatMap((stored) => {
    const { id, key, workflow, version, incidents, approvals, waitingFor, paused } = runView(null, {
      stored,
      receipts: [],
      nowMs,
    });
    const about = { run: id, key, workflow, version };
    const ways = (kind: 'person' | 'approval') => waitingFor.filter((waiting) => waiting.kind === kind);
    const told = (effect: string | null, message: string): string => {
      const waiting = shares.get(effect as EffectKey)?.waiting ?? 0;
      return waiting === 0 ? message : `${message} (${waiting === 1 ? '1 run waits' : `${waiting} runs wait`} for it)`;
    };
    const stop = {
      kind: 'paused',
      step: null,
      message: `${paused?.by ?? ''} has paused it: ${paused?.reason ?? ''}`,
      from: OPERATORS,
      acts: ['resume'],
      command: `pawl resume ${id}`,
    };
    return [
      ...(paused === undefined ? [] : [{ ...about, ...stop, since: paused.since }]),
      ...incidents.map(({ kind, since, step, effect, message, from, acts }, index) => ({
        ...about,
        kind,
        since,
        step,
        message: told(effect, message),
        from,
        acts,
        command: ways('person')[index]?.command ?? null,
      })),
      ...approvals
        .filter(({ state }) => state === 'open')
        .map(({ step, askedAt, title, from }, index) => ({
          ...about,
          kind: 'approval',
          since: askedAt,
          step,
          message: title,
          from,
          acts: ['approve', 'deny'],
          command: ways('approval')[index]?.command ?? null,
        })),
    ];
  });
}
