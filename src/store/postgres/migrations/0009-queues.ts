/**
 * Attempts that remote workers pull. A ledger row says from which queue; what may be pulled is a narrow row beside it, written and
 * deleted by the commits of its run, so that the ledger needs no index on what changes with every move. A taken offer is a due
 * time in the future: whoever took it and is gone gives it back by that.
 */
export const QUEUES = `
ALTER TABLE pawl.effect ADD COLUMN queue text;
CREATE TRIGGER effect_queue_immutable BEFORE UPDATE OF queue
  ON pawl.effect FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();

CREATE TABLE pawl.offer (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  effect_key text NOT NULL,
  tenant text NOT NULL,
  queue text NOT NULL,
  since timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  CONSTRAINT offer_pk PRIMARY KEY (part, run_id, effect_key)
);
CREATE INDEX offer_due_idx ON pawl.offer (part, tenant, queue, due_at);

CREATE TABLE pawl.queue (
  part smallint NOT NULL,
  tenant text NOT NULL,
  queue text NOT NULL,
  asked_at timestamptz NOT NULL,
  CONSTRAINT queue_pk PRIMARY KEY (part, tenant, queue)
);
`;
