import type { Statement } from './statement.ts';

/** Takes the head of a run for a transaction, and sets how long the statement in it may take (`$3`, milliseconds as text). */
export const HOLD: Statement = {
  name: 'hold',
  hot: true,
  writes: false,
  text: `SELECT h.revision, h.fence, h.owner, set_config('statement_timeout', $3, true) AS within
FROM pawl.run_head h
WHERE h.part = $1 AND h.run_id = $2
FOR NO KEY UPDATE OF h SKIP LOCKED`,
};

/** Whatever a statement has set or locked beyond its transaction is gone before the run's commit. */
export const SET_RIGHT = 'RESET ALL; SELECT pg_advisory_unlock_all()';

/** More rows than they may be. */
export const TOO_MANY = 'PW013';
/** More bytes than they may be. */
export const TOO_LARGE = 'PW014';

/**
 * The function in which statements run (E13): its owner is a role that has no rights in the schema pawl, and its exception block
 * makes of every error, also of a limit, a row that says what it was; nothing of the statement is there then. Deferred
 * constraints are looked at inside, where they are that role's and can still be told. Planning is as the server does it: the
 * engine's own connections plan otherwise.
 */
export const ACT_BODY = `
DECLARE
  item record;
  one text;
  size bigint := 2;
  items text[] := '{}';
  constraint_at text;
  table_at text;
  column_at text;
BEGIN
  row_count := 0;
  BEGIN
    IF gives_rows THEN
      FOR item IN EXECUTE statement USING given LOOP
        row_count := row_count + 1;
        IF row_count > rows_max THEN
          RAISE EXCEPTION USING ERRCODE = '${TOO_MANY}', MESSAGE = format('more than %s rows', rows_max);
        END IF;
        one := row_to_json(item)::text;
        size := size + octet_length(one) + 1;
        IF size > bytes_max THEN
          RAISE EXCEPTION USING ERRCODE = '${TOO_LARGE}', MESSAGE = format('more than %s bytes', bytes_max);
        END IF;
        items := items || one;
      END LOOP;
    ELSE
      EXECUTE statement USING given;
      GET DIAGNOSTICS row_count = ROW_COUNT;
    END IF;
    SET CONSTRAINTS ALL IMMEDIATE;
    rows := '[' || array_to_string(items, ',') || ']';
  EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, constraint_at = CONSTRAINT_NAME,
      table_at = TABLE_NAME, column_at = COLUMN_NAME;
    facts := json_build_object('sqlstate', state, 'constraint', nullif(constraint_at, ''), 'table', nullif(table_at, ''),
      'column', nullif(column_at, ''))::text;
  END;
END`;

/** What makes the function of a role. @param name the function's quoted name, in its schema. */
export function actFunction(name: string): string {
  return `CREATE OR REPLACE FUNCTION ${name} (IN statement text, IN given jsonb, IN gives_rows boolean, IN rows_max integer, IN bytes_max integer,
  OUT row_count bigint, OUT rows text, OUT state text, OUT message text, OUT facts text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
SET plan_cache_mode = auto SET enable_seqscan = on SET enable_hashjoin = on SET enable_mergejoin = on SET lock_timeout = 0
AS $pawl$${ACT_BODY}$pawl$`;
}

/** What a role is, seen from here: `$1` its name. */
export const ROLE = `SELECT current_user::text AS me, r.oid IS NOT NULL AS there, coalesce(r.rolsuper, false) AS super,
  coalesce(r.rolname = current_user, false) AS mine,
  coalesce(pg_has_role(current_user, r.oid, 'MEMBER'), false) AS lent,
  coalesce(pg_has_role(r.oid, current_user, 'MEMBER'), false) AS above,
  coalesce(has_schema_privilege(r.oid, 'pawl', 'USAGE'), false) AS reaches
FROM (SELECT 1) AS one LEFT JOIN pg_roles r ON r.rolname = $1`;

/** The function of a role, as it is: `$1` its name. */
export const ACT_FUNCTION = `SELECT p.prosrc AS body, pg_get_userbyid(p.proowner)::text AS owner,
  has_function_privilege(p.oid, 'EXECUTE') AS mine
FROM pg_proc p WHERE p.pronamespace = to_regnamespace('pawl_sql') AND p.proname = $1`;
