/**
 * Versions on which nothing new starts: a row while that is so; who did and undid it is in the acts of the tenant. Row-level security
 * came with the migration before, for the tables that were there; this one has its own.
 */
export const DEPRECATIONS = `
CREATE TABLE pawl.deprecation (
  tenant text NOT NULL,
  workflow text NOT NULL,
  version integer NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  at timestamptz NOT NULL,
  CONSTRAINT deprecation_pk PRIMARY KEY (tenant, workflow, version)
);
ALTER TABLE pawl.deprecation ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON pawl.deprecation USING (tenant = current_setting('pawl.tenant', true));
`;
