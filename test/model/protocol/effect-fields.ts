import { AT, OF_WORKER, ROW, WIRE } from './effect-state.ts';

/** Puts a worker somewhere with nothing in its hands. */
export function setWorker(next: Uint8Array, at: number, doing: number, holds: number): void {
  next[at] = doing;
  next[at + OF_WORKER.holds] = holds;
  next[at + OF_WORKER.effect] = 0;
  next[at + OF_WORKER.wire] = WIRE.none;
}

/** Whether a row waits for an outcome. */
export function isInDoubt(state: Uint8Array, effect: number): boolean {
  const row = state[AT.row + effect];
  return row === ROW.requested || row === ROW.unknown;
}

/** Counts one more, up to a bound. */
export function raise(next: Uint8Array, at: number, max: number): void {
  next[at] = Math.min(max, Number(next[at]) + 1);
}

/** Copies a field to another. */
export function copyField(next: Uint8Array, from: number, to: number): void {
  next[to] = Number(next[from]);
}

/** Moves a saved field back, which leaves nothing saved. */
export function takeField(next: Uint8Array, from: number, to: number): void {
  next[to] = Number(next[from]);
  next[from] = 0;
}

/** The state with an effect in a worker's hands. */
export function takenUp(state: Uint8Array, at: number, effect: number): Uint8Array {
  const taken = state.slice();
  taken[at + OF_WORKER.effect] = effect;
  return taken;
}
