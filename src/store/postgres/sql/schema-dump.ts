import type { Statement } from './statement.ts';

/** The whole schema as lines of text, from the catalogue: what `schema-dump.txt` holds. Versions of PostgreSQL print it alike. */
export const SCHEMA_DUMP: Statement = {
  name: 'schema_dump',
  hot: false,
  writes: false,
  text: `SELECT line FROM (
  SELECT c.relname AS object, 1 AS kind, a.attnum::integer AS place,
         format('table %s: %s %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN ' not null' ELSE '' END,
                CASE a.attstorage WHEN 'e' THEN ' external' ELSE '' END || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')) AS line
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'pawl'::regnamespace AND c.relkind = 'r'
  UNION ALL
  SELECT c.relname, 2, 0, format('table %s: with %s', c.relname, array_to_string(c.reloptions, ', '))
  FROM pg_class c WHERE c.relnamespace = 'pawl'::regnamespace AND c.relkind = 'r' AND c.reloptions IS NOT NULL
  UNION ALL
  SELECT c.relname, 3, 0, format('constraint %s on %s: %s', k.conname, c.relname, pg_get_constraintdef(k.oid))
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
  WHERE c.relnamespace = 'pawl'::regnamespace AND k.contype <> 'n'
  UNION ALL
  SELECT c.relname, 4, 0, pg_get_indexdef(x.indexrelid)
  FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid
  WHERE c.relnamespace = 'pawl'::regnamespace
  UNION ALL
  SELECT c.relname, 5, 0, pg_get_triggerdef(g.oid)
  FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
  WHERE c.relnamespace = 'pawl'::regnamespace AND NOT g.tgisinternal
  UNION ALL
  SELECT c.relname, 2, 1, format('table %s: row level security%s', c.relname, CASE WHEN c.relforcerowsecurity THEN ' forced' ELSE '' END)
  FROM pg_class c WHERE c.relnamespace = 'pawl'::regnamespace AND c.relrowsecurity
  UNION ALL
  SELECT c.relname, 5, 1, format('policy %s on %s: %s to %s using %s check %s', p.polname, c.relname, p.polcmd, p.polroles::regrole[]::text,
         pg_get_expr(p.polqual, p.polrelid), coalesce(pg_get_expr(p.polwithcheck, p.polrelid), '-'))
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
  WHERE c.relnamespace = 'pawl'::regnamespace
  UNION ALL
  SELECT '~' || p.proname, 6, 0, format('function %s(%s) returns %s: %s', p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),
         encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex'))
  FROM pg_proc p WHERE p.pronamespace = 'pawl'::regnamespace
) AS lines
ORDER BY object COLLATE "C", kind, place, line COLLATE "C"`,
};
