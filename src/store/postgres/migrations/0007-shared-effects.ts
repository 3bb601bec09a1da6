/**
 * Acts that several runs share (E11): each has one row, in the part of its key. It is written over the version before it, so that
 * of two who change it at once one is told to look again.
 */
export const SHARED_EFFECTS = `
CREATE TABLE pawl.shared_effect (
  part smallint NOT NULL,
  effect_key text NOT NULL,
  tenant text NOT NULL,
  version integer NOT NULL,
  state text NOT NULL,
  owner uuid,
  ingredients text NOT NULL,
  request_hash text,
  outcome text,
  users text NOT NULL,
  CONSTRAINT shared_effect_pk PRIMARY KEY (part, effect_key),
  CONSTRAINT shared_effect_state_ck CHECK (state IN ('open', 'confirmed', 'failed', 'undoing', 'closed')),
  CONSTRAINT shared_effect_version_ck CHECK (version > 0)
);

ALTER TABLE pawl.outbox
  DROP CONSTRAINT outbox_topic_ck,
  ADD CONSTRAINT outbox_topic_ck
    CHECK (topic IN ('event', 'reminder', 'child.start', 'child.cancel', 'child.undo', 'child.end', 'share'));
`;
