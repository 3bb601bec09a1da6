import { startsChild } from '../../decision/child-run.ts';
import { unpackSnapshot } from '../../decision/snapshot-envelope.ts';
import type { Effect } from '../../model/effect.ts';
import { invariant } from '../../model/errors.ts';
import type { RunId } from '../../model/ids.ts';
import { isOutward } from '../../model/outbox.ts';
import { isEnd } from '../../model/statuses.ts';
import type { MemoryStore } from '../../store/memory/memory-store.ts';
import type { RunRows } from '../../store/memory/tables.ts';
import { type Lab, labelOf } from './lab.ts';

/** A run that the run that is played, or a child of it, has started. */
export interface Child {
  readonly rows: RunRows;
  /** The effects that led to it, outermost first: `stock / reserve`. */
  readonly path: string;
  /** The row of the run above that started it. */
  readonly start: Effect;
  /** Whether it is undone, or is being undone. */
  readonly isUndoing: boolean;
}

/** Every run below another one. Children are crashed by files of their own; here they are what a step of the parent does. */
export function childrenOf({ peek }: Pick<MemoryStore, 'peek'>, runId: RunId, above = ''): readonly Child[] {
  const { runs } = peek();
  const parent = runs.get(runId);
  return [...runs.values()].flatMap((rows): readonly Child[] => {
    const { control } = unpackSnapshot(rows.head.snapshot, rows.run.digest);
    if (parent === undefined || control.parent?.runId !== runId) return [];
    const { step, effectKey } = control.parent;
    const starts = [...parent.effects.values()].filter(({ action }) => startsChild(action));
    const start = starts.find(({ key }) => key === effectKey) ?? starts.find((row) => row.step === step);
    invariant(start !== undefined, 'a child that no row has started', { runId: rows.run.runId });
    const path = `${above}${labelOf(start)}`;
    const own: Child = { rows, path, start, isUndoing: control.undoneFor !== undefined };
    return [own, ...childrenOf({ peek }, rows.run.runId, `${path} / `)];
  });
}

/** By label, how often a child has done what its parent's row says: it completed, or was undone after that. */
export function doneByChildren(children: readonly Child[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  const add = (label: string): void => void times.set(label, (times.get(label) ?? 0) + 1);
  for (const { rows, path, start, isUndoing } of children) {
    const { status } = rows.head;
    const isUndone = isUndoing && isEnd(status);
    if (status === 'COMPLETED' || isUndoing || (start.state === 'CONFIRMED' && !isEnd(status))) add(path);
    if (isUndone) add(path.replace(/[^/]*$/, (own) => own.replace(/\S/, 'undo $&')));
  }
  return times;
}

/** Whether a run of the play has something to say to another one that has not arrived, or is in somebody's hands. */
export function isMoving({ peek }: Pick<MemoryStore, 'peek'>): boolean {
  return [...peek().runs.values()].some(
    ({ lease, outbox }) =>
      lease !== null || [...outbox.values()].some(({ topic, state }) => !isOutward(topic) && state === 'waiting'),
  );
}

/** The lab as a child has it: what is awaited is made by the child's own schemas. */
export function labOfChild(lab: Lab, { rows }: Child): Lab {
  const version = lab.known.get(rows.run.digest);
  invariant(version !== undefined, 'a child of a version that nobody has published');
  return { ...lab, compiled: version.compiled, definition: version.compiled.machine.definition };
}
