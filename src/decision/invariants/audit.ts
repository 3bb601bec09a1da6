import { linkFaults } from '../../model/audit-chain.ts';
import type { RunRecords } from '../../model/run-records.ts';
import type { RowCheck } from './check.ts';
import { inboxRow } from './opened-run.ts';

/** Orders of people whose answer `applied` comes with their act, whatever else it does. */
const AUDITED: ReadonlySet<string> = new Set([
  'cancel',
  'terminate',
  'compensate',
  'retry',
  'resolve',
  'reconcile',
  'pause',
  'resume',
]);

/** Orders that were applied without their act; the last act of a chain is missed by nothing else. */
function unwritten({ inbox, audit, head }: RunRecords): RunRecords['inbox'] {
  // What was asked is gone with the state of the run.
  if (head.prunedAtMs !== null) return [];
  const left = audit.map(({ act, actor }) => JSON.stringify([act, actor]));
  return inbox.filter(({ payload, outcome }) => {
    if (outcome !== 'applied' || !AUDITED.has(payload.type) || !('by' in payload)) return false;
    const found = left.indexOf(JSON.stringify([payload.type, payload.by]));
    if (found !== -1) left.splice(found, 1);
    return found === -1;
  });
}

/** A05, P15: who has done what is chained, per run and per tenant; a flipped byte, a missing act and one put in between are found. */
export const AUDIT: RowCheck = {
  name: 'audit',
  rule: 'A05, P15',
  promise:
    'Acts of people are numbered from 1, linked, their content is what their integrity covers, per run and, about no run, per tenant; each order has its act.',
  mend: null,
  find: (run) => [
    ...run.audit.flatMap((act, at) =>
      linkFaults(run.run.runId, act, run.audit[at - 1]).map((what) => ({ row: `act ${act.auditNo}`, what })),
    ),
    ...unwritten(run).map((row) => ({ row: inboxRow(row), what: 'it was applied, and no act of its person says so' })),
  ],
};
