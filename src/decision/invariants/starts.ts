import { hashJson } from '../../model/hash.ts';
import type { RowCheck } from './check.ts';

/** The run's business key leads to it, or to a later run of the same key (`again: afterFailure`). */
export const START_KEY: RowCheck = {
  name: 'start-key',
  rule: 'P10',
  promise: "A run's business key names it with its request, or a later run of that key.",
  mend: null,
  find: ({ run, head, startKey }) => {
    if (run.key === run.runId) return [];
    const row = `start key ${run.workflow} ${run.key}`;
    if (startKey === null) return [{ row, what: 'it is missing: the same start again would be a second run' }];
    const isOwn = startKey.runId === run.runId;
    const isLater = startKey.startNumber > run.startNumber;
    // What the hash was made of is gone with the state; the hash is not.
    const isSame = head.prunedAtMs !== null || startKey.requestHash === hashJson([run.workflow, run.input]);
    return [
      ...(isOwn === isLater || (isOwn && startKey.startNumber !== run.startNumber)
        ? [
            {
              row,
              what: `it names run ${startKey.runId}, start ${startKey.startNumber}; this is start ${run.startNumber}`,
            },
          ]
        : []),
      ...(isOwn && !isSame ? [{ row, what: 'its request is not the one of this run' }] : []),
    ];
  },
};

/** P07, V20: what a run is decided with for life is published, as it was. */
export const PIN: RowCheck = {
  name: 'pin',
  rule: 'P07',
  promise: "A run's version is published under the digest that the run is pinned to, and is what that digest says.",
  mend: 'where its row is damaged remove that (as superuser, its trigger asleep); publish the version again from its source, then `pawl retry` its runs: they stay parked until then',
  find: ({ run, publishedDigest, program }) => {
    const row = `version ${run.workflow}@${run.version}`;
    if (publishedDigest === null) return [{ row, what: 'it is not published' }];
    if (publishedDigest !== run.digest)
      return [{ row, what: `it has digest ${publishedDigest}, the run is pinned to ${run.digest}` }];
    return program === null ? [{ row, what: 'what is stored of it is not what its digest says' }] : [];
  },
};
