/**
 * Retention: a run whose time is over loses its state and keeps its proof. What is written once may be taken away by pruning
 * alone, and only whole: a request, a payload and an input become empty, and nothing else of their rows can change. The index
 * names a column that changes once in the life of a run: every other update of a head stays HOT.
 */
export const RETENTION = `
ALTER TABLE pawl.run_head ADD COLUMN pruned_at timestamptz;
CREATE INDEX run_head_retained_idx ON pawl.run_head (part, run_id) WHERE pruned_at IS NULL;

DROP TRIGGER run_immutable ON pawl.run;
CREATE TRIGGER run_immutable BEFORE UPDATE ON pawl.run FOR EACH ROW
  WHEN (NEW.input <> 'null' OR
    (NEW.part, NEW.run_id, NEW.tenant, NEW.workflow, NEW.version, NEW.digest, NEW.run_key, NEW.start_number, NEW.started_at, NEW.started_by, NEW.lock_name, NEW.lock_limit)
    IS DISTINCT FROM
    (OLD.part, OLD.run_id, OLD.tenant, OLD.workflow, OLD.version, OLD.digest, OLD.run_key, OLD.start_number, OLD.started_at, OLD.started_by, OLD.lock_name, OLD.lock_limit))
  EXECUTE FUNCTION pawl.refuse_change();

DROP TRIGGER effect_request_immutable ON pawl.effect;
CREATE TRIGGER effect_request_immutable BEFORE UPDATE OF effect_key, step, frames, ingredients, action, contract, pivot, request, request_hash, compensates
  ON pawl.effect FOR EACH ROW
  WHEN (NEW.request <> '' OR
    (NEW.effect_key, NEW.step, NEW.frames, NEW.ingredients, NEW.action, NEW.contract, NEW.pivot, NEW.request_hash, NEW.compensates)
    IS DISTINCT FROM
    (OLD.effect_key, OLD.step, OLD.frames, OLD.ingredients, OLD.action, OLD.contract, OLD.pivot, OLD.request_hash, OLD.compensates))
  EXECUTE FUNCTION pawl.refuse_change();

DROP TRIGGER inbox_payload_immutable ON pawl.inbox;
CREATE TRIGGER inbox_payload_immutable BEFORE UPDATE OF source, event_id, payload, payload_hash, received_at
  ON pawl.inbox FOR EACH ROW
  WHEN (NEW.payload <> 'null' OR
    (NEW.source, NEW.event_id, NEW.payload_hash, NEW.received_at) IS DISTINCT FROM (OLD.source, OLD.event_id, OLD.payload_hash, OLD.received_at))
  EXECUTE FUNCTION pawl.refuse_change();
`;
