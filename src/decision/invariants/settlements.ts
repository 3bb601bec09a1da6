import type { Effect } from '../../model/effect.ts';
import type { EffectKey } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type { KernelEvent } from '../../model/kernel.ts';
import type { RunRecords } from '../../model/run-records.ts';
import { isOpen } from '../effect-lifecycle.ts';
import { stepOutcomeOf } from '../settlement.ts';
import type { Finding, RowCheck } from './check.ts';
import { journalRow } from './journal.ts';
import { authorOf } from '../../machine/lane-steps.ts';
import { effectRow } from './opened-run.ts';
import { isSameJson } from './stored-json.ts';

type Journal = RunRecords['journal'];
type Row = Journal[number];

const SETTLED = /^([0-9a-f]{64}):settled$/;

/** The effect whose settlement a journal row is; null for any other row. */
function settledKey({ event }: Row): EffectKey | null {
  const key = event.type === 'effect' ? SETTLED.exec(event.id)?.[1] : undefined;
  return key === undefined ? null : (key as EffectKey);
}

type Told = Extract<KernelEvent, { type: 'effect.settled' }>['outcome'];

/** What the machine was told. */
function toldOf({ event }: Row): Told | null {
  const told = event.detail as unknown as { readonly outcome?: Told } | null;
  return told?.outcome ?? null;
}

function saysOk(row: Row): boolean {
  return toldOf(row)?.ok === true;
}

/** Later steps and the undo read what the row says; a row that came to another end since has another word. */
function isOtherWord(row: Row, effect: Effect): boolean {
  const told = toldOf(row);
  const says = stepOutcomeOf(effect);
  return told !== null && told.ok === says.ok && !isSameJson(told as unknown as Json, says as unknown as Json);
}

function entersStep({ commands }: Row, step: string): boolean {
  return commands.some((command: Json) => {
    const { type, step: entered } = command as { readonly type?: Json; readonly step?: Json };
    return type === 'step.enter' && authorOf(String(entered)) === step;
  });
}

/**
 * A step that is entered again under the same key (a person's retry of what was settled) is told the recorded outcome
 * again; between two tellings there is always that entry.
 */
function isTwice(journal: Journal, at: number, effect: Effect): boolean {
  const before = journal.findLastIndex((row, index) => index < at && settledKey(row) === effect.key);
  return before !== -1 && !journal.slice(before, at).some((row) => entersStep(row, effect.step));
}

function faultsOf(journal: Journal, at: number, effect: Effect, proofs: number): readonly string[] {
  const row = journal[at] as Row;
  const isOk = saysOk(row);
  const isConfirmed = effect.state === 'CONFIRMED';
  // A late proof confirms what the machine was told had failed (E08): the row then has both receipts, or, where it was
  // withdrawn before it was sent again, was settled once more after the machine was told.
  const isProvedLate = isConfirmed && !isOk && (proofs > 1 || (effect.settledAtMs ?? 0) > row.atMs);
  const faults: readonly (readonly [broken: boolean, what: string])[] = [
    [isOpen(effect.state), `it settles an effect that is ${effect.state} in the ledger`],
    [
      !isOpen(effect.state) && isOk !== isConfirmed && !isProvedLate,
      `it tells the machine that the effect ${isOk ? 'succeeded' : 'failed'}, and the ledger says ${effect.state}`,
    ],
    [effect.step !== row.event.step, `it settles step ${row.event.step ?? '-'}, and the effect is of ${effect.step}`],
    [isTwice(journal, at, effect), 'it settles an effect a second time, and its step was not entered again'],
  ];
  return faults.filter(([broken]) => broken).map(([, what]) => what);
}

/**
 * E09, V14: an effect moves its run once per visit, and by what the ledger says. Legal in between: a settled row whose
 * event is still to come (it had no room in the commit), and one that never comes (the run settles or its step was left).
 */
export const SETTLEMENT: RowCheck = {
  name: 'settlement',
  rule: 'E09',
  promise:
    'An effect settles in the journal at most once per entry of its step, after the ledger and with its word: its output or its failure.',
  mend: null,
  find: ({ journal, effects, receipts }): readonly Finding[] => {
    const byKey = new Map(effects.map((effect) => [effect.key, effect]));
    return journal.flatMap((row, at) => {
      const key = settledKey(row);
      if (key === null) return [];
      const effect = byKey.get(key);
      if (effect === undefined)
        return [{ row: journalRow(row.revision), what: `it settles effect ${key}, which is not there` }];
      const proofs = receipts.filter(({ effectKey }) => effectKey === key).length;
      const isOther = !isOpen(effect.state) && isOtherWord(row, effect);
      return [
        ...faultsOf(journal, at, effect, proofs).map((what) => ({ row: journalRow(row.revision), what })),
        ...(isOther
          ? [
              {
                row: effectRow(effect),
                what: `its output or failure is not what ${journalRow(row.revision)} tells of it`,
              },
            ]
          : []),
      ];
    });
  },
};
