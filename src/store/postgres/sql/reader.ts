/**
 * What the role of reads is, seen from here: `$1` its name. `fit`: that row-level security binds it; `lent`: that this user may act
 * as it; `granted`: that it may read every table.
 */
export const READER_FACTS = `SELECT r.oid IS NOT NULL AS there,
  NOT (coalesce(r.rolsuper OR r.rolbypassrls, false)
    OR coalesce(pg_has_role(r.oid, (SELECT c.relowner FROM pg_class c WHERE c.oid = 'pawl.run'::regclass), 'MEMBER'), false)) AS fit,
  coalesce(pg_has_role(current_user, r.oid, CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END), false) AS lent,
  r.oid IS NOT NULL AND has_schema_privilege(r.oid, 'pawl', 'USAGE') AND NOT EXISTS (
    SELECT FROM pg_class c WHERE c.relnamespace = 'pawl'::regnamespace AND c.relkind = 'r' AND NOT has_table_privilege(r.oid, c.oid, 'SELECT')) AS granted
FROM (SELECT 1) AS one LEFT JOIN pg_roles r ON r.rolname = $1`;

/** Whether this user sees only rows of a tenant that it has set: it is neither the owner of the tables, nor above all policies. */
export const NARROWED = `SELECT row_security_active('pawl.run'::regclass) AS narrowed`;
