import { APPROVAL, readingOf, TIMER, VOTE } from './columns.ts';
import { msOf, type Statement, timeOf } from './statement.ts';

const OF_RUN = `r.run_id, r.run_key, r.workflow, r.version, ${msOf('r.started_at')} AS started_at`;

/** Whether `$6` is among who must not vote, as `NAME` or `user:NAME`, or has voted; `$7` are the entries that mean them. */
const MAY_VOTE = `a.state = 'open'
  AND EXISTS (SELECT FROM json_array_elements_text(a.asked_of::json) AS f (entry) WHERE f.entry = ANY ($7::text[]))
  AND NOT EXISTS (SELECT FROM json_array_elements_text(a.excluded::json) AS x (entry) WHERE x.entry IN ($6::text, 'user:' || $6::text))
  AND NOT EXISTS (SELECT FROM pawl.vote v
    WHERE v.part = a.part AND v.run_id = a.run_id AND v.approval_id = a.approval_id AND v.principal = $6::text)`;

/**
 * APPROVALS of a tenant (`$1`) with their votes, by run, newest first, then id; `$2` states, `$3` workflow, `$4` workflows, `$5` expiring
 * before, `$6` and `$7` who may still vote, `$8`, `$9` and `$10` start, run and id of the approval behind which it begins, `$11` how many.
 * As the ledger it is read run by run. Indexes: run_tenant_started_idx, approval_pk, vote_pk.
 */
export const LIST_APPROVALS: Statement = {
  name: 'list_approvals',
  hot: false,
  writes: false,
  text: `SELECT ${OF_RUN}, ${readingOf(APPROVAL, 'a')},
  (SELECT coalesce(json_agg(x), '[]') FROM (
    SELECT ${readingOf(VOTE, 'v')} FROM pawl.vote v
    WHERE v.part = a.part AND v.run_id = a.run_id AND v.approval_id = a.approval_id ORDER BY v.at, v.principal) AS x) AS votes
FROM pawl.run r
CROSS JOIN LATERAL (SELECT c.* FROM pawl.approval c WHERE c.part = r.part AND c.run_id = r.run_id OFFSET 0) AS a
WHERE r.tenant = $1
  AND ($2::text[] IS NULL OR a.state = ANY ($2)) AND ($3::text IS NULL OR r.workflow = $3) AND ($4::text[] IS NULL OR r.workflow = ANY ($4))
  AND ($5::bigint IS NULL OR a.expires_at < ${timeOf('$5::bigint')})
  AND ($6::text IS NULL OR (${MAY_VOTE}))
  AND ($8::bigint IS NULL OR ((r.started_at, r.run_id) <= (${timeOf('$8::bigint')}, $9::uuid)
    AND ((r.started_at, r.run_id) < (${timeOf('$8::bigint')}, $9::uuid) OR a.approval_id > $10::text)))
ORDER BY r.started_at DESC, r.run_id DESC, a.approval_id
LIMIT $11`,
};

/**
 * TIMERS of a tenant (`$1`), the first that falls due first; `$2` workflow, `$3` workflows, `$4` due before, `$5`, `$6` and `$7` time, run and
 * name of the timer behind which it begins, `$8` how many, `$9` parts: each is read in the order of its index. Indexes: timer_due_idx, run_pk.
 */
export const LIST_TIMERS: Statement = {
  name: 'list_timers',
  hot: false,
  writes: false,
  text: `SELECT x.run_id, x.run_key, x.workflow, x.version, ${msOf('x.started_at')} AS started_at, ${readingOf(TIMER, 'x')}
FROM generate_series(0, $9::integer - 1) AS p (part)
CROSS JOIN LATERAL (
  SELECT i.*, r.run_key, r.workflow, r.version, r.started_at
  FROM pawl.timer i
  JOIN pawl.run r ON r.part = i.part AND r.run_id = i.run_id
  WHERE i.part = p.part AND i.tenant = $1
    AND ($2::text IS NULL OR r.workflow = $2) AND ($3::text[] IS NULL OR r.workflow = ANY ($3))
    AND ($4::bigint IS NULL OR i.due_at < ${timeOf('$4::bigint')})
    AND ($5::bigint IS NULL OR (i.due_at, i.run_id, i.name) > (${timeOf('$5::bigint')}, $6::uuid, $7::text))
  ORDER BY i.due_at, i.run_id, i.name
  LIMIT $8) AS x
ORDER BY x.due_at, x.run_id, x.name
LIMIT $8`,
};
