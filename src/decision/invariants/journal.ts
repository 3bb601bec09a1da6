import { sha256 } from '../../model/hash.ts';
import { snapshotText } from '../snapshot-envelope.ts';
import type { Finding, PositionCheck, RowCheck } from './check.ts';

/** The name of a journal row in a finding. */
export function journalRow(revision: number): string {
  return `journal ${revision}`;
}

/** P01, P02: one row per transition, none missing, none too many, written under fences that only grow (V2). */
export const JOURNAL: RowCheck = {
  name: 'journal',
  rule: 'P01, P02',
  promise:
    "The journal runs from 1 to the head's revision without a gap, under fences that only grow up to the head's.",
  mend: null,
  find: ({ journal, head }) => {
    const revisions = new Set(journal.map(({ revision }) => revision));
    const missing = Array.from({ length: head.revision }, (_, index) => index + 1).filter((at) => !revisions.has(at));
    const beyond = journal.filter(({ revision }) => revision > head.revision);
    const backwards = journal.filter(({ fence }, at) => fence > (journal[at + 1]?.fence ?? head.fence));
    const finding = (revision: number, what: string): Finding => ({ row: journalRow(revision), what });
    return [
      ...(head.revision === 0 ? [{ row: 'head', what: 'it has no first transition' }] : []),
      ...missing.map((at) => finding(at, 'it is missing')),
      ...beyond.map(({ revision }) => finding(revision, `it is beyond the head's revision ${head.revision}`)),
      ...backwards.map(({ revision, fence }) => finding(revision, `its fence ${fence} is above the next`)),
    ];
  },
};

/** V8, P08: the stored position is the one that the last transition led to; a missing last row is the journal's finding. */
export const STATE_HASH: PositionCheck = {
  name: 'state-hash',
  rule: 'P01, P08',
  promise: "The last transition's state hash is that of the stored snapshot.",
  mend: null,
  find: ({ rows, snapshot }) => {
    const last = rows.journal.find(({ revision }) => revision === rows.head.revision);
    if (last === undefined || last.stateHash === sha256(snapshotText(snapshot))) return [];
    return [{ row: journalRow(last.revision), what: 'its state hash is not that of the stored snapshot' }];
  },
};
