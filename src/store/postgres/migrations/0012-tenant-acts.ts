/**
 * Acts of people and keys that are about no run: one chain per tenant, written by the statement that carries the act out. They are
 * rare, so their numbers and links are made here, under the row of their chain; it is the last row that such a statement takes.
 */
export const TENANT_ACTS = `
CREATE TABLE pawl.tenant_chain (
  tenant text NOT NULL,
  audit_no integer NOT NULL,
  integrity text NOT NULL,
  CONSTRAINT tenant_chain_pk PRIMARY KEY (tenant)
);

CREATE TABLE pawl.tenant_act (
  tenant text NOT NULL,
  audit_no integer NOT NULL,
  actor text NOT NULL,
  act text NOT NULL,
  target text NOT NULL,
  reason text,
  detail text NOT NULL,
  at timestamptz NOT NULL,
  previous text NOT NULL,
  integrity text NOT NULL,
  CONSTRAINT tenant_act_pk PRIMARY KEY (tenant, audit_no)
);
CREATE INDEX tenant_act_at_idx ON pawl.tenant_act (tenant, at, audit_no);
CREATE INDEX audit_at_idx ON pawl.audit (tenant, at, run_id, audit_no);
CREATE TRIGGER tenant_act_immutable BEFORE UPDATE OR DELETE ON pawl.tenant_act FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();

CREATE FUNCTION pawl.chain_tenant_act() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  INSERT INTO pawl.tenant_chain (tenant, audit_no, integrity) VALUES (NEW.tenant, 0, repeat('0', 64))
  ON CONFLICT ON CONSTRAINT tenant_chain_pk DO NOTHING;
  SELECT c.audit_no, c.integrity INTO STRICT last FROM pawl.tenant_chain c WHERE c.tenant = NEW.tenant FOR UPDATE;
  NEW.audit_no := last.audit_no + 1;
  NEW.previous := last.integrity;
  NEW.integrity := encode(sha256(convert_to(json_build_array(NEW.previous, NULL, NEW.audit_no, NEW.tenant, NEW.actor,
    NEW.act, NEW.target, NEW.reason, NEW.detail, (extract(epoch FROM NEW.at) * 1000)::bigint)::text, 'UTF8')), 'hex');
  UPDATE pawl.tenant_chain c SET audit_no = NEW.audit_no, integrity = NEW.integrity WHERE c.tenant = NEW.tenant;
  RETURN NEW;
END $$;
CREATE TRIGGER tenant_act_chain BEFORE INSERT ON pawl.tenant_act FOR EACH ROW EXECUTE FUNCTION pawl.chain_tenant_act();

CREATE OR REPLACE FUNCTION pawl.limit_lock(of_part smallint, of_tenant text, of_name text, new_limit integer, by_actor text, for_reason text)
RETURNS TABLE (run_id uuid, run_part smallint) LANGUAGE plpgsql AS $$
DECLARE
  t timestamptz := date_trunc('milliseconds', clock_timestamp());
  was integer;
BEGIN
  PERFORM pawl.open_turn(of_part, of_tenant, of_name);
  SELECT l.set_limit INTO was FROM pawl.lock l WHERE l.part = of_part AND l.tenant = of_tenant AND l.name = of_name;
  UPDATE pawl.lock l SET set_limit = new_limit WHERE l.part = of_part AND l.tenant = of_tenant AND l.name = of_name;
  INSERT INTO pawl.lock_act (part, tenant, name, act_no, actor, reason, set_limit, at)
  SELECT of_part, of_tenant, of_name, count(*) + 1, by_actor, for_reason, new_limit, t
  FROM pawl.lock_act a WHERE a.part = of_part AND a.tenant = of_tenant AND a.name = of_name;
  RETURN QUERY SELECT * FROM pawl.take_turns(of_part, of_tenant, of_name);
  INSERT INTO pawl.tenant_act (tenant, actor, act, target, reason, detail, at)
  VALUES (of_tenant, by_actor, 'lock.limit', of_name, for_reason,
    json_build_object('before', json_build_object('limit', was), 'after', json_build_object('limit', new_limit))::text, t);
END $$;
`;
