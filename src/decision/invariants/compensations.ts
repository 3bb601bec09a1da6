import type { Effect } from '../../model/effect.ts';
import type { EffectKey } from '../../model/ids.ts';
import { isOpen } from '../effect-lifecycle.ts';
import { undoOrderOf } from '../undo-order.ts';
import type { Finding, PositionCheck } from './check.ts';
import { effectRow, type OpenedRun } from './opened-run.ts';
import { authorOf } from '../../machine/lane-steps.ts';
import { isInVisit } from '../frames.ts';
import { isLaneList } from '../../machine/outline.ts';

type Fault = readonly [broken: boolean, what: string];

function generationOf({ ingredients }: Effect): number {
  return ingredients.generation;
}

/** Compensations of one forward effect, the first generation first. */
function undosOf({ rows }: OpenedRun, forwardKey: EffectKey): readonly Effect[] {
  return rows.effects
    .filter(({ compensates }) => compensates === forwardKey)
    .sort((left, right) => generationOf(left) - generationOf(right));
}

/** What is settled before an undo is requested: all of the run; of one that goes on, what stands in the step that undoes (R04). */
function isOfItsScope(run: OpenedRun, undo: Effect, row: Effect): boolean {
  const { rows, phase } = run;
  if (phase !== 'forward') return !isCarried(run, undo);
  const plan = planOf(run, undo);
  const around = rows.program?.machine.places.find(([id]) => id === row.step)?.[1].parents ?? [];
  if (plan === null || ![row.step, ...around].includes(authorOf(plan))) return false;
  // What one item undoes has nothing to do with what others have on their way.
  const lists = isLaneList(plan) ? (rows.program?.place(plan).lists ?? []) : [];
  return isInVisit(row.frames, undo.frames, lists);
}

function faultsOf(run: OpenedRun, undo: Effect, forwardKey: EffectKey): readonly string[] {
  const forward = run.effects.get(forwardKey);
  if (forward === undefined) return ['it undoes an effect that is not there'];
  const all = undosOf(run, forwardKey);
  const place = all.indexOf(undo);
  const before = all.slice(0, place);
  const wasAsked = undo.attempt > 0 || undo.state === 'AUTHORIZED';
  const openForward = run.rows.effects.find(
    (row) =>
      row.compensates === null &&
      (row.state === 'REQUESTED' || row.state === 'UNKNOWN') &&
      isOfItsScope(run, undo, row),
  );
  const faults: readonly Fault[] = [
    [forward.state !== 'CONFIRMED', `it undoes ${forward.step}, which is ${forward.state}`],
    [generationOf(undo) !== place, `it is of generation ${generationOf(undo)}, and ${place} came before`],
    [before.some(({ state }) => isOpen(state)), 'a generation before it is still open'],
    [undo.state === 'CONFIRMED' && before.some(({ state }) => state === 'CONFIRMED'), 'the effect was undone before'],
    // A terminated run may leave its forward effect unknown behind an undo that had begun.
    [
      wasAsked && isOpen(undo.state) && openForward !== undefined,
      `it is requested, and ${openForward?.step ?? ''} is not settled`,
    ],
  ];
  return faults.filter(([broken]) => broken).map(([, what]) => what);
}

/** Where the order is not reverse several may be under way; without its version nobody can say. */
function isApart({ program }: OpenedRun['rows'], one: Effect, other: Effect): boolean {
  return program === null || undoOrderOf(program).excludes(one.step, other.step);
}

/** The plan of a step that undoes while the run goes on; null = none, or the run's own. */
function planOf({ control, effects }: OpenedRun, undo: Effect): string | null {
  const plans = control.undos ?? [];
  const own = plans.find(({ keys }) => keys.some((key) => effects.get(key)?.compensates === undo.compensates));
  return own?.step ?? null;
}

/** Whether an undo was under way in a step's own plan when the run stopped. */
function isCarried({ control }: OpenedRun, { key }: Effect): boolean {
  return control.undosCarried?.includes(key) === true;
}

/** Whether two undos are of plans of their own: items and branches undo side by side, each in its order. */
function areOfTwoPlans(run: OpenedRun, one: Effect, other: Effect): boolean {
  if (run.phase === 'forward') return planOf(run, one) !== planOf(run, other);
  return isCarried(run, one) && isCarried(run, other);
}

/** R01: one at a time in reverse order. */
function planFaults(run: OpenedRun): readonly Finding[] {
  const { rows } = run;
  const underWay = rows.effects.filter(
    ({ compensates, state }) => compensates !== null && isOpen(state) && state !== 'PROPOSED',
  );
  return underWay
    .filter((effect, at) =>
      underWay.slice(0, at).some((other) => isApart(rows, effect, other) && !areOfTwoPlans(run, effect, other)),
    )
    .map((effect) => ({ row: effectRow(effect), what: 'another undo is under way' }));
}

/** R01 to R04, R13, R16: what is undone was done, once, in order, and never while something of the run is open. */
export const COMPENSATION: PositionCheck = {
  name: 'compensation',
  rule: 'R01, R03, R13, R16',
  promise:
    'A compensation is of a CONFIRMED effect, one is CONFIRMED at most, in reverse order one under way at most, none beside open effects of what it undoes.',
  mend: null,
  find: (run) => [
    ...run.rows.effects.flatMap((effect) =>
      effect.compensates === null
        ? []
        : faultsOf(run, effect, effect.compensates).map((what) => ({ row: effectRow(effect), what })),
    ),
    ...planFaults(run),
  ],
};
