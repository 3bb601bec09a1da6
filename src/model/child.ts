import type { EffectKey, RunId } from './ids.ts';
import type { Json } from './json.ts';
import type { RunStatus } from './statuses.ts';

/** Whose child a run is; a run that nobody waits for has no `effectKey`. */
export interface ParentLink {
  readonly runId: RunId;
  readonly step: string;
  /** The parent's ledger row that waits for the end; null = detached: the end is told to nobody. */
  readonly effectKey: EffectKey | null;
  /** Locks that are held above: the child takes no place of its own for one of them. */
  readonly locks: readonly string[];
}

/** Body of the message `child.start`. */
export interface ChildStart {
  /** A fresh UUIDv7, chosen once in the parent's commit (V08). */
  readonly runId: RunId;
  readonly workflow: string;
  readonly version: number;
  readonly key: string;
  readonly input: Json;
  /** Who started the parent: what somebody may not approve there, nobody approves here. */
  readonly by: string;
  /** The trace that the parent has; absent where it has none. */
  readonly traceparent?: string;
  readonly parent: ParentLink;
}

/** Body of the messages `child.cancel` and `child.undo`: what the parent wants of a child. */
export interface ChildOrder {
  readonly runId: RunId;
  /** The ledger row that it is about: of the start, or of the undo. */
  readonly effectKey: EffectKey;
  readonly by: string;
  readonly reason: string;
}

/** What became of a child, or of an order to undo it: told to its parent exactly once each. */
export interface ChildNews {
  readonly childId: RunId;
  /** The row of the parent that waits for it. */
  readonly effectKey: EffectKey;
  /** The child's end; `REFUSED`: it was not started, or is not undone. */
  readonly status:
    | Extract<
        RunStatus,
        'COMPLETED' | 'FAILED' | 'COMPENSATED' | 'COMPENSATED_WITH_ERRORS' | 'CANCELLED' | 'TERMINATED'
      >
    | 'REFUSED';
  readonly output: Json;
  /** Why it did not complete, or was refused; null for a completed one. */
  readonly failure: { readonly code: string; readonly message: string; readonly data: Json } | null;
}

/** Body of the message `child.end`. */
export interface ChildEnd {
  readonly parentId: RunId;
  readonly news: ChildNews;
}

/** A reference to one version of a workflow: `name@version`. */
export interface ChildReference {
  readonly workflow: string;
  readonly version: number;
}

const REFERENCE = /^([a-z][a-z0-9-]{0,63})@([1-9][0-9]{0,8})$/;

/** Reads `name@version`; null where the text is none. */
export function parseChildReference(text: string): ChildReference | null {
  const [, workflow, version] = REFERENCE.exec(text) ?? [];
  return workflow === undefined ? null : { workflow, version: Number(version) };
}
