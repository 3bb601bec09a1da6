import type { Frame } from '../model/effect.ts';
import { ownValue } from '../model/own-value.ts';
import type { RunControl } from '../model/run.ts';
import { frameKey } from './frames.ts';

type Redo = RunControl['redo'];

/** The generation of a step's effect key in a repetition (E01); one without frames is of runs before there were any. */
export function redoOf(redo: Redo, step: string, frames: readonly Frame[]): number {
  return ownValue(redo, keyOf(step, frames)) ?? ownValue(redo, step) ?? 0;
}

/** The next generation, for this repetition alone: what another one has done is not done again. */
export function raiseRedo(redo: Redo, step: string, frames: readonly Frame[]): Redo {
  return { ...redo, [keyOf(step, frames)]: redoOf(redo, step, frames) + 1 };
}

function keyOf(step: string, frames: readonly Frame[]): string {
  return `${step} ${frameKey(frames)}`;
}
