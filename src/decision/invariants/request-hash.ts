import { sha256 } from '../../model/hash.ts';
import type { RowCheck } from './check.ts';
import { effectRow } from './opened-run.ts';

/** E02, P15: the bytes that go out, and go out again, are those that were hashed. */
export const REQUEST_HASH: RowCheck = {
  name: 'request-hash',
  rule: 'E02, P15',
  promise: "Every effect's request hash is that of its stored request.",
  mend: null,
  find: ({ effects }) =>
    effects
      .filter(({ request, requestHash }) => sha256(request) !== requestHash)
      .map((effect) => ({ row: effectRow(effect), what: 'its request is not the one that was hashed' })),
};
