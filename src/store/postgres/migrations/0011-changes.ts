/**
 * What commits and starts have changed, for whoever watches: one narrow row per run and commit, dropped after a while. Its position
 * is the transaction's own number: readers stop before the oldest transaction that is under way, so that none that commits late is
 * passed over, and nobody waits for a counter. What was dropped is remembered: a reader who comes from before it is told so.
 */
export const CHANGES = `
CREATE TABLE pawl.change (
  part smallint NOT NULL,
  position bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
  run_id uuid NOT NULL,
  tenant text NOT NULL,
  revision bigint NOT NULL,
  status text NOT NULL,
  effects text NOT NULL,
  at timestamptz NOT NULL,
  CONSTRAINT change_pk PRIMARY KEY (part, position, run_id)
);
CREATE TRIGGER change_immutable BEFORE UPDATE ON pawl.change FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();

CREATE TABLE pawl.change_kept (
  part smallint NOT NULL,
  kept_from bigint NOT NULL,
  CONSTRAINT change_kept_pk PRIMARY KEY (part)
);
`;
