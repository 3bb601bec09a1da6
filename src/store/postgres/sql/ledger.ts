import { msOf, type Statement, timeOf } from './statement.ts';

/**
 * EFFECTS of a tenant (`$1`), by run, newest first, then key; `$2` states, `$3` action, `$4` run, `$5` workflow, `$6` workflows, `$7` since before,
 * `$8`, `$9` and `$10` start, run and key of the effect behind which it begins, `$11` how many. The ledger has no index on what moves:
 * it is read run by run. Indexes: run_tenant_started_idx, effect_pk.
 */
export const LIST_EFFECTS: Statement = {
  name: 'list_effects',
  hot: false,
  writes: false,
  text: `SELECT r.run_id, r.run_key, r.workflow, r.version, ${msOf('r.started_at')} AS started_at,
  e.effect_key, e.step, e.action, e.state, e.attempt, e.code, ${msOf('e.since')} AS since, ${msOf('e.settled_at')} AS settled_at
FROM pawl.run r
CROSS JOIN LATERAL (
  SELECT e.*, coalesce(e.settled_at, e.unknown_since, e.requested_at, r.started_at) AS since FROM pawl.effect e
  WHERE e.part = r.part AND e.run_id = r.run_id
    AND ($2::text[] IS NULL OR e.state = ANY ($2)) AND ($3::text IS NULL OR e.action = $3)) AS e
WHERE r.tenant = $1
  AND ($4::uuid IS NULL OR r.run_id = $4) AND ($5::text IS NULL OR r.workflow = $5) AND ($6::text[] IS NULL OR r.workflow = ANY ($6))
  AND ($7::bigint IS NULL OR e.since < ${timeOf('$7::bigint')})
  AND ($8::bigint IS NULL OR ((r.started_at, r.run_id) <= (${timeOf('$8::bigint')}, $9::uuid)
    AND ((r.started_at, r.run_id) < (${timeOf('$8::bigint')}, $9::uuid) OR e.effect_key > $10::text)))
ORDER BY r.started_at DESC, r.run_id DESC, e.effect_key
LIMIT $11`,
};
