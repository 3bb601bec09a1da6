/**
 * Schedules: one row a workflow, in a part of its own. It counts as long as no higher version of the workflow is published.
 * A claim is a time until which nobody else takes the instant, so that one whose process dies is over by itself.
 */
export const SCHEDULES = `
CREATE TABLE pawl.schedule (
  part smallint NOT NULL,
  tenant text NOT NULL,
  workflow text NOT NULL,
  version integer NOT NULL,
  due_at timestamptz NOT NULL,
  since_at timestamptz NOT NULL,
  paused boolean NOT NULL DEFAULT false,
  taken_at timestamptz,
  free_at timestamptz NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  last_fired_at timestamptz,
  last_run_id uuid,
  last_skipped_at timestamptz,
  last_error text,
  CONSTRAINT schedule_pk PRIMARY KEY (part, tenant, workflow),
  CONSTRAINT schedule_fired_ck CHECK ((last_fired_at IS NULL) = (last_run_id IS NULL))
);
CREATE INDEX schedule_due_idx ON pawl.schedule (part, due_at) WHERE NOT paused;

CREATE TABLE pawl.schedule_act (
  part smallint NOT NULL,
  tenant text NOT NULL,
  workflow text NOT NULL,
  act_no integer NOT NULL,
  act text NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  at timestamptz NOT NULL,
  CONSTRAINT schedule_act_pk PRIMARY KEY (part, tenant, workflow, act_no),
  CONSTRAINT schedule_act_ck CHECK (act IN ('pause', 'resume'))
);
CREATE TRIGGER schedule_act_immutable BEFORE UPDATE OR DELETE ON pawl.schedule_act FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();
`;
