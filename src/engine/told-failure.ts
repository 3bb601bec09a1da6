import type { Json, JsonObject } from '../model/json.ts';
import { withoutKey } from '../model/own-value.ts';

/** Why a run did not complete, null where it did, and beside it what its `finally` failed with; absent where it did not. */
export interface ToldFailure {
  readonly failure: Json;
  readonly finallyFailed?: Json;
}

/** Takes apart what the head of an ended run says: that of a completed one is empty but for a `finally` that failed. */
export function toldFailure(stored: Json | undefined): ToldFailure {
  const said = (stored ?? {}) as JsonObject;
  const { finallyFailed } = said;
  const rest = withoutKey(said, 'finallyFailed');
  return {
    failure: Object.keys(rest).length === 0 ? null : rest,
    ...(finallyFailed === undefined ? {} : { finallyFailed }),
  };
}
