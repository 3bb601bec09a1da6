/**
 * The outbox (rule V09): a message is written once, by the commit that took its step; how far it has come is written by whoever
 * relays it. A claim is a due time in the future, so that one whose process dies is over by itself.
 */
export const OUTBOX = `
CREATE TABLE pawl.outbox (
  part smallint NOT NULL,
  run_id uuid NOT NULL,
  revision bigint NOT NULL,
  ordinal integer NOT NULL,
  tenant text NOT NULL,
  message_id text NOT NULL,
  topic text NOT NULL,
  outward boolean NOT NULL,
  key text,
  step text,
  frames text NOT NULL,
  body text NOT NULL,
  at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'waiting',
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  last_error text,
  settled_at timestamptz,
  CONSTRAINT outbox_pk PRIMARY KEY (part, run_id, revision, ordinal),
  CONSTRAINT outbox_message_uq UNIQUE (part, run_id, message_id),
  CONSTRAINT outbox_state_ck CHECK (state IN ('waiting', 'delivered', 'dead', 'dropped')),
  CONSTRAINT outbox_topic_ck CHECK (topic IN ('event', 'reminder', 'child.start', 'child.cancel', 'child.undo', 'child.end')),
  CONSTRAINT outbox_settled_ck CHECK ((settled_at IS NULL) = (state IN ('waiting', 'dead')))
);
CREATE INDEX outbox_due_idx ON pawl.outbox (part, outward, due_at) WHERE state = 'waiting';
CREATE INDEX outbox_order_idx ON pawl.outbox (part, run_id, outward, key, revision, ordinal) WHERE state IN ('waiting', 'dead');
CREATE INDEX outbox_open_idx ON pawl.outbox (tenant, at) WHERE state IN ('waiting', 'dead');
CREATE TRIGGER outbox_message_immutable
  BEFORE UPDATE OF part, run_id, revision, ordinal, tenant, message_id, topic, outward, key, step, frames, body, at
  ON pawl.outbox FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();
`;
