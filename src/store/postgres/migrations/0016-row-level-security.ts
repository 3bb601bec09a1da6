/**
 * Rows of a tenant are seen by whoever has set it (`pawl.tenant`), and by nobody else (S18): but for the owner of the tables, which
 * is the engine, and works for all of them. The policy names no role: a dump is put back under whatever user there is.
 */
export const ROW_LEVEL_SECURITY = `
DO $$
DECLARE
  held regclass;
BEGIN
  FOR held IN
    SELECT c.oid::regclass FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
    WHERE c.relnamespace = 'pawl'::regnamespace AND c.relkind = 'r' ORDER BY c.relname
  LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', held);
    EXECUTE format('CREATE POLICY own_tenant ON %s USING (tenant = current_setting(''pawl.tenant'', true))', held);
  END LOOP;
END $$;
`;
