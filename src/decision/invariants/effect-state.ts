import type { Effect } from '../../model/effect.ts';
import { isOpen } from '../effect-lifecycle.ts';
import type { RowCheck } from './check.ts';
import { effectRow } from './opened-run.ts';

/** How far two processes may take the database's time apart, milliseconds. */
const CLOCKS_MS = 60_000;

/** From the first sending on it is counted how long a provider remembers the key: it lies before all that follows from it. */
function isFirstLate({ attempt, firstRequestedAtMs: first, requestedAtMs, unknownSinceMs }: Effect): boolean {
  if (first === null) return false;
  if (requestedAtMs === null || (attempt === 1 && first !== requestedAtMs)) return true;
  return first > Math.min(requestedAtMs, unknownSinceMs ?? Number.POSITIVE_INFINITY) + CLOCKS_MS;
}

function faultsOf(effect: Effect, fence: number): readonly string[] {
  const { state, attempt, doubt, requestedAtMs, sendByMs, settledAtMs } = effect;
  const isUnknown = state === 'UNKNOWN';
  const wasSent = attempt > 0 && requestedAtMs !== null && sendByMs !== null;
  const faults: readonly (readonly [broken: boolean, what: string])[] = [
    [
      isOpen(state) !== (settledAtMs === null),
      `it is ${state} and has ${settledAtMs === null ? 'no' : 'a'} time of settling`,
    ],
    [isUnknown !== (doubt !== null), `it is ${state} and what is done about its doubt is ${doubt ?? 'nothing'}`],
    [isUnknown && !effect.everUnknown, 'it is UNKNOWN and says that it never was'],
    [(state === 'REQUESTED' || isUnknown) && !wasSent, `it is ${state} and was never sent`],
    [effect.countedAttempts + effect.resends > attempt, 'it counts more attempts than it has'],
    [isFirstLate(effect), 'it says that it was first sent after it was sent, or was in doubt'],
    [effect.fence > fence, `it was sent under fence ${effect.fence}, above the run's ${fence}`],
  ];
  return faults.filter(([broken]) => broken).map(([, what]) => what);
}

/** E03: what a row says of its sending and settling fits its state; the transition table writes all of it in one move. */
export const EFFECT_STATE: RowCheck = {
  name: 'effect-state',
  rule: 'E03',
  promise: 'What an effect says of its attempts, doubt, fence and settling is what its state allows.',
  mend: null,
  find: ({ effects, head }) =>
    effects.flatMap((effect) => faultsOf(effect, head.fence).map((what) => ({ row: effectRow(effect), what }))),
};
