import type { Effect, EffectRequest } from '../../model/effect.ts';
import { sha256 } from '../../model/hash.ts';
import type { RowCheck } from './check.ts';
import { type CheckedRun, effectRow } from './opened-run.ts';
import { storedJson } from './stored-json.ts';

/** The action and contract that the request names; null where it is not the one that was hashed, which is told apart. */
function requested({ request, requestHash }: Effect): Partial<EffectRequest> | null {
  return sha256(request) === requestHash ? (storedJson(request) as Partial<EffectRequest> | null) : null;
}

function faultsOf({ program }: CheckedRun, effect: Effect): readonly string[] {
  const { action, contract, pivot, step, compensates } = effect;
  const request = requested(effect);
  const known = program?.steps.get(step);
  const isPivot = compensates === null && known?.verb === 'call' && known.pivot;
  const faults: readonly (readonly [broken: boolean, what: string])[] = [
    [
      request !== null && (request.action !== action || request.contract !== contract),
      'its action and contract are not those of its request',
    ],
    [
      known !== undefined && pivot !== isPivot,
      `it is ${pivot ? 'a' : 'no'} pivot, and its step ${isPivot ? 'one' : 'none'}`,
    ],
  ];
  return faults.filter(([broken]) => broken).map(([, what]) => what);
}

/** E02: by what contract an effect is sent, judged and undone is what its request was made with. */
export const EFFECT_ORIGIN: RowCheck = {
  name: 'effect-origin',
  rule: 'E02',
  promise: "An effect's action and contract are those of its request, and it is a pivot exactly where its step is one.",
  mend: null,
  find: (run) =>
    run.effects.flatMap((effect) => faultsOf(run, effect).map((what) => ({ row: effectRow(effect), what }))),
};
