import type { Effect } from '../../model/effect.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { isOpen } from '../effect-lifecycle.ts';
import { endingRows } from '../end-run.ts';
import { Ledger } from '../ledger.ts';
import { standingOf } from '../run-status.ts';
import { isInFlight } from '../step-effects.ts';
import type { Finding, PositionCheck } from './check.ts';
import { effectRow, type OpenedRun } from './opened-run.ts';
import { isSameJson } from './stored-json.ts';

/** Steps that the failure of a run lists under a name. */
function listed(failure: Json | undefined, name: 'standing' | 'unknown'): readonly Json[] {
  if (typeof failure !== 'object' || failure === null || Array.isArray(failure)) return [];
  const steps = (failure as JsonObject)[name];
  return Array.isArray(steps) ? steps : [];
}

/**
 * A terminated run leaves alone what is in flight, tells it, and never sends it again; whoever awaits the answer, asks the
 * provider or a person settles it, and then it is told anew.
 */
function openFault({ rows, snapshot }: OpenedRun, effect: Effect): string | null {
  const mayStay = snapshot.data.ending?.kind === 'terminated' && isInFlight(effect) && effect.doubt !== 'resend';
  if (mayStay && listed(rows.head.failure, 'unknown').includes(effect.step)) return null;
  return `it is ${effect.state}, and the run has ended${mayStay ? ' without saying so' : ''}`;
}

/** What stands in the world is told with the end; a run that is done has an output instead. */
function standingFaults({ rows, snapshot }: OpenedRun): readonly Finding[] {
  const { program } = rows;
  // Without its version nobody can say which effects are of `finally`; that it is missing is told (`pin`).
  if (snapshot.data.ending?.kind === 'done' || program === null) return [];
  const told = new Set(listed(rows.head.failure, 'standing'));
  const standing = standingOf(rows.effects, program);
  const stands = new Set(standing.map(({ step }) => step));
  const untold = standing.filter(({ step }) => !told.has(step));
  return [
    ...untold.map((effect) => ({
      row: effectRow(effect),
      what: 'it stands in the world, and the ended run does not say so',
    })),
    ...[...told]
      .filter((step) => typeof step === 'string' && !stands.has(step))
      .map((step) => ({
        row: 'head',
        what: `it says that step ${String(step)} stands in the world, and the ledger does not`,
      })),
  ];
}

/** What is told of the end beside what stands and what nobody knows, which are named by their effects. */
function wordOf(failure: Json | undefined): Json {
  const { standing: _standing, unknown: _unknown, undone, ...word } = (failure ?? {}) as JsonObject;
  return { ...word, undone: Array.isArray(undone) ? [...(undone as Json[])].sort() : null };
}

/** What `show` tells of the end is what the position and the ledger say. */
function toldFaults({ rows, snapshot, phase, effects }: OpenedRun): readonly Finding[] {
  const { program, head } = rows;
  if (program === null) return [];
  const says = endingRows({ phase, snapshot, effects: Ledger.of(effects), ctx: { compiled: program } });
  const isOutput = isSameJson([head.output ?? null], [says.output ?? null]);
  const isFailure = isSameJson(wordOf(head.failure), wordOf(says.failure));
  return [
    ...(isOutput ? [] : [{ row: 'head', what: 'its output is not that of its end' }]),
    ...(isFailure ? [] : [{ row: 'head', what: 'its failure is not what its end and its ledger say' }]),
  ];
}

/** E06, R18, "nothing silent": an end leaves nothing open that it does not tell. */
export const ENDED: PositionCheck = {
  name: 'ended',
  rule: 'R18, R25, E08',
  promise:
    'A run that ended has no open effect, and says what its end says; what a terminated one leaves unknown, and what stands, its failure lists.',
  mend: 'ask the provider what became of it, and tell whoever relies on what the run said',
  find: (run) => {
    if (run.phase !== 'ended') return [];
    const open = run.rows.effects.filter(({ state }) => isOpen(state));
    return [
      ...open.flatMap((effect) => {
        const what = openFault(run, effect);
        return what === null ? [] : [{ row: effectRow(effect), what }];
      }),
      ...standingFaults(run),
      ...toldFaults(run),
    ];
  },
};
