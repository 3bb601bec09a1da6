import { RefusedError } from '../model/errors.ts';
import type { EffectKey } from '../model/ids.ts';
import type { HandOut } from '../model/offer.ts';
import { displayRunId, parseRunId } from '../model/run-id.ts';

const NAME = /^(run_[0-9a-z]{26})\.([0-9a-f]{64})\.([1-9]\d{0,8})\.([1-9]\d{0,14})$/;

/** The name of a hand-out, which goes with every word about it: run, effect key, attempt and fence. */
export function handOutName({ runId, effectKey, attempt, fence }: HandOut): string {
  return `${displayRunId(runId)}.${effectKey}.${attempt}.${fence}`;
}

/** Reads the name of a hand-out. @throws PAWL_INPUT_INVALID for anything else. */
export function parseHandOut(name: string): HandOut {
  const [, run = '', effectKey = '', attempt, fence] = NAME.exec(name) ?? [];
  const runId = parseRunId(run);
  if (runId !== null)
    return { runId, effectKey: effectKey as EffectKey, attempt: Number(attempt), fence: Number(fence) };
  throw new RefusedError(
    'PAWL_INPUT_INVALID',
    'that is not the name of a hand-out: give it as `pawl queue pull` told it',
    {},
  );
}
