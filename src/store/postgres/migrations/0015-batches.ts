/**
 * Batches: one act on many runs. What they are about is frozen when they are made; a batch is taken by whoever finds it due, and
 * what became of each run is a row of its own, settled once.
 */
export const BATCHES = `
CREATE TABLE pawl.batch (
  tenant text NOT NULL,
  batch_id uuid NOT NULL,
  action text NOT NULL,
  params text NOT NULL,
  request_hash text NOT NULL,
  by text NOT NULL,
  key_id text,
  reason text NOT NULL,
  max_failures integer,
  rate integer,
  total integer NOT NULL,
  applied integer NOT NULL,
  refused integer NOT NULL,
  failed integer NOT NULL,
  state text NOT NULL,
  created_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  CONSTRAINT batch_pk PRIMARY KEY (tenant, batch_id),
  CONSTRAINT batch_action_ck CHECK (action IN ('cancel', 'terminate', 'compensate', 'retry', 'signal')),
  CONSTRAINT batch_state_ck CHECK (state IN ('running', 'paused', 'stopped', 'done')),
  CONSTRAINT batch_count_ck CHECK (applied + refused + failed <= total)
);
CREATE INDEX batch_created_idx ON pawl.batch (tenant, created_at, batch_id);
CREATE INDEX batch_due_idx ON pawl.batch (tenant, due_at) WHERE state = 'running';

CREATE TABLE pawl.batch_item (
  tenant text NOT NULL,
  batch_id uuid NOT NULL,
  no integer NOT NULL,
  run_id uuid NOT NULL,
  run_part smallint NOT NULL,
  workflow text NOT NULL,
  outcome text NOT NULL,
  code text,
  message text,
  tries integer NOT NULL,
  at timestamptz,
  CONSTRAINT batch_item_pk PRIMARY KEY (tenant, batch_id, no),
  CONSTRAINT batch_item_outcome_ck CHECK (outcome IN ('pending', 'applied', 'refused', 'failed'))
);
CREATE INDEX batch_item_pending_idx ON pawl.batch_item (tenant, batch_id, tries, no) WHERE outcome = 'pending';
`;
