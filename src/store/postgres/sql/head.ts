/** What locking a head reads of it, so that `moveHeads` can name the row again. */
export const LOCKED_HEAD =
  'h.run_id, h.tenant, h.revision, h.fence, h.owner, h.status, h.phase, h.needs, h.crashes, h.suspect, h.codec';

/**
 * Changes heads that `source` holds locked (with the columns of `LOCKED_HEAD`), each found by its key: an upsert that
 * never inserts. An UPDATE over the same rows may be planned as a walk through the whole part while the table is small,
 * and keep that plan while it grows.
 * @param owner and `suspect`, `crashes`: SQL over `source`. The fence always rises.
 */
export function moveHeads(
  source: string,
  { owner, suspect, crashes }: Readonly<Record<'owner' | 'suspect' | 'crashes', string>>,
): string {
  return `INSERT INTO pawl.run_head AS h (part, run_id, tenant, revision, fence, owner, status, phase, needs, crashes, suspect, codec, snapshot)
  SELECT $1, x.run_id, x.tenant, x.revision, x.fence + 1, ${owner}, x.status, x.phase, x.needs, ${crashes}, ${suspect}, x.codec, ''
  FROM ${source} AS x
  ON CONFLICT ON CONSTRAINT run_head_pk DO UPDATE
  SET owner = excluded.owner, fence = excluded.fence, crashes = excluded.crashes, suspect = excluded.suspect
  WHERE h.fence + 1 = excluded.fence
  RETURNING h.run_id, h.fence, h.suspect`;
}
