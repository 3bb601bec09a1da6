import type { Scope } from '../definition/evaluator.ts';
import { flowScope } from '../machine/scope.ts';
import type { RunData, RunIdentity } from '../model/run.ts';
import type { Engine } from './engine.ts';
import type { Outlet } from './outlet.ts';
import type { LoadedVersion } from './version-cache.ts';

/** What every contact with the world is made with. */
export interface Touch {
  readonly engine: Engine;
  readonly version: LoadedVersion;
  /** The run's data when the order was given. */
  readonly data: RunData;
  /** Asked before anything is sent. */
  readonly outlet: Outlet;
  /** Aborts when the socket must close: the seat is lost, or a stopping worker's grace is over. */
  readonly signal: AbortSignal;
  /** The database's time, epoch milliseconds. */
  nowMs(): number;
}

/** The roots that outcome tables and header templates may read beside the answer. */
export function touchScope(touch: Touch, run: RunIdentity): Scope {
  return flowScope(touch.version.compiled, run, touch.data);
}
