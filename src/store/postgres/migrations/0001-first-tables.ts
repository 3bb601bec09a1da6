/**
 * The tables of the first release. Every hot table has `part, run_id` first in its key, no foreign key and a named
 * constraint for each promise. Bytes that a hash covers are text or bytea, never jsonb (rule P15).
 */
export const FIRST_TABLES = `
CREATE TABLE pawl.setting (
  only_row boolean NOT NULL DEFAULT true,
  parts smallint NOT NULL,
  CONSTRAINT setting_pk PRIMARY KEY (only_row),
  CONSTRAINT setting_only_row_ck CHECK (only_row),
  CONSTRAINT setting_parts_ck CHECK (parts BETWEEN 1 AND 4096)
);

-- Which database this was when it was last looked at (rule P14).
CREATE TABLE pawl.witness (
  only_row boolean NOT NULL DEFAULT true,
  system_identifier text NOT NULL,
  timeline integer NOT NULL,
  seen_at timestamptz NOT NULL,
  recovery_since timestamptz,
  was_system_identifier text,
  was_timeline integer,
  last_seen_at timestamptz,
  reconciled_at timestamptz,
  reconciled_by text,
  reconciled_reason text,
  CONSTRAINT witness_pk PRIMARY KEY (only_row),
  CONSTRAINT witness_only_row_ck CHECK (only_row),
  CONSTRAINT witness_recovery_ck CHECK (recovery_since IS NULL OR (was_system_identifier IS NOT NULL AND was_timeline IS NOT NULL AND last_seen_at IS NOT NULL))
);

CREATE TABLE pawl.definition (
  tenant text NOT NULL,
  workflow text NOT NULL,
  version integer NOT NULL,
  digest text NOT NULL,
  digests text NOT NULL,
  source text NOT NULL,
  machine text NOT NULL,
  published_by text NOT NULL,
  published_at timestamptz NOT NULL,
  CONSTRAINT definition_pk PRIMARY KEY (tenant, workflow, version)
);
CREATE INDEX definition_digest_idx ON pawl.definition (digest);

-- The cold half of a run: written once.
CREATE TABLE pawl.run (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  tenant text NOT NULL,
  workflow text NOT NULL,
  version integer NOT NULL,
  digest text NOT NULL,
  run_key text NOT NULL,
  start_number integer NOT NULL,
  input text NOT NULL,
  started_at timestamptz NOT NULL,
  started_by text NOT NULL,
  CONSTRAINT run_pk PRIMARY KEY (part, run_id)
);
CREATE INDEX run_tenant_started_idx ON pawl.run (tenant, started_at DESC, run_id);
CREATE INDEX run_tenant_key_idx ON pawl.run (tenant, run_key, workflow);

-- The hot half: the only row updated per transition. Half of each page stays free and no index, nor a predicate of one,
-- mentions a column that changes: so every update is HOT (measured: 0 growth against 171 MB in 5 s).
CREATE TABLE pawl.run_head (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  tenant text NOT NULL,
  revision bigint NOT NULL,
  fence bigint NOT NULL,
  owner text,
  status text NOT NULL,
  phase text NOT NULL,
  needs text NOT NULL,
  crashes smallint NOT NULL,
  suspect boolean NOT NULL,
  codec smallint NOT NULL,
  snapshot bytea NOT NULL,
  ended_at timestamptz,
  output text,
  failure text,
  CONSTRAINT run_head_pk PRIMARY KEY (part, run_id),
  CONSTRAINT run_head_revision_ck CHECK (revision >= 0 AND fence >= 0 AND crashes >= 0),
  CONSTRAINT run_head_status_ck CHECK (status IN ('QUEUED', 'RUNNING', 'WAITING', 'COMPENSATING', 'HELD', 'COMPLETED', 'FAILED', 'COMPENSATED', 'COMPENSATED_WITH_ERRORS', 'CANCELLED', 'TERMINATED')),
  CONSTRAINT run_head_phase_ck CHECK (phase IN ('forward', 'settling', 'compensating', 'finally', 'ended')),
  CONSTRAINT run_head_codec_ck CHECK (codec IN (0, 1))
) WITH (fillfactor = 50);
-- Larger snapshots are deflated by the writer: the server must not try again.
ALTER TABLE pawl.run_head ALTER COLUMN snapshot SET STORAGE EXTERNAL;

CREATE TABLE pawl.seat (
  part smallint NOT NULL,
  worker_id text NOT NULL,
  lease_until timestamptz NOT NULL,
  CONSTRAINT seat_pk PRIMARY KEY (part, worker_id)
) WITH (fillfactor = 50);

CREATE TABLE pawl.lease (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  worker_id text NOT NULL,
  fence bigint NOT NULL,
  suspect boolean NOT NULL,
  claimed_at timestamptz NOT NULL,
  CONSTRAINT lease_pk PRIMARY KEY (part, run_id)
);
CREATE INDEX lease_worker_idx ON pawl.lease (part, worker_id);
CREATE INDEX lease_suspect_idx ON pawl.lease (part, worker_id) WHERE suspect;

CREATE TABLE pawl.ready (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  due_at timestamptz NOT NULL,
  wake bigint NOT NULL,
  CONSTRAINT ready_pk PRIMARY KEY (part, run_id)
);
CREATE INDEX ready_due_idx ON pawl.ready (part, due_at);

CREATE TABLE pawl.journal (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  revision bigint NOT NULL,
  tenant text NOT NULL,
  event_type text NOT NULL,
  event_id text NOT NULL,
  step text,
  detail text NOT NULL,
  delta text NOT NULL,
  commands text NOT NULL,
  state_hash text NOT NULL,
  fence bigint NOT NULL,
  worker_id text NOT NULL,
  at timestamptz NOT NULL,
  codec smallint,
  snapshot bytea,
  CONSTRAINT journal_pk PRIMARY KEY (part, run_id, revision),
  CONSTRAINT journal_revision_ck CHECK (revision > 0)
);
ALTER TABLE pawl.journal ALTER COLUMN snapshot SET STORAGE EXTERNAL;

CREATE TABLE pawl.effect (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  effect_key text NOT NULL,
  tenant text NOT NULL,
  step text NOT NULL,
  frames text NOT NULL,
  ingredients text NOT NULL,
  action text NOT NULL,
  contract integer NOT NULL,
  pivot boolean NOT NULL,
  request text NOT NULL,
  request_hash text NOT NULL,
  compensates text,
  state text NOT NULL,
  attempt integer NOT NULL,
  counted_attempts integer NOT NULL,
  code text,
  failure_class text,
  ever_unknown boolean NOT NULL,
  fence bigint NOT NULL,
  first_requested_at timestamptz,
  requested_at timestamptz,
  send_by timestamptz,
  not_before timestamptz,
  unknown_since timestamptz,
  doubt_since timestamptz,
  resends integer NOT NULL,
  queries integer NOT NULL,
  doubt text,
  last_error text,
  output text,
  external_id text,
  receipt_no integer,
  settled_at timestamptz,
  approval_id text,
  CONSTRAINT effect_pk PRIMARY KEY (part, run_id, effect_key),
  CONSTRAINT effect_state_ck CHECK (state IN ('PROPOSED', 'AUTHORIZED', 'REQUESTED', 'UNKNOWN', 'CONFIRMED', 'FAILED', 'ABSENT', 'REFUSED', 'CANCELLED', 'WAIVED')),
  CONSTRAINT effect_doubt_ck CHECK (doubt IN ('resend', 'query', 'review', 'event'))
) WITH (fillfactor = 70);

CREATE TABLE pawl.receipt (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  receipt_no integer NOT NULL,
  tenant text NOT NULL,
  effect_key text NOT NULL,
  attempt integer NOT NULL,
  outcome text NOT NULL,
  code text,
  request_hash text NOT NULL,
  external_id text,
  result bytea NOT NULL,
  observed_by text NOT NULL,
  evidence text NOT NULL,
  approval_id text,
  contract integer NOT NULL,
  requested_at timestamptz,
  settled_at timestamptz NOT NULL,
  previous text NOT NULL,
  integrity text NOT NULL,
  CONSTRAINT receipt_pk PRIMARY KEY (part, run_id, receipt_no),
  CONSTRAINT receipt_no_ck CHECK (receipt_no > 0),
  CONSTRAINT receipt_outcome_ck CHECK (outcome IN ('confirmed', 'failed', 'absent', 'waived')),
  CONSTRAINT receipt_observed_by_ck CHECK (observed_by IN ('response', 'query', 'webhook', 'person'))
);
CREATE INDEX receipt_external_idx ON pawl.receipt (part, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE pawl.observation (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  effect_key text NOT NULL,
  source text NOT NULL,
  source_id text NOT NULL,
  tenant text NOT NULL,
  detail text NOT NULL,
  observed_at timestamptz NOT NULL,
  CONSTRAINT observation_pk PRIMARY KEY (part, run_id, effect_key, source, source_id)
);

-- The payload is the canonical text of the inbox row that a firing makes: fixed when the timer is armed (rule V06).
CREATE TABLE pawl.timer (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  name text NOT NULL,
  tenant text NOT NULL,
  due_at timestamptz NOT NULL,
  generation integer NOT NULL,
  payload text NOT NULL,
  payload_hash text NOT NULL,
  CONSTRAINT timer_pk PRIMARY KEY (part, run_id, name)
);
CREATE INDEX timer_due_idx ON pawl.timer (part, due_at);

CREATE TABLE pawl.inbox (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  source text NOT NULL,
  event_id text NOT NULL,
  tenant text NOT NULL,
  payload text NOT NULL,
  payload_hash text NOT NULL,
  received_at timestamptz NOT NULL,
  outcome text,
  code text,
  detail text NOT NULL,
  consumed boolean NOT NULL,
  consumed_revision bigint,
  CONSTRAINT inbox_pk PRIMARY KEY (part, run_id, source, event_id),
  CONSTRAINT inbox_outcome_ck CHECK (outcome IN ('applied', 'kept', 'duplicate', 'stale', 'refused', 'already-decided', 'ended', 'unmatched')),
  CONSTRAINT inbox_consumed_ck CHECK (NOT consumed OR outcome IS NOT NULL)
);
CREATE INDEX inbox_open_idx ON pawl.inbox (part, run_id) WHERE NOT consumed;

CREATE TABLE pawl.approval (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  approval_id text NOT NULL,
  tenant text NOT NULL,
  step text NOT NULL,
  state text NOT NULL,
  title text NOT NULL,
  subject text NOT NULL,
  subject_hash text NOT NULL,
  authorizes text NOT NULL,
  asked_of text NOT NULL,
  quorum integer NOT NULL,
  denials integer NOT NULL,
  excluded text NOT NULL,
  asked_at timestamptz NOT NULL,
  expires_at timestamptz,
  on_expire text NOT NULL,
  decided_at timestamptz,
  CONSTRAINT approval_pk PRIMARY KEY (part, run_id, approval_id),
  CONSTRAINT approval_state_ck CHECK (state IN ('open', 'approved', 'denied', 'expired', 'held', 'cancelled')),
  CONSTRAINT approval_on_expire_ck CHECK (on_expire IN ('deny', 'approve', 'hold'))
);

CREATE TABLE pawl.vote (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  approval_id text NOT NULL,
  principal text NOT NULL,
  tenant text NOT NULL,
  decision text NOT NULL,
  subject_hash text NOT NULL,
  roles text NOT NULL,
  comment text,
  at timestamptz NOT NULL,
  CONSTRAINT vote_pk PRIMARY KEY (part, run_id, approval_id, principal),
  CONSTRAINT vote_decision_ck CHECK (decision IN ('approve', 'deny'))
);

CREATE TABLE pawl.start_key (
  part smallint NOT NULL,
  tenant text NOT NULL,
  workflow text NOT NULL,
  run_key text NOT NULL,
  request_hash text NOT NULL,
  run_id uuid NOT NULL,
  start_number integer NOT NULL,
  CONSTRAINT start_key_pk PRIMARY KEY (part, tenant, workflow, run_key)
);

CREATE TABLE pawl.audit (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  audit_no integer NOT NULL,
  tenant text NOT NULL,
  actor text NOT NULL,
  act text NOT NULL,
  target text NOT NULL,
  reason text,
  detail text NOT NULL,
  at timestamptz NOT NULL,
  previous text NOT NULL,
  integrity text NOT NULL,
  CONSTRAINT audit_pk PRIMARY KEY (part, run_id, audit_no)
);

CREATE FUNCTION pawl.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'pawl.% is written once', TG_TABLE_NAME USING ERRCODE = 'PW001';
END $$;
CREATE TRIGGER definition_immutable BEFORE UPDATE OR DELETE ON pawl.definition FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();
CREATE TRIGGER run_immutable BEFORE UPDATE ON pawl.run FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();
CREATE TRIGGER journal_immutable BEFORE UPDATE ON pawl.journal FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();
CREATE TRIGGER receipt_immutable BEFORE UPDATE OR DELETE ON pawl.receipt FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();
CREATE TRIGGER observation_immutable BEFORE UPDATE OR DELETE ON pawl.observation FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();
CREATE TRIGGER vote_immutable BEFORE UPDATE OR DELETE ON pawl.vote FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();
CREATE TRIGGER audit_immutable BEFORE UPDATE OR DELETE ON pawl.audit FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();
-- The commit never names these columns, so the trigger costs it nothing.
CREATE TRIGGER effect_request_immutable BEFORE UPDATE OF effect_key, step, frames, ingredients, action, contract, pivot, request, request_hash, compensates
  ON pawl.effect FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();
CREATE TRIGGER inbox_payload_immutable BEFORE UPDATE OF source, event_id, payload, payload_hash, received_at
  ON pawl.inbox FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();

-- The only ways out of an end (R10, R24, the operator's order, E08).
CREATE FUNCTION pawl.refuse_leaving_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'run % is %, it cannot become %', OLD.run_id, OLD.status, NEW.status USING ERRCODE = 'PW002';
END $$;
CREATE TRIGGER run_head_end BEFORE UPDATE OF status ON pawl.run_head FOR EACH ROW
  WHEN (OLD.status IN ('COMPLETED', 'FAILED', 'COMPENSATED', 'COMPENSATED_WITH_ERRORS', 'CANCELLED', 'TERMINATED')
    AND NEW.status <> OLD.status AND NEW.status <> 'HELD'
    AND NOT (OLD.status IN ('COMPLETED', 'TERMINATED') AND NEW.status = 'COMPENSATING'))
  EXECUTE FUNCTION pawl.refuse_leaving_end();

-- A commit that found its guards true and its rows changed under it: everything of the statement goes back.
CREATE FUNCTION pawl.refuse_commit(facts text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the commit lost a row it had guarded: %', facts USING ERRCODE = 'PW003';
END $$;

-- Acts of people are chained per run; they are rare, so their number and chain are made here, under the head's lock.
CREATE FUNCTION pawl.chain_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT a.audit_no, a.integrity INTO last FROM pawl.audit a
   WHERE a.part = NEW.part AND a.run_id = NEW.run_id ORDER BY a.audit_no DESC LIMIT 1;
  NEW.audit_no := coalesce(last.audit_no, 0) + 1;
  NEW.previous := coalesce(last.integrity, repeat('0', 64));
  NEW.integrity := encode(sha256(convert_to(json_build_array(NEW.previous, NEW.run_id, NEW.audit_no, NEW.tenant, NEW.actor,
    NEW.act, NEW.target, NEW.reason, NEW.detail, (extract(epoch FROM NEW.at) * 1000)::bigint)::text, 'UTF8')), 'hex');
  RETURN NEW;
END $$;
CREATE TRIGGER audit_chain BEFORE INSERT ON pawl.audit FOR EACH ROW EXECUTE FUNCTION pawl.chain_audit();
`;
