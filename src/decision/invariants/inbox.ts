import { hashJson } from '../../model/hash.ts';
import type { Json } from '../../model/json.ts';
import { ownValue } from '../../model/own-value.ts';
import type { InboxRecord } from '../../model/run-records.ts';
import type { PositionCheck, RowCheck } from './check.ts';
import { inboxRow } from './opened-run.ts';

type Fault = readonly [broken: boolean, what: string];

function answerFaults(row: InboxRecord, revision: number): readonly Fault[] {
  const { outcome, consumed, consumedRevision } = row;
  const isForGood = outcome !== null && outcome !== 'kept';
  const at = consumedRevision ?? 0;
  return [
    [consumed !== isForGood, `it is ${consumed ? '' : 'not '}consumed and its answer is ${outcome ?? 'none'}`],
    [
      consumed !== (consumedRevision !== null),
      `it is ${consumed ? '' : 'not '}consumed, at revision ${consumedRevision ?? 'none'}`,
    ],
    [
      consumedRevision !== null && (at < 1 || at > revision),
      `it was consumed at revision ${at}, the run is at ${revision}`,
    ],
  ];
}

/** A timer's event is named by its name and generation, so that a generation fires once. */
function isOwnName({ source, eventId, payload }: InboxRecord): boolean {
  const isTimer = payload.type === 'timer';
  return isTimer === (source === 'timer') && (!isTimer || eventId === `${payload.name}#${payload.generation}`);
}

/** V01, V02, V11: what arrived is what is stored, answered once, by a commit that the journal knows. */
export const INBOX: RowCheck = {
  name: 'inbox',
  rule: 'V02, V06, V11',
  promise: 'An inbox row is what was sent; consumed rows have an answer and the revision of the commit that gave it.',
  mend: null,
  find: ({ inbox, head }) =>
    inbox.flatMap((row) => {
      const faults: readonly Fault[] = [
        [hashJson(row.payload as unknown as Json) !== row.payloadHash, 'its payload is not the one that was hashed'],
        [!isOwnName(row), 'its name is not that of its timer and generation'],
        ...answerFaults(row, head.revision),
      ];
      return faults.filter(([broken]) => broken).map(([, what]) => ({ row: inboxRow(row), what }));
    }),
};

/** V01, R18: what is kept is kept for something: a wait still to come, or the cancel that waits for the pivot. */
export const KEPT: PositionCheck = {
  name: 'kept',
  rule: 'V01, V04, R18',
  promise:
    'A kept event is a signal of a run that goes on, or the cancel that waits for the pivot; a fired timer was armed.',
  mend: null,
  find: ({ rows, phase, control }) => {
    const { cancelWaiting: waiting } = control;
    return rows.inbox.flatMap((row) => {
      const isWaiting = waiting?.source === row.source && waiting.eventId === row.eventId;
      const isFor = row.payload.type === 'signal' || isWaiting;
      const { payload } = row;
      const armed =
        payload.type === 'timer' ? (ownValue(control.timerGenerations, payload.name) ?? Infinity) : Infinity;
      const faults: readonly Fault[] = [
        [row.outcome === 'kept' && phase === 'ended', 'it is kept, and the run has ended'],
        [row.outcome === 'kept' && phase !== 'ended' && !isFor, 'it is kept for nothing'],
        [
          isWaiting && row.outcome !== 'kept',
          `the run waits with it for the pivot, and its answer is ${row.outcome ?? 'none'}`,
        ],
        [payload.type === 'timer' && payload.generation > armed, 'it fired a generation that was never armed'],
      ];
      return faults.filter(([broken]) => broken).map(([, what]) => ({ row: inboxRow(row), what }));
    });
  },
};
