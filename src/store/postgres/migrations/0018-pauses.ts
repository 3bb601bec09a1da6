/**
 * What a person has paused: a row while it lasts; who began and ended it is in the acts of the tenant. The index finds what a pause
 * has kept back, for whoever ends it: it is empty while nothing is, and a sending that is confirmed never touches it.
 */
export const PAUSES = `
CREATE TABLE pawl.pause (
  tenant text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  pause_id uuid NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  at timestamptz NOT NULL,
  CONSTRAINT pause_pk PRIMARY KEY (tenant, kind, name),
  CONSTRAINT pause_id_uq UNIQUE (tenant, pause_id),
  CONSTRAINT pause_kind_ck CHECK (kind IN ('workflow', 'action', 'host'))
);
ALTER TABLE pawl.pause ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON pawl.pause USING (tenant = current_setting('pawl.tenant', true));
CREATE INDEX effect_paused_idx ON pawl.effect (tenant, part, run_id) WHERE code = 'send-paused' AND settled_at IS NULL;
`;
