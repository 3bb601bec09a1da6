import { NO_RUN, WORKFLOW_ACTS } from '../../../model/tenant-act.ts';
import { AUDIT, namesOf, readingOf } from './columns.ts';
import { type Statement, timeOf } from './statement.ts';

/** An act as it lies in its chain. */
export const CHAINED = { ...AUDIT, audit_no: 'integer', tenant: 'text', previous: 'text', integrity: 'text' } as const;

/** INSERT of an act that is about no run, its values in the order of the columns; the table makes its number and links it. */
export const NOTE_ACT = `INSERT INTO pawl.tenant_act (tenant, ${namesOf(AUDIT)})`;

const TARGET_WORKFLOW = `CASE WHEN a.act IN (${WORKFLOW_ACTS.map((act) => `'${act}'`).join(', ')}) THEN a.target END`;

/** What both kinds of acts are asked for: `$2` actor, `$3` act, `$4` from, `$5` before, `$6` and `$7` and `$8` the place behind which it begins. */
function asked(owner: string): string {
  return `a.tenant = $1
  AND ($2::text IS NULL OR a.actor = $2) AND ($3::text IS NULL OR a.act = $3)
  AND ($4::bigint IS NULL OR a.at >= ${timeOf('$4::bigint')}) AND ($5::bigint IS NULL OR a.at < ${timeOf('$5::bigint')})
  AND ($6::bigint IS NULL OR (a.at, ${owner}, a.audit_no) < (${timeOf('$6::bigint')}, $7::uuid, $8::integer))`;
}

/**
 * ACTS of a tenant (`$1`), the newest first, `$12` at most; `$9` run, `$10` workflow, `$11` workflows. Indexes: audit_at_idx,
 * tenant_act_at_idx, run_pk.
 */
export const LIST_ACTS: Statement = {
  name: 'list_acts',
  hot: false,
  writes: false,
  text: `SELECT nullif(x.run_id, '${NO_RUN}') AS run_id, x.workflow, x.audit_no, ${readingOf(AUDIT, 'x')} FROM (
  (SELECT a.run_id, r.workflow, a.audit_no, ${namesOf(AUDIT)}
   FROM pawl.audit a JOIN pawl.run r ON r.part = a.part AND r.run_id = a.run_id
   WHERE ${asked('a.run_id')}
     AND ($9::uuid IS NULL OR a.run_id = $9) AND ($10::text IS NULL OR r.workflow = $10) AND ($11::text[] IS NULL OR r.workflow = ANY ($11))
   ORDER BY a.at DESC, a.run_id DESC, a.audit_no DESC LIMIT $12)
  UNION ALL
  (SELECT '${NO_RUN}'::uuid, ${TARGET_WORKFLOW}, a.audit_no, ${namesOf(AUDIT)}
   FROM pawl.tenant_act a
   WHERE ${asked(`'${NO_RUN}'::uuid`)} AND $9::uuid IS NULL
     AND ($10::text IS NULL OR ${TARGET_WORKFLOW} = $10) AND ($11::text[] IS NULL OR ${TARGET_WORKFLOW} = ANY ($11))
   ORDER BY a.at DESC, a.audit_no DESC LIMIT $12)) AS x
ORDER BY x.at DESC, x.run_id DESC, x.audit_no DESC
LIMIT $12`,
};

/** CHAINS of the runs of a part (`$1`), `$4` acts behind act `$3` of run `$2`. Index: audit_pk. */
export const RUN_CHAINS: Statement = {
  name: 'run_chains',
  hot: false,
  writes: false,
  text: `SELECT a.run_id, ${readingOf(CHAINED, 'a')} FROM pawl.audit a
WHERE a.part = $1 AND ($2::uuid IS NULL OR (a.run_id, a.audit_no) > ($2::uuid, $3::integer))
ORDER BY a.run_id, a.audit_no
LIMIT $4`,
};

/** CHAINS of tenants, `$3` acts behind act `$2` of tenant `$1`. Index: tenant_act_pk. */
export const TENANT_CHAINS: Statement = {
  name: 'tenant_chains',
  hot: false,
  writes: false,
  text: `SELECT NULL AS run_id, ${readingOf(CHAINED, 'a')} FROM pawl.tenant_act a
WHERE $1::text IS NULL OR (a.tenant, a.audit_no) > ($1::text, $2::integer)
ORDER BY a.tenant, a.audit_no
LIMIT $3`,
};
