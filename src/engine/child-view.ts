import type { SnapshotEnvelope } from '../decision/snapshot-envelope.ts';
import { childOf } from '../decision/child-run.ts';
import { type ChildReference, parseChildReference } from '../model/child.ts';
import type { Effect } from '../model/effect.ts';
import type { RunId } from '../model/ids.ts';
import { displayRunId } from '../model/run-id.ts';
import type { RunStatus } from '../model/statuses.ts';
import { partOf } from '../model/virtual-shard.ts';
import type { Store } from '../ports/store.ts';

/** A child as its parent shows it. */
export interface ChildView {
  readonly step: string;
  readonly id: string;
  readonly workflow: string;
  readonly version: number;
  /** null = it is not started yet, or is gone. */
  readonly status: RunStatus | null;
}

/** The parent as its child shows it. */
export interface ParentView {
  readonly id: string;
  readonly step: string;
  /** Whether nobody waits for the child. */
  readonly detached: boolean;
}

/** Where runs stand, by id. */
export type Whereabouts = ReadonlyMap<RunId, RunStatus>;

interface Started {
  readonly step: string;
  readonly runId: RunId;
  readonly reference: ChildReference;
}

/** The children that a ledger has started. */
function startedIn(effects: readonly Effect[]): readonly Started[] {
  return effects.flatMap((effect) => {
    const reference = parseChildReference(effect.action);
    if (reference === null || effect.externalId === null) return [];
    return [{ step: effect.step, runId: childOf(effect), reference }];
  });
}

/** The children of a run, in the order of its ledger. */
export function childViews(effects: readonly Effect[], statuses: Whereabouts): readonly ChildView[] {
  return startedIn(effects).map(({ step, runId, reference }) => ({
    step,
    id: displayRunId(runId),
    ...reference,
    status: statuses.get(runId) ?? null,
  }));
}

/** Whose child a run is. */
export function parentView({ control }: Pick<SnapshotEnvelope, 'control'>): ParentView | null {
  const { parent } = control;
  if (parent === undefined) return null;
  return { id: displayRunId(parent.runId), step: parent.step, detached: parent.effectKey === null };
}

/** Where the children of a run stand. Transaction: none, one read per part. */
export async function childStatuses(store: Store, effects: readonly Effect[]): Promise<Whereabouts> {
  const ids = startedIn(effects).map(({ runId }) => runId);
  const parts = [...new Set(ids.map((runId) => partOf(runId, store.parts)))];
  const heads = await Promise.all(
    parts.map((part) =>
      store.heads(
        part,
        ids.filter((runId) => partOf(runId, store.parts) === part),
      ),
    ),
  );
  return new Map(heads.flat().map(({ runId, status }) => [runId, status]));
}
