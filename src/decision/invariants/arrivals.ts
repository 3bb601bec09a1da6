import type { RunRecords } from '../../model/run-records.ts';
import type { RowCheck } from './check.ts';
import { journalRow } from './journal.ts';

/** Types of journal rows that only a stored event causes. A timer may be applied by its holder before anybody fires it. */
const FROM_INBOX: ReadonlySet<string> = new Set([
  'signal',
  'vote',
  'cancel',
  'terminate',
  'compensate',
  'retry',
  'pause',
  'resume',
]);

function faultOf({ journal, inbox }: RunRecords, { event }: RunRecords['journal'][number], at: number): string | null {
  const isTimer = event.type === 'timer' && event.id.includes('#');
  const row = inbox.find(({ source, eventId }) => `${source}/${eventId}` === event.id);
  if (!FROM_INBOX.has(event.type) && !isTimer && row === undefined) return null;
  const address = `${event.type} ${event.id}`;
  if (journal.slice(0, at).some((row) => `${row.event.type} ${row.event.id}` === address))
    return `${address} moves the run a second time`;
  if (isTimer) return null;
  if (row === undefined) return `${address} was never stored in the inbox`;
  return row.outcome === 'applied'
    ? null
    : `${address} moved the run, and its sender was told ${row.outcome ?? 'nothing'}`;
}

/** V01, V12, P17: stored first, and applied once; the commit that applies an event answers it. */
export const ARRIVAL: RowCheck = {
  name: 'arrival',
  rule: 'V01, V02, P17',
  promise: 'An event from outside moves its run at most once, came through the inbox, and is answered `applied` there.',
  mend: null,
  find: (run) =>
    run.journal.flatMap((row, at) => {
      const what = faultOf(run, row, at);
      return what === null ? [] : [{ row: journalRow(row.revision), what }];
    }),
};
