import { AUDIT_START, auditIntegrity } from '../../model/audit-chain.ts';
import type { RunRecords } from '../../model/run-records.ts';
import type { RowCheck } from './check.ts';
import { inboxRow } from './opened-run.ts';

/** Orders of people whose answer `applied` comes with their act, whatever else it does. */
const AUDITED: ReadonlySet<string> = new Set(['cancel', 'terminate', 'compensate', 'retry', 'resolve', 'reconcile']);

function linkFaults({ run, audit }: RunRecords, at: number): readonly string[] {
  const act = audit[at] as RunRecords['audit'][number];
  const before = audit[at - 1];
  const faults: readonly (readonly [broken: boolean, what: string])[] = [
    [act.auditNo !== at + 1 && act.auditNo !== (before?.auditNo ?? 0) + 1, 'an act is missing before this one'],
    [act.previous !== (before?.integrity ?? AUDIT_START), 'it is not linked to the act before it'],
    [act.integrity !== auditIntegrity(run.runId, act), 'its content does not match its integrity'],
  ];
  return faults.filter(([broken]) => broken).map(([, what]) => what);
}

/** Orders that were applied without their act; the last act of a chain is missed by nothing else. */
function unwritten({ inbox, audit }: RunRecords): RunRecords['inbox'] {
  const left = audit.map(({ act, actor }) => JSON.stringify([act, actor]));
  return inbox.filter(({ payload, outcome }) => {
    if (outcome !== 'applied' || !AUDITED.has(payload.type) || !('by' in payload)) return false;
    const found = left.indexOf(JSON.stringify([payload.type, payload.by]));
    if (found !== -1) left.splice(found, 1);
    return found === -1;
  });
}

/** A05, P15: who has done what is chained per run; a flipped byte, a missing act and one put in between are found. */
export const AUDIT: RowCheck = {
  name: 'audit',
  rule: 'A05, P15',
  promise:
    'Acts of people are numbered from 1, linked, their content is what their integrity covers, and each order has its act.',
  mend: null,
  find: (run) => [
    ...run.audit.flatMap(({ auditNo }, at) => linkFaults(run, at).map((what) => ({ row: `act ${auditNo}`, what }))),
    ...unwritten(run).map((row) => ({ row: inboxRow(row), what: 'it was applied, and no act of its person says so' })),
  ],
};
